// Partial sums of one mean-shift step, eq. (9): sum_p z_pl k(x_p, m_l) x_p and sum_p z_pl k(x_p, m_l).
#include <algorithm>
#include <cmath>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

template <typename T>
SLK_INLINE void tile_sums(const MeanShift<T>& s, std::int64_t tile) {
    const T* m = s.modes + s.tile_cluster[tile] * s.n_features;
    double* sum = s.sums + tile * s.n_features;
    double mass = 0;
    std::fill(sum, sum + s.n_features, 0.0);
    for (std::int64_t i = s.starts[tile]; i < s.starts[tile + 1]; ++i) {
        const T* x = s.rows + s.order[i] * s.n_features;
        const double squared = squared_distance(x, m, s.n_features);
        const double weight = s.weights[i] * std::exp(-squared * s.gamma);
        mass += weight;
        for (std::int64_t d = 0; d < s.n_features; ++d) sum[d] += weight * double(x[d]);
    }
    s.masses[tile] = mass;
}

SLK_DISPATCH void tile_block(const MeanShift<float>& s, std::int64_t tile) { tile_sums(s, tile); }

SLK_DISPATCH void tile_block(const MeanShift<double>& s, std::int64_t tile) { tile_sums(s, tile); }

}  // namespace

template <typename T>
void run(const MeanShift<T>& s) {
#pragma omp parallel for schedule(dynamic) num_threads(s.threads)
    for (std::int64_t tile = 0; tile < s.n_tiles; ++tile) tile_block(s, tile);
}

template void run(const MeanShift<float>&);
template void run(const MeanShift<double>&);

}  // namespace slk
