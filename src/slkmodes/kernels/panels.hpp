// Distances of a few queries to many rows: these lie column by column, a panel of them at a time, so that each lane of
// a vector belongs to one of them and no sum has to be folded.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "simd.hpp"

namespace slk {

template <typename T>
class Panels {
  public:
    static constexpr int LANES = WIDTH<T>, VECTORS = 2, ROWS = LANES * VECTORS;  // of a panel
    static constexpr int QUERIES = 4;  // compared with a panel at a time: as many sums as registers hold

    // As many rows as stay in the cache while queries are compared with them.
    static std::int64_t rows_in_cache(std::int64_t n_features) {
        constexpr std::int64_t BYTES = 128 * 1024;
        const std::int64_t panel_bytes = ROWS * std::max<std::int64_t>(1, n_features) * std::int64_t(sizeof(T));
        return std::max<std::int64_t>(1, BYTES / panel_bytes) * ROWS;
    }

    // Copy so many rows in; the last is repeated until the panel is full.
    template <typename RowAt>
    SLK_INLINE void fill(std::int64_t n_rows, std::int64_t n_features, RowAt row_at) {
        constexpr std::int64_t ROWS_AHEAD = 4;
        n_rows_ = n_rows;
        n_features_ = n_features;
        padded_ = (n_rows + ROWS - 1) / ROWS * ROWS;
        values_.resize(padded_ * n_features);
        squared_.resize(QUERIES * padded_);
        for (std::int64_t i = 0; i < padded_; ++i) {
            if (i + ROWS_AHEAD < n_rows) fetch_ahead(row_at(i + ROWS_AHEAD), n_features);
            const T* row = row_at(std::min(i, n_rows - 1));
            T* to = values_.data() + i / ROWS * ROWS * n_features + i % ROWS;
            for (std::int64_t d = 0; d < n_features; ++d) to[d * ROWS] = row[d];
        }
    }

    std::int64_t padded() const { return padded_; }
    T* squared(int query) { return squared_.data() + query * padded_; }
    const T* squared(int query) const { return squared_.data() + query * padded_; }

    // Squared distances of a few queries to the rows from the panel of `begin` on.
    template <typename QueryAt>
    SLK_INLINE void measure(QueryAt query_at, std::int64_t begin = 0) {
        const T* queries[QUERIES];
        for (int q = 0; q < QUERIES; ++q) queries[q] = query_at(q);
        if (has_wide_registers())
            measure_wide(queries, begin / ROWS * ROWS);
        else
            measure_panels<LANES, VECTORS>(queries, begin / ROWS * ROWS);
    }

    // Add twice the product of what a query and each row are lifted by. The products are exact in double, so it does
    // not matter who computes them.
    SLK_INLINE void lift(int query, double own, const T* others, std::int64_t begin = 0) {
        T* squared = this->squared(query);
        for (std::int64_t i = begin; i < padded_; ++i) squared[i] = T(double(squared[i]) + 2 * own * double(others[i]));
    }

    // The smallest distance measured.
    SLK_INLINE T lowest(int query) const {
        const T* squared = this->squared(query);
        auto least = load<LANES>(squared);
        for (std::int64_t i = LANES; i < padded_; i += LANES) {
            const auto here = load<LANES>(squared + i);
            least = here < least ? here : least;
        }
        return fold<T, LANES>(least, [](const auto& a, const auto& b) { return a < b ? a : b; });
    }

    // A distance that at least `count` of the rows measured stay within, and not many more: of the smallest in each
    // lane of some vectors `count` do. Halving an interval needs no branch, which would often be guessed wrong.
    SLK_INLINE T limit_for(int query, std::int64_t count) const {
        constexpr int GROUPS = 8, HALVINGS = 10;
        const T* squared = this->squared(query);
        const std::int64_t step = GROUPS * LANES, whole = n_rows_ / step * step;
        if (whole < 2 * step || count > step) return std::numeric_limits<T>::infinity();
        Vector<T, LANES> least[GROUPS];
        for (int g = 0; g < GROUPS; ++g) least[g] = load<LANES>(squared + g * LANES);
        for (std::int64_t i = step; i < whole; i += step)
            for (int g = 0; g < GROUPS; ++g) {
                const auto here = load<LANES>(squared + i + g * LANES);
                least[g] = here < least[g] ? here : least[g];
            }
        auto lowest = least[0], highest = least[0];
        for (const auto& here : least) {
            lowest = here < lowest ? here : lowest;
            highest = here > highest ? here : highest;
        }
        T low = fold<T, LANES>(lowest, [](const auto& a, const auto& b) { return a < b ? a : b; });
        T high = fold<T, LANES>(highest, [](const auto& a, const auto& b) { return a > b ? a : b; });
        for (int i = 0; i < HALVINGS; ++i) {
            const T middle = (low + high) / 2;
            decltype(lowest <= middle) within{};
            for (const auto& here : least) within -= here <= middle;
            std::int64_t n_within = 0;
            for (int lane = 0; lane < LANES; ++lane) n_within += within[lane];
            (n_within < count ? low : high) = middle;
        }
        return high;
    }

