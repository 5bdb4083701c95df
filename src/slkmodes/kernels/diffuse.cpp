// One term of a Chebyshev series in a sparse matrix: next = scale * S now - before, total += coefficient * next. With
// the first, T_1, where nothing is before, the total begins: at initial * now + coefficient * next.
#include <algorithm>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

// Rows of which the neighbours are fetched while another is computed.
constexpr std::int64_t ROWS_AHEAD = 2;

template <typename T>
SLK_INLINE void fetch_neighbors(const Diffuse<T>& s, std::int64_t p) {
    for (std::int64_t e = s.row_starts[p]; e < s.row_starts[p + 1]; ++e)
        fetch_ahead(s.now + std::int64_t(s.columns[e]) * s.width, s.width);
}

template <typename T>
SLK_INLINE void diffuse_rows(const Diffuse<T>& s, std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
        if (p + ROWS_AHEAD < end) fetch_neighbors(s, p + ROWS_AHEAD);
        // Row p of `before` is read here and nowhere else: its place may be that of the next term.
        T* next = s.next + p * s.width;
        T* total = s.total + p * s.width;
        const T* own = s.now + p * s.width;
        for (std::int64_t c = 0; c < s.width; ++c) next[c] = s.before ? -s.before[p * s.width + c] : T(0);
        if (!s.before)
            for (std::int64_t c = 0; c < s.width; ++c) total[c] = T(s.initial) * own[c];
        for (std::int64_t e = s.row_starts[p]; e < s.row_starts[p + 1]; ++e) {
            const T w = T(s.scale) * s.weights[e];
            const T* now = s.now + std::int64_t(s.columns[e]) * s.width;
            for (std::int64_t c = 0; c < s.width; ++c) next[c] += w * now[c];
        }
        for (std::int64_t c = 0; c < s.width; ++c) total[c] += T(s.coefficient) * next[c];
    }
}

SLK_DISPATCH void diffuse_block(const Diffuse<float>& s, std::int64_t begin, std::int64_t end) {
    diffuse_rows(s, begin, end);
}

SLK_DISPATCH void diffuse_block(const Diffuse<double>& s, std::int64_t begin, std::int64_t end) {
    diffuse_rows(s, begin, end);
}

}  // namespace

template <typename T>
void run(const Diffuse<T>& s) {
    constexpr std::int64_t BLOCK = 512;
#pragma omp parallel for schedule(dynamic) num_threads(s.threads)
    for (std::int64_t begin = 0; begin < s.n_rows; begin += BLOCK)
        diffuse_block(s, begin, std::min(begin + BLOCK, s.n_rows));
}

template void run(const Diffuse<float>&);
template void run(const Diffuse<double>&);

}  // namespace slk
