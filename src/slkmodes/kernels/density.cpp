// Weighted kernel sums at some rows: how dense a cluster is there.
#include <algorithm>
#include <vector>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

// Some rows one after the other, the last repeated until a batch is full.
template <typename T>
std::vector<T> gathered(const Density<T>& s, const std::int64_t* numbers, std::int64_t count) {
    const std::int64_t n_rows = (count + BATCH - 1) / BATCH * BATCH;
    std::vector<T> rows(n_rows * s.n_features);
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const T* row = s.rows + numbers[std::min(i, count - 1)] * s.n_features;
        std::copy(row, row + s.n_features, rows.begin() + i * s.n_features);
    }
    return rows;
}

// A few candidates against all references, in their order.
template <typename T>
SLK_INLINE void sums_of(const Density<T>& s, const T* candidates, const T* references, double (&sums)[BATCH]) {
    constexpr int LANES = WIDTH<T>;
    for (std::int64_t r = 0; r < s.n_references; r += BATCH) {
        T squared[BATCH][BATCH];
        batch_distances(candidates, references + r * s.n_features, s.n_features, squared);
        for (T* here = squared[0]; here < squared[0] + BATCH * BATCH; here += LANES)
            store<LANES>(here, exp_nonpositive<T, LANES>(load<LANES>(here) * T(-s.gamma)));
        for (int i = 0; i < BATCH; ++i)
            for (int j = 0; j < BATCH && r + j < s.n_references; ++j)
                sums[i] += s.weights[r + j] * double(squared[i][j]);
    }
}

SLK_DISPATCH void density_batch(const Density<float>& s, const float* candidates, const float* references,
                                double (&sums)[BATCH]) {
    sums_of(s, candidates, references, sums);
}

SLK_DISPATCH void density_batch(const Density<double>& s, const double* candidates, const double* references,
                                double (&sums)[BATCH]) {
    sums_of(s, candidates, references, sums);
}

}  // namespace

template <typename T>
void run(const Density<T>& s) {
    if (!s.n_references) {
        std::fill(s.sums, s.sums + s.n_candidates, 0.0);
        return;
    }
    const std::vector<T> references = gathered(s, s.references, s.n_references);
#pragma omp parallel for schedule(dynamic) num_threads(s.threads)
    for (std::int64_t begin = 0; begin < s.n_candidates; begin += BATCH) {
        const std::int64_t count = std::min<std::int64_t>(BATCH, s.n_candidates - begin);
        double sums[BATCH] = {};
        density_batch(s, gathered(s, s.candidates + begin, count).data(), references.data(), sums);
        std::copy(sums, sums + count, s.sums + begin);
    }
}

template void run(const Density<float>&);
template void run(const Density<double>&);

}  // namespace slk
