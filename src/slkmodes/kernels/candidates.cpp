// Which rows shall be compared next: for every row the rows it lists and the rows that list it, the fresh ones first.
#include <algorithm>
#include <vector>

#include "kernels.hpp"
#include "lists.hpp"

namespace slk {
namespace {

struct Edges {  // row -> rows that list it, as one array
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> sources;
};

// Turn the chosen entries around. Threads fill a row's sources in any order, so they are sorted afterwards, by a
// number that is as good as random: the first few are then a fair sample.
Edges reversed(const std::vector<std::int32_t>& chosen, std::int64_t n_rows, std::int64_t width, std::uint64_t seed,
               int threads) {
    Edges edges{std::vector<std::int64_t>(n_rows + 1, 0), {}};
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t i = 0; i < n_rows * width; ++i)
        if (chosen[i] >= 0) __atomic_fetch_add(&edges.starts[chosen[i] + 1], 1, __ATOMIC_RELAXED);
    for (std::int64_t row = 0; row < n_rows; ++row) edges.starts[row + 1] += edges.starts[row];
    edges.sources.resize(edges.starts[n_rows]);
    std::vector<std::int64_t> next(edges.starts.begin(), edges.starts.end() - 1);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (std::int64_t row = 0; row < n_rows; ++row)
            for (std::int64_t i = row * width; i < (row + 1) * width; ++i)
                if (chosen[i] >= 0)
                    edges.sources[__atomic_fetch_add(&next[chosen[i]], 1, __ATOMIC_RELAXED)] = std::int32_t(row);
#pragma omp for schedule(static)
        for (std::int64_t row = 0; row < n_rows; ++row) {
            const auto key = [&](std::int32_t source) { return scramble(seed ^ std::uint64_t(source)); };
            std::sort(edges.sources.begin() + edges.starts[row], edges.sources.begin() + edges.starts[row + 1],
                      [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
        }
    }
    return edges;
}

}  // namespace

void run(const Candidates& s) {
    const std::int64_t n = s.lists.n_rows, most = s.most;
    std::vector<std::int32_t> fresh(n * most, -1), old(n * most, -1);
#pragma omp parallel for schedule(static) num_threads(s.threads)
    for (std::int64_t row = 0; row < n; ++row) {
        std::int64_t n_fresh = 0, n_old = 0;
        for (std::int64_t i = row * s.lists.width; i < (row + 1) * s.lists.width; ++i) {
            if (s.lists.rows[i] < 0) break;
            if (s.lists.fresh[i] && n_fresh < most) {
                fresh[row * most + n_fresh++] = s.lists.rows[i];
                s.lists.fresh[i] = 0;  // this time it is looked at
            } else if (!s.lists.fresh[i] && n_old < most) {
                old[row * most + n_old++] = s.lists.rows[i];
            }
        }
    }
    const Edges fresh_from = reversed(fresh, n, most, s.seed, s.threads);
    const Edges old_from = reversed(old, n, most, s.seed, s.threads);
#pragma omp parallel for schedule(static) num_threads(s.threads)
    for (std::int64_t row = 0; row < n; ++row) {
        std::int32_t* group = s.members + row * 4 * most;
        std::int64_t count = 0;
        const auto add = [&](std::int32_t member) {
            if (member >= 0 && std::find(group, group + count, member) == group + count) group[count++] = member;
        };
        const auto add_sources = [&](const Edges& edges) {
            const std::int64_t start = edges.starts[row];
            const std::int64_t n_sources = std::min(edges.starts[row + 1] - start, most);
            for (std::int64_t i = 0; i < n_sources; ++i) add(edges.sources[start + i]);
        };
        for (std::int64_t i = 0; i < most; ++i) add(fresh[row * most + i]);
        add_sources(fresh_from);
        s.n_fresh[row] = std::int32_t(count);
        if (count) {
            for (std::int64_t i = 0; i < most; ++i) add(old[row * most + i]);
            add_sources(old_from);
        }
        s.n_members[row] = std::int32_t(count);
    }
}

}  // namespace slk
