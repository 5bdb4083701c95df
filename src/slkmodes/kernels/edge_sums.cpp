// The weight of the edges from every group of rows to every other, or of those at each group, tile by tile of the rows.
#include "kernels.hpp"

namespace slk {

template <typename T>
void weights_between(const EdgeSums<T>& s) {
#pragma omp parallel for schedule(dynamic) num_threads(s.threads)
    for (std::int64_t tile = 0; tile < s.n_tiles; ++tile) {
        double* sums = s.sums + tile * s.n_groups * s.n_groups;
        for (std::int64_t p = s.bounds[tile]; p < s.bounds[tile + 1]; ++p) {
            double* own = sums + s.labels[p] * s.n_groups;
            for (std::int64_t e = s.row_starts[p]; e < s.row_starts[p + 1]; ++e)
                own[s.labels[s.columns[e]]] += double(s.weights[e]);
        }
    }
}

template <typename T>
void group_weights(const EdgeSums<T>& s) {
#pragma omp parallel for schedule(dynamic) num_threads(s.threads)
    for (std::int64_t tile = 0; tile < s.n_tiles; ++tile) {
        double* leaving = s.sums + tile * 3 * s.n_groups;
        double *entering = leaving + s.n_groups, *inside = entering + s.n_groups;
        for (std::int64_t p = s.bounds[tile]; p < s.bounds[tile + 1]; ++p) {
            const std::int64_t own = s.labels[p];
            for (std::int64_t e = s.row_starts[p]; e < s.row_starts[p + 1]; ++e) {
                const std::int64_t other = s.labels[s.columns[e]];
                const auto weight = double(s.weights[e]);
                leaving[own] += weight;
                entering[other] += weight;
                inside[own] += other == own ? weight : 0.0;
            }
        }
    }
}

template void weights_between(const EdgeSums<float>&);
template void weights_between(const EdgeSums<double>&);
template void group_weights(const EdgeSums<float>&);
template void group_weights(const EdgeSums<double>&);

}  // namespace slk
