// a_pl = exp(-|x_p - m_l|^2 / (2 bandwidth^2)), eq. (6).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

// From so many features on several distances at once take less time.
constexpr std::int64_t MANY_FEATURES = 128;

template <int VECTORS, typename T>
SLK_INLINE void similarity_rows(const Similarity<T>& s, std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t> modes(s.n_modes);
    std::iota(modes.begin(), modes.end(), 0);
    for (std::int64_t p = begin; p < end; ++p) {
        const T* x = s.rows + p * s.n_features;
        T* a = s.similarity + p * s.width;
        const auto take = [&](std::int64_t l, double squared) SLK_INLINED {
            const double similar = std::exp(-squared * s.gamma);
            a[l] = similar < double(std::numeric_limits<T>::min()) ? T(0) : T(similar);  // sweeps would be slowed down
        };
        if (s.n_features >= MANY_FEATURES)
            each_distance<VECTORS>(x, s.modes, s.n_features, modes.data(), s.n_modes, take);
        else
            for (const std::int64_t l : modes)
                take(l, squared_distance(x, s.modes + l * s.n_features, s.n_features));
        for (std::int64_t l = s.n_modes; l < s.width; ++l) a[l] = s.padding;
    }
}

SLK_DISPATCH void similarity_block(const Similarity<float>& s, std::int64_t begin, std::int64_t end) {
    similarity_rows<2>(s, begin, end);
}

SLK_DISPATCH void similarity_block(const Similarity<double>& s, std::int64_t begin, std::int64_t end) {
    similarity_rows<2>(s, begin, end);
}

template <typename T>
SLK_WIDE void similarity_block_wide(const Similarity<T>& s, std::int64_t begin, std::int64_t end) {
    similarity_rows<1>(s, begin, end);
}

}  // namespace

template <typename T>
void run(const Similarity<T>& s) {
    const std::int64_t n_blocks = (s.n_rows + s.block_rows - 1) / s.block_rows;
#pragma omp parallel for schedule(dynamic) num_threads(s.threads)
    for (std::int64_t block = 0; block < n_blocks; ++block) {
        const std::int64_t begin = block * s.block_rows, end = std::min(begin + s.block_rows, s.n_rows);
        if (has_wide_registers())
            similarity_block_wide(s, begin, end);
        else
            similarity_block(s, begin, end);
    }
}

template void run(const Similarity<float>&);
template void run(const Similarity<double>&);

}  // namespace slk
