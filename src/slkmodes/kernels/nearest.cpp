// The k nearest rows of every query among all rows, ordered by distance, then by row number.
#include <algorithm>
#include <limits>
#include <vector>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

constexpr std::int64_t QUERY_BLOCK = 16;
constexpr std::int64_t TILE_BYTES = 128 * 1024;  // rows compared with a block of queries while they are in the cache

// The best k so far of one query, ascending. Rows arrive in the order of their numbers, so an equal distance that
// comes later is not better, and ties need no second look.
template <typename T>
SLK_INLINE void offer(double squared, std::int64_t row, T* best, std::int64_t* rows, std::int64_t k) {
    if (!(T(squared) < best[k - 1])) return;
    std::int64_t place = k - 1;
    for (; place > 0 && T(squared) < best[place - 1]; --place) {
        best[place] = best[place - 1];
        rows[place] = rows[place - 1];
    }
    best[place] = T(squared);
    rows[place] = row;
}

template <typename T>
SLK_INLINE void nearest_rows(const Nearest<T>& s, std::int64_t begin, std::int64_t end) {
    const std::int64_t d = s.n_features;
    const std::int64_t tile =
        std::max<std::int64_t>(BATCH, TILE_BYTES / std::int64_t(sizeof(T)) / std::max<std::int64_t>(1, d));
    std::fill(s.squared + begin * s.k, s.squared + end * s.k, std::numeric_limits<T>::infinity());
    std::fill(s.indices + begin * s.k, s.indices + end * s.k, std::int64_t(-1));
    const auto offer_to = [&](std::int64_t query, std::int64_t row, double squared) {
        offer(squared, row, s.squared + query * s.k, s.indices + query * s.k, s.k);
    };
    for (std::int64_t first = 0; first < s.n_rows; first += tile) {
        const std::int64_t last = std::min(first + tile, s.n_rows);
        const std::int64_t whole = first + (last - first) / BATCH * BATCH;
        std::int64_t p = begin;
        for (; p + BATCH <= end; p += BATCH)
            for (std::int64_t r = first; r < whole; r += BATCH) {
                double squared[BATCH][BATCH];
                batch_distances(s.queries + p * d, s.rows + r * d, d, squared);
                for (int j = 0; j < BATCH; ++j)
                    for (int i = 0; i < BATCH; ++i) offer_to(p + j, r + i, squared[j][i]);
            }
        // What fills no batch: the last rows for every query, and every row for the last queries.
        for (std::int64_t q = begin; q < end; ++q)
            for (std::int64_t r = q < p ? whole : first; r < last; ++r)
                offer_to(q, r, squared_distance(s.queries + q * d, s.rows + r * d, d));
    }
}

SLK_DISPATCH void nearest_block(const Nearest<float>& s, std::int64_t begin, std::int64_t end) {
    nearest_rows(s, begin, end);
}

SLK_DISPATCH void nearest_block(const Nearest<double>& s, std::int64_t begin, std::int64_t end) {
    nearest_rows(s, begin, end);
}

}  // namespace

template <typename T>
void run(const Nearest<T>& s) {
    const std::int64_t n_blocks = (s.n_queries + QUERY_BLOCK - 1) / QUERY_BLOCK;
#pragma omp parallel for schedule(dynamic) num_threads(s.threads)
    for (std::int64_t block = 0; block < n_blocks; ++block) {
        const std::int64_t begin = block * QUERY_BLOCK;
        nearest_block(s, begin, std::min(begin + QUERY_BLOCK, s.n_queries));
    }
}

template void run(const Nearest<float>&);
template void run(const Nearest<double>&);

}  // namespace slk
