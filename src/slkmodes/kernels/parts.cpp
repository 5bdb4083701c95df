// Connected parts of the rows with the same label. One thread: an edge costs little more than reading it.
#include <algorithm>
#include <numeric>

#include "kernels.hpp"

namespace slk {

void run(const Parts& s) {
    // The root of a part is its first row. Every look-up halves the way to it.
    std::int64_t* above = s.parts;
    const auto root_of = [above](std::int64_t p) {
        while (above[p] != p) p = above[p] = above[above[p]];
        return p;
    };
    std::iota(above, above + s.n_rows, std::int64_t(0));
    for (std::int64_t p = 0; p < s.n_rows; ++p)
        for (std::int64_t e = s.row_starts[p]; e < s.row_starts[p + 1]; ++e) {
            const std::int64_t q = s.columns[e];
            if (s.labels[p] != s.labels[q]) continue;
            const std::int64_t a = root_of(p), b = root_of(q);
            above[std::max(a, b)] = std::min(a, b);
        }
    std::int64_t n_parts = 0;  // a root comes before all others of its part, which point to rows before them
    for (std::int64_t p = 0; p < s.n_rows; ++p) s.parts[p] = above[p] == p ? n_parts++ : s.parts[above[p]];
}

}  // namespace slk
