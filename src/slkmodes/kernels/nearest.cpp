// The k nearest rows of every query among all rows, ordered by distance, then by row number.
#include <algorithm>
#include <limits>
#include <vector>

#include "kernels.hpp"
#include "panels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

constexpr std::int64_t QUERY_BLOCK = 256;

// The best k so far of one query, ascending. Rows arrive in the order of their numbers, so an equal distance that
// comes later is not better, and ties need no second look.
template <typename T>
SLK_INLINE void insert(T squared, std::int64_t row, T* best, std::int64_t* rows, std::int64_t k) {
    if (!(squared < best[k - 1])) return;
    std::int64_t place = k - 1;
    for (; place > 0 && squared < best[place - 1]; --place) {
        best[place] = best[place - 1];
        rows[place] = rows[place - 1];
    }
    best[place] = squared;
    rows[place] = row;
}

template <typename T>
SLK_INLINE void nearest_rows(const Nearest<T>& s, std::int64_t begin, std::int64_t end, Panels<T>& panels) {
    constexpr int QUERIES = Panels<T>::QUERIES;
    const std::int64_t d = s.n_features, tile = Panels<T>::rows_in_cache(d);
    std::vector<std::int32_t> places(tile);
    std::fill(s.squared + begin * s.k, s.squared + end * s.k, std::numeric_limits<T>::infinity());
    std::fill(s.indices + begin * s.k, s.indices + end * s.k, std::int64_t(-1));
    for (std::int64_t first = 0; first < s.n_rows; first += tile) {
        const auto row_at = [&](std::int64_t i) SLK_INLINED { return s.rows + (first + i) * d; };
        panels.fill(std::min(tile, s.n_rows - first), d, row_at);
        for (std::int64_t p = begin; p < end; p += QUERIES) {
            panels.measure([&](int q) SLK_INLINED { return s.queries + std::min(p + q, end - 1) * d; });
            for (int q = 0; q < QUERIES && p + q < end; ++q) {
                T* best = s.squared + (p + q) * s.k;
                std::int64_t* rows = s.indices + (p + q) * s.k;
                const T limit = s.k == 1 ? panels.lowest(q) : first ? best[s.k - 1] : panels.limit_for(q, s.k);
                const std::int64_t count = panels.within(q, 0, limit, nullptr, places.data());
                for (std::int64_t i = 0; i < count; ++i)
                    insert(panels.squared(q)[places[i]], first + places[i], best, rows, s.k);
            }
        }
    }
}

SLK_DISPATCH void nearest_block(const Nearest<float>& s, std::int64_t begin, std::int64_t end, Panels<float>& panels) {
    nearest_rows(s, begin, end, panels);
}

SLK_DISPATCH void nearest_block(const Nearest<double>& s, std::int64_t begin, std::int64_t end,
                                Panels<double>& panels) {
    nearest_rows(s, begin, end, panels);
}

}  // namespace

template <typename T>
void run(const Nearest<T>& s) {
    for_each_block<T>(s.n_queries, QUERY_BLOCK, s.threads,
                      [&](std::int64_t begin, std::int64_t end, Panels<T>& own) { nearest_block(s, begin, end, own); });
}

template void run(const Nearest<float>&);
template void run(const Nearest<double>&);

}  // namespace slk
