// Candidates for new points: walk over the graph of neighbours towards each, keeping the best few seen.
#include <algorithm>
#include <vector>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

struct Seen {
    float squared;
    std::int32_t row;
    bool done;  // its neighbours have been looked at
};

struct Traveller {
    std::vector<Seen> best;             // ascending
    std::vector<std::uint32_t> visits;  // the last query that met each row
    std::vector<std::int32_t> fresh;    // rows met for the first time
    std::uint32_t query = 0;
};

// Put a row in its place among the best; returns the place, or the end where it is not good enough.
SLK_INLINE std::size_t keep(std::vector<Seen>& best, std::size_t most, float squared, std::int32_t row) {
    if (best.size() == most && !(squared < best.back().squared)) return most;
    if (best.size() < most) best.push_back({});
    std::size_t place = best.size() - 1;
    for (; place > 0 && squared < best[place - 1].squared; --place) best[place] = best[place - 1];
    best[place] = {squared, row, false};
    return place;
}

SLK_DISPATCH void travel(const Walk& s, std::int64_t query, Traveller& t) {
    const float* own = s.queries + query * s.n_columns;
    const auto most = std::size_t(s.n_kept);
    std::uint32_t* const visits = t.visits.data();
    std::int32_t* const fresh = t.fresh.data();
    if (++t.query == 0) {  // wrapped around
        std::fill(t.visits.begin(), t.visits.end(), 0);
        t.query = 1;
    }
    const std::uint32_t now = t.query;
    std::int64_t n_fresh = 0;
    // Rows to look at, each once. No branch on whether it was met: half of them were.
    const auto collect = [&](const std::int32_t* rows, std::int64_t count) SLK_INLINED {
        for (std::int64_t i = 0; i < count && rows[i] >= 0; ++i) {
            fresh[n_fresh] = rows[i];
            n_fresh += visits[rows[i]] != now;
            visits[rows[i]] = now;
        }
    };
    // Look at them; returns the best place that one of them took.
    const auto meet = [&]() SLK_INLINED {
        for (std::int64_t i = 0; i < n_fresh; ++i)
            fetch_ahead(s.points + std::int64_t(fresh[i]) * s.n_columns, s.n_columns);
        std::size_t nearest = most;
        each_distance(own, s.points, s.n_columns, fresh, n_fresh, [&](std::int32_t row, double squared) SLK_INLINED {
            nearest = std::min(nearest, keep(t.best, most, float(squared), row));
        });
        n_fresh = 0;
        return nearest;
    };
    const auto links_of = [&](const Seen& seen) SLK_INLINED { return s.links + std::int64_t(seen.row) * s.n_links; };
    t.best.clear();
    if (s.absent) visits[s.absent[query]] = now;
    collect(s.starts + query * s.n_starts, s.n_starts);
    meet();
    for (std::size_t place = 0; place < t.best.size();) {
        if (t.best[place].done) {
            ++place;
            continue;
        }
        t.best[place].done = true;
        if (place + 1 < t.best.size()) fetch_ahead(links_of(t.best[place + 1]), s.n_links);  // likely the next
        collect(links_of(t.best[place]), s.n_links);
        place = std::min(place + 1, meet());  // go on from the nearest that is new
    }
    for (std::int64_t i = 0; i < s.n_kept; ++i)
        s.found[query * s.n_kept + i] = i < std::int64_t(t.best.size()) ? t.best[i].row : -1;
}

}  // namespace

void run(const Walk& s) {
#pragma omp parallel num_threads(s.threads)
    {
        Traveller traveller;
        traveller.best.reserve(s.n_kept + 1);
        traveller.visits.assign(s.n_rows, 0);
        traveller.fresh.resize(std::max(s.n_links, s.n_starts) + 1);
#pragma omp for schedule(dynamic, 256)
        for (std::int64_t i = 0; i < s.n_queries; ++i) travel(s, s.order[i], traveller);
    }
}

}  // namespace slk
