// Candidates for new points: walk over the graph of neighbours towards each, keeping the best few seen.
#include <algorithm>
#include <limits>
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
    // Look at rows, each once; returns the best place that one of them took.
    const auto meet = [&](const std::int32_t* rows, std::int64_t count) SLK_INLINED {
        t.fresh.clear();
        for (std::int64_t i = 0; i < count && rows[i] >= 0; ++i) {
            if (t.visits[rows[i]] == t.query) continue;
            t.visits[rows[i]] = t.query;
            t.fresh.push_back(rows[i]);
            fetch_ahead(s.points + std::int64_t(rows[i]) * s.n_columns, s.n_columns / 2);
        }
        std::size_t nearest = most;
        const auto limit = [&] { return t.best.size() < most ? std::numeric_limits<float>::infinity() : t.best.back().squared; };
        each_distance(own, s.points, s.n_columns, t.fresh.data(), std::int64_t(t.fresh.size()), limit,
                      [&](std::int32_t row, double squared) {
                          nearest = std::min(nearest, keep(t.best, most, float(squared), row));
                      });
        return nearest;
    };
    t.best.clear();
    if (++t.query == 0) {  // wrapped around
        std::fill(t.visits.begin(), t.visits.end(), 0);
        t.query = 1;
    }
    if (s.absent) t.visits[s.absent[query]] = t.query;
    meet(s.starts + query * s.n_starts, s.n_starts);
    std::size_t next = 0;
    while (next < t.best.size()) {
        if (t.best[next].done) {
            ++next;
            continue;
        }
        t.best[next].done = true;
        const std::size_t nearest = meet(s.links + std::int64_t(t.best[next].row) * s.n_links, s.n_links);
        next = std::min(next + 1, nearest);  // go on from the nearest that is new
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
        traveller.fresh.reserve(std::max(s.n_links, s.n_starts));
#pragma omp for schedule(dynamic, 16)
        for (std::int64_t i = 0; i < s.n_queries; ++i) travel(s, s.order[i], traveller);
    }
}

}  // namespace slk
