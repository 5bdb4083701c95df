// Candidates for new points: walk over the graph of neighbours towards each, keeping the best few seen.
#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

// A row that was met, as one number that grows with its distance: the bits of the distance, then the row, then whether
// its links were followed.
using Key = std::uint64_t;
constexpr Key NOBODY = ~Key(0), FOLLOWED = 1;

template <typename Squared>
SLK_INLINE Key key_of(Squared squared, std::int32_t row) {
    std::uint32_t bits;  // in the order of the numbers, as these are not negative
    static_assert(sizeof bits == sizeof squared);
    std::memcpy(&bits, &squared, sizeof bits);
    return Key(bits) << 32 | Key(row) << 1;
}

SLK_INLINE std::int32_t row_of(Key key) { return std::int32_t(std::uint32_t(key) >> 1); }

// The nearest rows met, in ascending order. A newcomer moves all that are farther by one place without a branch: where
// it belongs could not be guessed.
class Best {
  public:
    explicit Best(std::int64_t most)
        : most_(most), padded_((most + LANES - 1) / LANES * LANES), keys_(LANES + padded_) {}

    SLK_INLINE void clear() { std::fill(keys_.begin() + LANES, keys_.end(), NOBODY); }
    SLK_INLINE Key& operator[](std::int64_t place) { return keys_[LANES + place]; }
    SLK_INLINE bool has(std::int64_t place) { return place < most_ && (*this)[place] != NOBODY; }
    SLK_INLINE bool takes(Key key) { return key < (*this)[most_ - 1]; }

    SLK_INLINE void insert(Key key) {
        const auto own = filled<LANES>(key);
        Key* const keys = keys_.data() + LANES;  // what lies before is 0
        for (std::int64_t i = padded_ - LANES; i >= 0; i -= LANES) {
            const auto here = load<LANES>(keys + i), before = load<LANES>(keys + i - 1);
            const auto moved = before > own ? before : own;
            store<LANES>(keys + i, here < moved ? here : moved);
        }
    }

    SLK_INLINE std::int64_t place_of(Key key) {
        std::int64_t place = 0;
        for (std::int64_t i = 0; i < padded_; ++i) place += (*this)[i] < key;
        return place;
    }

  private:
    static constexpr int LANES = WIDTH<Key>;
    std::int64_t most_, padded_;
    std::vector<Key> keys_;
};

struct Traveller {
    Best best;
    std::vector<std::uint32_t> visits;  // the last query that met each row
    std::vector<std::int32_t> fresh;    // rows met for the first time
    std::uint32_t query = 0;
};

template <typename Take>
SLK_INLINE void each_squared(const Walk<float>& s, const float* own, const std::int32_t* rows, std::int64_t count,
                             Take take) {
    each_distance(own, s.points, s.n_columns, rows, count,
                  [&](std::int32_t row, double squared) SLK_INLINED { take(row, float(squared)); });
}

template <typename Take>
SLK_INLINE void each_squared(const Walk<std::int16_t>& s, const std::int16_t* own, const std::int32_t* rows,
                             std::int64_t count, Take take) {
    for (std::int64_t i = 0; i < count; ++i)
        take(rows[i], squared_distance(own, s.points + rows[i] * s.n_columns, s.n_columns));
}

template <typename P>
SLK_INLINE void walk_towards(const Walk<P>& s, std::int64_t query, Traveller& t) {
    const P* own = s.queries + query * s.n_columns;
    Best& best = t.best;
    std::uint32_t* const visits = t.visits.data();
    std::int32_t* const fresh = t.fresh.data();
    if (++t.query == 0) {  // wrapped around
        std::fill(t.visits.begin(), t.visits.end(), 0);
        t.query = 1;
    }
    const std::uint32_t now = t.query;
    // Look at rows, each once; returns the nearest that was kept. No branch on whether one was met: half of them were.
    const auto meet = [&](const std::int32_t* rows, std::int64_t count) SLK_INLINED {
        std::int64_t n_fresh = 0;
        for (std::int64_t i = 0; i < count && rows[i] >= 0; ++i) {
            const std::int32_t row = rows[i];
            fresh[n_fresh] = row;
            n_fresh += visits[row] != now;
            visits[row] = now;
        }
        for (std::int64_t i = 0; i < n_fresh; ++i)
            fetch_ahead(s.points + std::int64_t(fresh[i]) * s.n_columns, s.n_columns);
        Key first = NOBODY;
        each_squared(s, own, fresh, n_fresh, [&](std::int32_t row, auto squared) SLK_INLINED {
            const Key key = key_of(squared, row);
            if (!best.takes(key)) return;
            best.insert(key);
            first = std::min(first, key);
        });
        return first;
    };
    const auto links_of = [&](Key key) SLK_INLINED { return s.links + std::int64_t(row_of(key)) * s.n_links; };
    best.clear();
    if (s.absent) visits[s.absent[query]] = now;
    meet(s.starts + query * s.n_starts, s.n_starts);
    for (std::int64_t place = 0; best.has(place);) {
        if (best[place] & FOLLOWED) {
            ++place;
            continue;
        }
        best[place] |= FOLLOWED;
        if (best.has(place + 1)) fetch_ahead(links_of(best[place + 1]), s.n_links);  // likely the next
        const Key first = meet(links_of(best[place]), s.n_links);
        ++place;
        if (first != NOBODY) place = std::min(place, best.place_of(first));  // go on from the nearest that is new
    }
    for (std::int64_t i = 0; i < s.n_kept; ++i)
        s.found[query * s.n_kept + i] = best.has(i) ? s.numbers[row_of(best[i])] : -1;
}

SLK_DISPATCH void travel(const Walk<float>& s, std::int64_t query, Traveller& t) { walk_towards(s, query, t); }

SLK_DISPATCH void travel(const Walk<std::int16_t>& s, std::int64_t query, Traveller& t) { walk_towards(s, query, t); }

}  // namespace

template <typename P>
void run(const Walk<P>& s) {
#pragma omp parallel num_threads(s.threads)
    {
        Traveller traveller{Best(s.n_kept), std::vector<std::uint32_t>(s.n_rows),
                            std::vector<std::int32_t>(std::max(s.n_links, s.n_starts) + 1)};
#pragma omp for schedule(dynamic, 64)
        for (std::int64_t i = 0; i < s.n_queries; ++i) travel(s, s.order[i], traveller);
    }
}

template void run(const Walk<float>&);
template void run(const Walk<std::int16_t>&);

}  // namespace slk
