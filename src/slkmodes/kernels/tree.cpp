// A random-projection tree: rows in an order in which near rows are often close together.
#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels.hpp"
#include "lists.hpp"
#include "simd.hpp"

namespace slk {
namespace {

// Projections of some rows on one direction.
SLK_DISPATCH void project(const Tree& s, const float* direction, const std::int32_t* members, std::int64_t count,
                          float* values) {
    constexpr int LANES = WIDTH<float>;
    constexpr std::int64_t ROWS_AHEAD = 8;
    for (std::int64_t i = 0; i < count; ++i) {
        if (i + ROWS_AHEAD < count)
            fetch_ahead(s.points + std::int64_t(members[i + ROWS_AHEAD]) * s.n_columns, s.n_columns);
        const float* row = s.points + std::int64_t(members[i]) * s.n_columns;
        auto lanes = filled<LANES>(0.0f);
        for (std::int64_t d = 0; d < s.n_columns; d += LANES)
            lanes += load<LANES>(row + d) * load<LANES>(direction + d);
        values[i] = sum<float, LANES>(lanes);
    }
}

// Halve a node at the median of its projections, both halves in the order they had, until it is a leaf.
void split(const Tree& s, std::int32_t* members, std::int64_t count, std::uint64_t seed, std::vector<float>& values,
           std::vector<float>& sorted, std::vector<std::int32_t>& right) {
    if (count <= s.leaf_rows) return;
    std::vector<float> direction(s.n_columns);
    for (int attempt = 0; attempt < 4; ++attempt) {  // equal rows give no direction
        seed = scramble(seed + 1);
        const float* a = s.points + std::int64_t(members[seed % count]) * s.n_columns;
        const float* b = s.points + std::int64_t(members[(seed >> 32) % count]) * s.n_columns;
        bool differ = false;
        for (std::int64_t d = 0; d < s.n_columns; ++d) {
            direction[d] = a[d] - b[d];
            differ = differ || direction[d] != 0;
        }
        if (differ) break;
    }
    project(s, direction.data(), members, count, values.data());
    const std::int64_t half = count / 2;
    std::copy(values.begin(), values.begin() + count, sorted.begin());
    std::nth_element(sorted.begin(), sorted.begin() + half, sorted.begin() + count);
    const float median = sorted[half];
    std::int64_t spare = half - (std::partition(sorted.begin(), sorted.begin() + count,
                                                [&](float v) { return v < median; }) -
                                 sorted.begin());
    std::int64_t n_left = 0, n_right = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const bool goes_left = values[i] < median || (values[i] == median && spare-- > 0);
        if (goes_left)
            members[n_left++] = members[i];
        else
            right[n_right++] = members[i];
    }
    std::copy(right.begin(), right.begin() + n_right, members + n_left);
    split(s, members, n_left, scramble(seed ^ 0x9e3779b97f4a7c15ull), values, sorted, right);
    split(s, members + n_left, n_right, scramble(seed ^ 0xbf58476d1ce4e5b9ull), values, sorted, right);
}

}  // namespace

void run(const Tree& s) {
    std::iota(s.order, s.order + s.n_rows, 0);
    std::vector<float> values(s.n_rows), sorted(s.n_rows);
    std::vector<std::int32_t> right(s.n_rows);
    split(s, s.order, s.n_rows, scramble(0), values, sorted, right);
}

}  // namespace slk
