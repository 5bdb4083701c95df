// Which rows shall be compared next: for every row the rows it lists and the rows that list it, the fresh ones first.
#include <algorithm>
#include <vector>

#include "kernels.hpp"
#include "lists.hpp"

namespace slk {
namespace {

// Which rows are in a group already: a table with room to spare, where each is soon found.
class Members {
  public:
    explicit Members(std::int64_t most) {
        while (std::int64_t(1) << (32 - shift_) < 2 * most) --shift_;
        rows_.resize(std::size_t(1) << (32 - shift_));
    }
    void clear() { std::fill(rows_.begin(), rows_.end(), -1); }
    bool take_in(std::int32_t row) {  // false if it is there
        std::uint32_t place = std::uint32_t(row) * 0x9e3779b1u >> shift_;
        for (; rows_[place] >= 0; place = (place + 1) & (rows_.size() - 1))
            if (rows_[place] == row) return false;
        rows_[place] = row;
        return true;
    }

  private:
    int shift_ = 31;
    std::vector<std::int32_t> rows_;
};

struct Edges {  // row -> rows that list it, as one array
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> sources;
};

// Turn the chosen entries around; the first `width` sources of a row are a fair sample of them, chosen by a number that
// is as good as random. Every thread reads all entries and keeps those that name a row of its own: so sources come in
// the order of their numbers, without locks.
Edges reversed(const std::vector<std::int32_t>& chosen, std::int64_t n_rows, std::int64_t width, std::uint64_t seed,
               int threads) {
    Edges edges{std::vector<std::int64_t>(n_rows + 1, 0), {}};
    const auto each_part = [&](auto work) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int part = 0; part < threads; ++part) work(n_rows * part / threads, n_rows * (part + 1) / threads);
    };
    const auto each_entry = [&](std::int64_t begin, std::int64_t end, auto use) {
        for (std::int64_t row = 0; row < n_rows; ++row)
            for (std::int64_t i = row * width; i < (row + 1) * width && chosen[i] >= 0; ++i)
                if (chosen[i] >= begin && chosen[i] < end) use(std::int32_t(row), chosen[i]);
    };
    each_part([&](std::int64_t begin, std::int64_t end) {
        each_entry(begin, end, [&](std::int32_t, std::int32_t listed) { ++edges.starts[listed + 1]; });
    });
    for (std::int64_t row = 0; row < n_rows; ++row) edges.starts[row + 1] += edges.starts[row];
    edges.sources.resize(edges.starts[n_rows]);
    std::vector<std::int64_t> next(edges.starts.begin(), edges.starts.end() - 1);
    each_part([&](std::int64_t begin, std::int64_t end) {
        each_entry(begin, end, [&](std::int32_t row, std::int32_t listed) { edges.sources[next[listed]++] = row; });
        std::vector<std::uint64_t> keys;  // the chance of each source, and its number
        for (std::int64_t row = begin; row < end; ++row) {
            std::int32_t* const sources = edges.sources.data() + edges.starts[row];
            const std::int64_t n_sources = edges.starts[row + 1] - edges.starts[row];
            if (n_sources <= width) continue;
            keys.resize(n_sources);
            for (std::int64_t i = 0; i < n_sources; ++i)
                keys[i] = scramble(seed ^ std::uint64_t(sources[i])) >> 32 << 32 | std::uint64_t(sources[i]);
            std::nth_element(keys.begin(), keys.begin() + width, keys.end());
            for (std::int64_t i = 0; i < width; ++i) sources[i] = std::int32_t(keys[i]);
            std::sort(sources, sources + width);
        }
    });
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
#pragma omp parallel num_threads(s.threads)
    {
        Members members(4 * most);
#pragma omp for schedule(static)
        for (std::int64_t row = 0; row < n; ++row) {
            std::int32_t* group = s.members + row * 4 * most;
            std::int64_t count = 0;
            members.clear();
            const auto add = [&](std::int32_t member) {
                if (members.take_in(member)) group[count++] = member;
            };
            const auto add_listed = [&](const std::vector<std::int32_t>& chosen) {
                for (std::int64_t i = row * most; i < (row + 1) * most && chosen[i] >= 0; ++i) add(chosen[i]);
            };
            const auto add_sources = [&](const Edges& edges) {
                const std::int64_t start = edges.starts[row];
                const std::int64_t n_sources = std::min(edges.starts[row + 1] - start, most);
                for (std::int64_t i = 0; i < n_sources; ++i) add(edges.sources[start + i]);
            };
            add_listed(fresh);
            add_sources(fresh_from);
            s.n_fresh[row] = std::int32_t(count);
            if (count) {
                add_listed(old);
                add_sources(old_from);
            }
            s.n_members[row] = std::int32_t(count);
        }
    }
}

}  // namespace slk
