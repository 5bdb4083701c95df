// Partial sums of one mean-shift step, eq. (9): sum_p z_pl k(x_p, m_l) x_p and sum_p z_pl k(x_p, m_l).
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

template <typename T>
SLK_INLINE void tile_sums(const MeanShift<T>& s, std::int64_t tile, double* sum) {
    const T* m = s.modes + s.tile_cluster[tile] * s.n_features;
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
    std::copy_n(sum, s.n_features, s.sums + tile * s.n_features);
}

SLK_DISPATCH void tile_block(const MeanShift<float>& s, std::int64_t tile, double* sum) { tile_sums(s, tile, sum); }

SLK_DISPATCH void tile_block(const MeanShift<double>& s, std::int64_t tile, double* sum) { tile_sums(s, tile, sum); }

}  // namespace

template <typename T>
void run(const MeanShift<T>& s) {
#pragma omp parallel num_threads(s.threads)
    {
        std::vector<double> sum(s.n_features);  // the thread's own: in the output the next tile's share its cache lines
#pragma omp for schedule(dynamic)
        for (std::int64_t tile = 0; tile < s.n_tiles; ++tile) tile_block(s, tile, sum.data());
    }
}

template void run(const MeanShift<float>&);
template void run(const MeanShift<double>&);

}  // namespace slk
