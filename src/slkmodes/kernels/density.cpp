// Weighted kernel sums at some rows: how dense a cluster is there.
#include <algorithm>
#include <vector>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

// A batch of rows one after the other, the last repeated where there are fewer.
template <typename T, typename RowAt>
std::vector<T> batch_of(std::int64_t n_features, std::int64_t count, RowAt row_at) {
    std::vector<T> rows(BATCH * n_features);
    for (std::int64_t i = 0; i < BATCH; ++i) {
        const T* row = row_at(std::min(i, count - 1));
        std::copy(row, row + n_features, rows.begin() + i * n_features);
    }
    return rows;
}

// A few candidates against all references, in their order; the last batch of these comes filled up.
template <typename T>
SLK_INLINE void sums_of(const Density<T>& s, const T* candidates, const T* last, double (&sums)[BATCH]) {
    constexpr int LANES = WIDTH<T>;
    for (std::int64_t r = 0; r < s.n_references; r += BATCH) {
        T squared[BATCH][BATCH];
        const T* references = r + BATCH < s.n_references ? s.references + r * s.n_features : last;
        batch_distances(candidates, references, s.n_features, squared);
        for (T* here = squared[0]; here < squared[0] + BATCH * BATCH; here += LANES)
            store<LANES>(here, exp_nonpositive<T, LANES>(load<LANES>(here) * T(-s.gamma)));
        for (int i = 0; i < BATCH; ++i)
            for (int j = 0; j < BATCH && r + j < s.n_references; ++j)
                sums[i] += s.weights[r + j] * double(squared[i][j]);
    }
}

SLK_DISPATCH void density_batch(const Density<float>& s, const float* candidates, const float* last,
                                double (&sums)[BATCH]) {
    sums_of(s, candidates, last, sums);
}

SLK_DISPATCH void density_batch(const Density<double>& s, const double* candidates, const double* last,
                                double (&sums)[BATCH]) {
    sums_of(s, candidates, last, sums);
}

}  // namespace

template <typename T>
void run(const Density<T>& s) {
    if (!s.n_references) {
        std::fill(s.sums, s.sums + s.n_candidates, 0.0);
        return;
    }
    const std::int64_t begun = (s.n_references - 1) / BATCH * BATCH;
    const auto last = batch_of<T>(s.n_features, s.n_references - begun,
                                  [&](std::int64_t i) { return s.references + (begun + i) * s.n_features; });
#pragma omp parallel for schedule(dynamic) num_threads(s.threads)
    for (std::int64_t begin = 0; begin < s.n_candidates; begin += BATCH) {
        const std::int64_t count = std::min<std::int64_t>(BATCH, s.n_candidates - begin);
        const auto candidates = batch_of<T>(s.n_features, count, [&](std::int64_t i) {
            return s.rows + s.candidates[begin + i] * s.n_features;
        });
        double sums[BATCH] = {};
        density_batch(s, candidates.data(), last.data(), sums);
        std::copy(sums, sums + count, s.sums + begin);
    }
}

template void run(const Density<float>&);
template void run(const Density<double>&);

}  // namespace slk
