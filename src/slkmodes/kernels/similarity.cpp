// a_pl = exp(-|x_p - m_l|^2 / (2 bandwidth^2)), eq. (6).
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

template <typename T>
SLK_INLINE void similarity_rows(const Similarity<T>& s, std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
        const T* x = s.rows + p * s.n_features;
        T* a = s.similarity + p * s.width;
        for (std::int64_t l = 0; l < s.n_modes; ++l) {
            const double squared = squared_distance(x, s.modes + l * s.n_features, s.n_features);
            const double similar = std::exp(-squared * s.gamma);
            a[l] = similar < double(std::numeric_limits<T>::min()) ? T(0) : T(similar);  // sweeps would be slowed down
        }
        for (std::int64_t l = s.n_modes; l < s.width; ++l) a[l] = s.padding;
    }
}

SLK_DISPATCH void similarity_block(const Similarity<float>& s, std::int64_t begin, std::int64_t end) {
    similarity_rows(s, begin, end);
}

SLK_DISPATCH void similarity_block(const Similarity<double>& s, std::int64_t begin, std::int64_t end) {
    similarity_rows(s, begin, end);
}

}  // namespace

template <typename T>
void run(const Similarity<T>& s) {
    const std::int64_t n_blocks = (s.n_rows + s.block_rows - 1) / s.block_rows;
#pragma omp parallel for schedule(dynamic) num_threads(s.threads)
    for (std::int64_t block = 0; block < n_blocks; ++block) {
        const std::int64_t begin = block * s.block_rows;
        similarity_block(s, begin, std::min(begin + s.block_rows, s.n_rows));
    }
}

template void run(const Similarity<float>&);
template void run(const Similarity<double>&);

}  // namespace slk
