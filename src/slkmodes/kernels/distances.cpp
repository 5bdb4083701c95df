// Squared distance of every query to each of its own candidates.
#include <limits>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

template <typename T>
SLK_INLINE void distances_of(const Distances<T>& s, std::int64_t query) {
    for (std::int64_t i = query * s.n_candidates; i < (query + 1) * s.n_candidates; ++i) {
        const std::int64_t row = s.candidates[i];
        s.squared[i] = row < 0 ? std::numeric_limits<T>::infinity()
                               : T(squared_distance(s.queries + query * s.n_features, s.rows + row * s.n_features,
                                                    s.n_features));
    }
}

SLK_DISPATCH void distances_block(const Distances<float>& s, std::int64_t query) { distances_of(s, query); }

SLK_DISPATCH void distances_block(const Distances<double>& s, std::int64_t query) { distances_of(s, query); }

}  // namespace

template <typename T>
void run(const Distances<T>& s) {
#pragma omp parallel for schedule(dynamic, 64) num_threads(s.threads)
    for (std::int64_t query = 0; query < s.n_queries; ++query) distances_block(s, query);
}

template void run(const Distances<float>&);
template void run(const Distances<double>&);

}  // namespace slk
