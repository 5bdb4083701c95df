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
struct Scratch {
    std::vector<std::int32_t> rows;
    std::vector<std::pair<T, std::int32_t>> ranked;
};

template <int VECTORS, typename T>
SLK_INLINE void rank_one(const Rank<T>& s, std::int64_t query, Scratch<T>& scratch) {
    std::int32_t* const rows = scratch.rows.data();
    auto* const ranked = scratch.ranked.data();
    const std::int32_t* candidates = s.candidates + query * s.n_candidates;
    const auto is_one = [](std::int32_t row) { return row >= 0; };
    const std::int64_t count = std::copy_if(candidates, candidates + s.n_candidates, rows, is_one) - rows;
    auto* next = ranked;
    each_distance<VECTORS>(s.queries + query * s.n_features, s.rows, s.n_features, rows, count,
                           [&](std::int32_t row, double squared) SLK_INLINED { *next++ = {T(squared), row}; });
    const std::int64_t kept = std::min(count, s.k);
    std::partial_sort(ranked, ranked + kept, ranked + count);
    for (std::int64_t i = 0; i < s.k; ++i) {
        s.indices[query * s.k + i] = i < kept ? ranked[i].second : -1;
        s.squared[query * s.k + i] = i < kept ? ranked[i].first : std::numeric_limits<T>::infinity();
    }
}

SLK_DISPATCH void rank_query(const Rank<float>& s, std::int64_t query, Scratch<float>& scratch) {
    rank_one<2>(s, query, scratch);
}

SLK_DISPATCH void rank_query(const Rank<double>& s, std::int64_t query, Scratch<double>& scratch) {
    rank_one<2>(s, query, scratch);
}

template <typename T>
SLK_WIDE void rank_query_wide(const Rank<T>& s, std::int64_t query, Scratch<T>& scratch) {
    rank_one<1>(s, query, scratch);
}

}  // namespace

template <typename T>
void run(const Rank<T>& s) {
    const bool wide = has_wide_registers();
#pragma omp parallel num_threads(s.threads)
    {
        Scratch<T> scratch{std::vector<std::int32_t>(s.n_candidates),
                           std::vector<std::pair<T, std::int32_t>>(s.n_candidates)};
#pragma omp for schedule(dynamic, 64)
        for (std::int64_t i = 0; i < s.n_queries; ++i) {
            const std::int64_t query = s.order ? s.order[i] : i;
            wide ? rank_query_wide(s, query, scratch) : rank_query(s, query, scratch);
        }
    }
}

template void run(const Rank<float>&);
template void run(const Rank<double>&);

}  // namespace slk
