// Rows on a few components: centred, scaled, cut off, and multiplied with a matrix in one pass.
//
// The product alone is what BLAS does best, but its threads keep spinning for a while afterwards, on the cores that the
// next kernel wants, and the steps before it would be passes over the rows of their own.
#include <algorithm>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

constexpr std::int64_t ROW_BLOCK = 48;         // a multiple of the rows taken together
constexpr std::int64_t FEATURES_AT_A_TIME = 256;  // of the rows taken together, for the innermost cache

// Add what some features of a few rows give to VECTORS vectors of components, from the first one on.
template <int LANES, int ROWS, int VECTORS>
SLK_INLINE void add_products(const float (*features)[ROWS], std::int64_t n_features, const float* components,
                             std::int64_t width, float* const (&out)[ROWS], std::int64_t first, bool begun) {
    Vector<float, LANES> sums[ROWS][VECTORS];
    for (int r = 0; r < ROWS; ++r)
        for (int v = 0; v < VECTORS; ++v)
            sums[r][v] = begun ? load<LANES>(out[r] + first + v * LANES) : filled<LANES>(0.0f);
    for (std::int64_t d = 0; d < n_features; ++d) {
        Vector<float, LANES> component[VECTORS];
        for (int v = 0; v < VECTORS; ++v) component[v] = load<LANES>(components + d * width + first + v * LANES);
        for (int r = 0; r < ROWS; ++r)
            for (int v = 0; v < VECTORS; ++v) sums[r][v] += features[d][r] * component[v];
    }
    for (int r = 0; r < ROWS; ++r)
        for (int v = 0; v < VECTORS; ++v) store<LANES>(out[r] + first + v * LANES, sums[r][v]);
}

template <int LANES, int ROWS, int VECTORS, typename T>
SLK_INLINE void project_rows(const Project<T>& s, std::int64_t begin, std::int64_t end) {
    alignas(64) float features[FEATURES_AT_A_TIME][ROWS];
    for (std::int64_t p = begin; p < end; p += ROWS) {
        const T* rows[ROWS];
        float* out[ROWS];
        for (int r = 0; r < ROWS; ++r) {
            const std::int64_t row = std::min(p + r, end - 1);  // the last row once more where there are no others
            rows[r] = s.rows + row * s.n_features;
            out[r] = s.projected + row * s.width;
        }
        for (std::int64_t from = 0; from < s.n_features; from += FEATURES_AT_A_TIME) {
            const std::int64_t count = std::min(FEATURES_AT_A_TIME, s.n_features - from);
            for (int r = 0; r < ROWS; ++r)
                for (std::int64_t d = 0; d < count; ++d) {
                    const T scaled = (rows[r][from + d] - s.center[from + d]) * s.scale;
                    features[d][r] = float(std::max(-s.farthest, std::min(scaled, s.farthest)));
                }
            const float* components = s.components + from * s.width;
            std::int64_t first = 0;
            for (; first + LANES * VECTORS <= s.width; first += LANES * VECTORS)
                add_products<LANES, ROWS, VECTORS>(features, count, components, s.width, out, first, from > 0);
            for (; first < s.width; first += LANES)
                add_products<LANES, ROWS, 1>(features, count, components, s.width, out, first, from > 0);
        }
    }
}

// As many sums at a time as the registers hold, in vectors of their width.
#define SLK_PROJECT_ROWS(NAME, TARGET, T, LANES, ROWS, VECTORS)                     \
    TARGET void NAME(const Project<T>& s, std::int64_t begin, std::int64_t end) {   \
        project_rows<LANES, ROWS, VECTORS>(s, begin, end);                          \
    }
SLK_PROJECT_ROWS(project_block, SLK_DISPATCH, float, 8, 6, 2)
SLK_PROJECT_ROWS(project_block, SLK_DISPATCH, double, 8, 6, 2)
SLK_PROJECT_ROWS(project_block_wide, SLK_WIDE, float, 16, 8, 2)
SLK_PROJECT_ROWS(project_block_wide, SLK_WIDE, double, 16, 8, 2)
#undef SLK_PROJECT_ROWS

}  // namespace

template <typename T>
void run(const Project<T>& s) {
    const bool wide = has_wide_registers();
    const std::int64_t n_blocks = (s.n_rows + ROW_BLOCK - 1) / ROW_BLOCK;
#pragma omp parallel for schedule(dynamic) num_threads(s.threads)
    for (std::int64_t block = 0; block < n_blocks; ++block) {
        const std::int64_t begin = block * ROW_BLOCK, end = std::min(begin + ROW_BLOCK, s.n_rows);
        wide ? project_block_wide(s, begin, end) : project_block(s, begin, end);
    }
}

template void run(const Project<float>&);
template void run(const Project<double>&);

}  // namespace slk
