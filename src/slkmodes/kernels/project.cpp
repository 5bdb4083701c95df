// Rows on a few components: centred, scaled, cut off, and multiplied with a matrix in one pass.
//
// The product alone is what BLAS does best, but its threads keep spinning for a while afterwards, on the cores that the
// next kernel wants, and the steps before it would be passes over the rows of their own.
#include <algorithm>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

// Rows taken together: with two vectors of components as many sums at a time as registers hold.
constexpr int NARROW_ROWS = 6, WIDE_ROWS = 12;
constexpr std::int64_t ROW_BLOCK = 4 * WIDE_ROWS;
constexpr std::int64_t FEATURES_AT_A_TIME = 256;  // of the rows taken together, for the innermost cache

// Add what some features of a few rows give to some vectors of components, from the first one on.
template <int LANES, int VECTORS, int ROWS>
SLK_INLINE void add_products(const float (&features)[ROWS][FEATURES_AT_A_TIME], std::int64_t n_features,
                             const float* components, std::int64_t width, float* const (&out)[ROWS], std::int64_t first,
                             bool begun) {
    Vector<float, LANES> sums[ROWS][VECTORS];
    for (int r = 0; r < ROWS; ++r)
        for (int v = 0; v < VECTORS; ++v)
            sums[r][v] = begun ? load<LANES>(out[r] + first + v * LANES) : filled<LANES>(0.0f);
    for (std::int64_t d = 0; d < n_features; ++d) {
        Vector<float, LANES> component[VECTORS];
        for (int v = 0; v < VECTORS; ++v) component[v] = load<LANES>(components + d * width + first + v * LANES);
        for (int r = 0; r < ROWS; ++r)
            for (int v = 0; v < VECTORS; ++v) sums[r][v] += features[r][d] * component[v];
    }
    for (int r = 0; r < ROWS; ++r)
        for (int v = 0; v < VECTORS; ++v) store<LANES>(out[r] + first + v * LANES, sums[r][v]);
}

// Every number of the output is a sum of its own: neither how many lanes a vector has nor how many rows are taken
// together changes a bit.
template <int LANES, int ROWS, typename T>
SLK_INLINE void project_rows(const Project<T>& s, std::int64_t begin, std::int64_t end) {
    alignas(64) float features[ROWS][FEATURES_AT_A_TIME];
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
                    features[r][d] = float(std::max(-s.farthest, std::min(scaled, s.farthest)));
                }
            const float* components = s.components + from * s.width;
            std::int64_t first = 0;
            for (; first + 2 * LANES <= s.width; first += 2 * LANES)
                add_products<LANES, 2>(features, count, components, s.width, out, first, from > 0);
            // One is left where vectors are wide and the width is an odd number of them.
            if (first < s.width) add_products<LANES, 1>(features, count, components, s.width, out, first, from > 0);
        }
    }
}

SLK_DISPATCH void project_narrow(const Project<float>& s, std::int64_t begin, std::int64_t end) {
    project_rows<WIDTH<float>, NARROW_ROWS>(s, begin, end);
}

SLK_DISPATCH void project_narrow(const Project<double>& s, std::int64_t begin, std::int64_t end) {
    project_rows<WIDTH<float>, NARROW_ROWS>(s, begin, end);
}

template <typename T>
SLK_WIDE void project_wide(const Project<T>& s, std::int64_t begin, std::int64_t end) {
    project_rows<2 * WIDTH<float>, WIDE_ROWS>(s, begin, end);
}

}  // namespace

template <typename T>
void run(const Project<T>& s) {
    const std::int64_t n_blocks = (s.n_rows + ROW_BLOCK - 1) / ROW_BLOCK;
#pragma omp parallel for schedule(dynamic) num_threads(s.threads)
    for (std::int64_t block = 0; block < n_blocks; ++block) {
        const std::int64_t begin = block * ROW_BLOCK, end = std::min(begin + ROW_BLOCK, s.n_rows);
        if (has_wide_registers())
            project_wide(s, begin, end);
        else
            project_narrow(s, begin, end);
    }
}

template void run(const Project<float>&);
template void run(const Project<double>&);

}  // namespace slk
