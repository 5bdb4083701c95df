// The k nearest rows of every query among all rows, ordered by distance, then by row number.
#include <algorithm>
#include <limits>
#include <vector>

#include "kernels.hpp"
#include "panels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

constexpr std::int64_t QUERY_BLOCK = 64;
constexpr std::int64_t TILE_BYTES = 128 * 1024;  // rows compared with a block of queries while they are in the cache

template <typename T>
struct Scratch {
    Panels<T> panels;
    std::vector<std::int32_t> places;
};

// The best k so far of one query, ascending. Rows arrive in the order of their numbers, so an equal distance that
// comes later is not better, and ties need no second look.
template <typename T>
SLK_INLINE void offer(T squared, std::int64_t row, T* best, std::int64_t* rows, std::int64_t k) {
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
SLK_INLINE void nearest_rows(const Nearest<T>& s, std::int64_t begin, std::int64_t end, Scratch<T>& scratch) {
    constexpr int QUERIES = Panels<T>::QUERIES;
    const std::int64_t d = s.n_features, row_bytes = std::max<std::int64_t>(1, d) * std::int64_t(sizeof(T));
    const std::int64_t tile = std::max<std::int64_t>(Panels<T>::ROWS, TILE_BYTES / row_bytes);
    auto& [panels, places] = scratch;
    places.resize(tile);
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
                    offer(panels.squared(q)[places[i]], first + places[i], best, rows, s.k);
            }
        }
    }
}

SLK_DISPATCH void nearest_block(const Nearest<float>& s, std::int64_t begin, std::int64_t end,
                                Scratch<float>& scratch) {
    nearest_rows(s, begin, end, scratch);
}

SLK_DISPATCH void nearest_block(const Nearest<double>& s, std::int64_t begin, std::int64_t end,
                                Scratch<double>& scratch) {
    nearest_rows(s, begin, end, scratch);
}

}  // namespace

template <typename T>
void run(const Nearest<T>& s) {
    // Fewer queries at a time where there would be too few blocks for the threads.
    const std::int64_t block_rows =
        std::max<std::int64_t>(1, std::min(QUERY_BLOCK, (s.n_queries + s.threads - 1) / s.threads));
    const std::int64_t n_blocks = (s.n_queries + block_rows - 1) / block_rows;
#pragma omp parallel num_threads(s.threads)
    {
        Scratch<T> scratch;
#pragma omp for schedule(dynamic)
        for (std::int64_t block = 0; block < n_blocks; ++block) {
            const std::int64_t begin = block * block_rows;
            nearest_block(s, begin, std::min(begin + block_rows, s.n_queries), scratch);
        }
    }
}

template void run(const Nearest<float>&);
template void run(const Nearest<double>&);

}  // namespace slk
