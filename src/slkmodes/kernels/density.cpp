// Weighted kernel sums at some rows: how dense a cluster is there.
#include <algorithm>
#include <vector>

#include "kernels.hpp"
#include "panels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

constexpr std::int64_t MOST_CANDIDATES = 64;  // compared with the same references while these are in the cache

// Some candidates against all references, in their order.
template <typename T>
SLK_INLINE void sums_of(const Density<T>& s, std::int64_t begin, std::int64_t end, Panels<T>& panels) {
    constexpr int QUERIES = Panels<T>::QUERIES, LANES = WIDTH<T>;
    const std::int64_t d = s.n_features, tile = Panels<T>::rows_in_cache(d);
    std::fill(s.sums + begin, s.sums + end, 0.0);
    for (std::int64_t first = 0; first < s.n_references; first += tile) {
        const std::int64_t count = std::min(tile, s.n_references - first);
        panels.fill(count, d, [&](std::int64_t i) SLK_INLINED { return s.answering + s.references[first + i] * d; });
        for (std::int64_t p = begin; p < end; p += QUERIES) {
            panels.measure([&](int q) SLK_INLINED { return s.rows + s.candidates[std::min(p + q, end - 1)] * d; });
            for (int q = 0; q < QUERIES && p + q < end; ++q) {
                T* squared = panels.squared(q);
                for (std::int64_t i = 0; i < panels.padded(); i += LANES)
                    store<LANES>(squared + i, exp_nonpositive<T, LANES>(load<LANES>(squared + i) * T(-s.gamma)));
                for (std::int64_t i = 0; i < count; ++i) s.sums[p + q] += s.weights[first + i] * double(squared[i]);
            }
        }
    }
}

SLK_DISPATCH void density_block(const Density<float>& s, std::int64_t begin, std::int64_t end, Panels<float>& panels) {
    sums_of(s, begin, end, panels);
}

SLK_DISPATCH void density_block(const Density<double>& s, std::int64_t begin, std::int64_t end,
                                Panels<double>& panels) {
    sums_of(s, begin, end, panels);
}

}  // namespace

template <typename T>
void run(const Density<T>& s) {
    for_each_block<T>(s.n_candidates, MOST_CANDIDATES, s.threads,
                      [&](std::int64_t begin, std::int64_t end, Panels<T>& own) { density_block(s, begin, end, own); });
}

template void run(const Density<float>&);
template void run(const Density<double>&);

}  // namespace slk
