// The best candidates of every query by their distance in the data itself, then by row number.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

template <typename T>
SLK_INLINE void rank_one(const Rank<T>& s, std::int64_t query, std::int32_t* rows, std::pair<T, std::int32_t>* ranked) {
    const std::int32_t* candidates = s.candidates + query * s.n_candidates;
    const auto is_one = [](std::int32_t row) { return row >= 0; };
    const std::int64_t count = std::copy_if(candidates, candidates + s.n_candidates, rows, is_one) - rows;
    auto* next = ranked;
    each_distance(s.queries + query * s.n_features, s.rows, s.n_features, rows, count,
                  [&](std::int32_t row, double squared) { *next++ = {T(squared), row}; });
    const std::int64_t kept = std::min(count, s.k);
    std::partial_sort(ranked, ranked + kept, ranked + count);
    for (std::int64_t i = 0; i < s.k; ++i) {
        s.indices[query * s.k + i] = i < kept ? ranked[i].second : -1;
        s.squared[query * s.k + i] = i < kept ? ranked[i].first : std::numeric_limits<T>::infinity();
    }
}

SLK_DISPATCH void rank_query(const Rank<float>& s, std::int64_t query, std::int32_t* rows,
                             std::pair<float, std::int32_t>* ranked) {
    rank_one(s, query, rows, ranked);
}

SLK_DISPATCH void rank_query(const Rank<double>& s, std::int64_t query, std::int32_t* rows,
                             std::pair<double, std::int32_t>* ranked) {
    rank_one(s, query, rows, ranked);
}

}  // namespace

template <typename T>
void run(const Rank<T>& s) {
#pragma omp parallel num_threads(s.threads)
    {
        std::vector<std::int32_t> rows(s.n_candidates);
        std::vector<std::pair<T, std::int32_t>> ranked(s.n_candidates);
#pragma omp for schedule(dynamic, 256)
        for (std::int64_t i = 0; i < s.n_queries; ++i)
            rank_query(s, s.order ? s.order[i] : i, rows.data(), ranked.data());
    }
}

template void run(const Rank<float>&);
template void run(const Rank<double>&);

}  // namespace slk