    // The places of the rows from `begin` on that are not beyond the limit of the query or, where `limits` are given,
    // their own; in their order. Returns how many they are.
    SLK_INLINE std::int64_t within(int query, std::int64_t begin, T limit, const T* limits,
                                   std::int32_t* places) const {
        const T* squared = this->squared(query);
        std::int64_t count = 0;
        for (std::int64_t first = begin / ROWS * ROWS; first < n_rows_; first += ROWS) {
            decltype(load<LANES>(squared) <= limit) hits{};
            for (int v = 0; v < VECTORS; ++v) {
                const auto here = load<LANES>(squared + first + v * LANES);
                hits |= here <= limit;
                if (limits) hits |= here <= load<LANES>(limits + first + v * LANES);
            }
            std::uint64_t words[sizeof hits / 8], any = 0;
            std::memcpy(words, &hits, sizeof hits);
            for (const std::uint64_t word : words) any |= word;
            if (!any) continue;
            const std::int64_t last = std::min(first + ROWS, n_rows_);
            for (std::int64_t i = std::max(first, begin); i < last; ++i) {  // no branch here either
                places[count] = std::int32_t(i);
                count += (squared[i] <= limit) | (limits && squared[i] <= limits[i]);
            }
        }
        return count;
    }

  private:
    // As many panels at a time as VECTORS hold; returns where there are too few left. Every lane is a sum of its own:
    // how many of them a vector has changes no bit. Sums of many features are formed some at a time: long ones of small
    // terms lose too much.
    template <int LANES, int VECTORS>
    SLK_INLINE std::int64_t measure_panels(const T* const (&queries)[QUERIES], std::int64_t first) {
        constexpr std::int64_t FEATURES_AT_A_TIME = 128;
        constexpr int OF_A_PANEL = ROWS / LANES, PANELS = VECTORS / OF_A_PANEL;
        for (; first + PANELS * ROWS <= padded_; first += PANELS * ROWS) {
            const T* panels = values_.data() + first * n_features_;
            Vector<T, LANES> totals[QUERIES][VECTORS] = {};
            for (std::int64_t from = 0; from < n_features_; from += FEATURES_AT_A_TIME) {
                const std::int64_t to = std::min(from + FEATURES_AT_A_TIME, n_features_);
                Vector<T, LANES> sums[QUERIES][VECTORS] = {};
                for (std::int64_t d = from; d < to; ++d)
                    for (int v = 0; v < VECTORS; ++v) {
                        const T* column = panels + (v / OF_A_PANEL * n_features_ + d) * ROWS + v % OF_A_PANEL * LANES;
                        for (int q = 0; q < QUERIES; ++q) {
                            const auto difference = load<LANES>(column) - queries[q][d];
                            sums[q][v] += difference * difference;
                        }
                    }
                for (int q = 0; q < QUERIES; ++q)
                    for (int v = 0; v < VECTORS; ++v) totals[q][v] += sums[q][v];
            }
            for (int q = 0; q < QUERIES; ++q)
                for (int v = 0; v < VECTORS; ++v)
                    store<LANES>(squared(q) + first + v * LANES, totals[q][v]);
        }
        return first;
    }

    SLK_WIDE void measure_wide(const T* const (&queries)[QUERIES], std::int64_t first) {
        measure_panels<2 * LANES, 1>(queries, measure_panels<2 * LANES, 2>(queries, first));
    }

    std::int64_t n_rows_ = 0, n_features_ = 0, padded_ = 0;
    std::vector<T> values_, squared_;
};

// Blocks of so many queries at most, fewer where there would be too few blocks for the threads, each of which has
// panels.
template <typename T, typename Work>
void for_each_block(std::int64_t n_queries, std::int64_t most, int threads, Work work) {
    const std::int64_t size = std::max<std::int64_t>(1, std::min(most, (n_queries + threads - 1) / threads));
#pragma omp parallel num_threads(threads)
    {
        Panels<T> own;
#pragma omp for schedule(dynamic)
        for (std::int64_t begin = 0; begin < n_queries; begin += size)
            work(begin, std::min(begin + size, n_queries), own);
    }
}

}  // namespace slk
