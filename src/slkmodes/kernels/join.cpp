// Compare the members of groups with each other and offer each to the other's list: the rows of a cell, or the
// neighbours of a row, which are likely neighbours of each other.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "kernels.hpp"
#include "lists.hpp"
#include "panels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

class Locks {
  public:
    explicit Locks(std::int64_t n) : flags_(new std::atomic<std::uint8_t>[n]) {
        for (std::int64_t i = 0; i < n; ++i) flags_[i].store(0, std::memory_order_relaxed);
    }
    void acquire(std::int64_t i) {
        while (flags_[i].exchange(1, std::memory_order_acquire)) {
        }
    }
    void release(std::int64_t i) { flags_[i].store(0, std::memory_order_release); }

  private:
    std::unique_ptr<std::atomic<std::uint8_t>[]> flags_;
};

struct Scratch {
    Panels<float> panels;
    std::vector<float> limits, lifts;
    std::vector<std::int32_t> places;
};

// A lower bound of the squared distance in the data, also after rounding.
SLK_INLINE float at_least(float on_points, float rounding) {
    const float apart = std::max(0.0f, std::sqrt(on_points) - rounding);
    return apart * apart * (1 - 1e-5f);
}

// Offer each of a pair to the other. Their distance in the data is computed once, and only if somebody wants it: whose
// reach is the same for all threads at all times.
template <typename T>
SLK_INLINE void offer_pair(const Join<T>& s, std::int32_t a, std::int32_t b, float on_points, Locks& locks) {
    bool exact = !s.data;
    float squared = exact ? on_points : at_least(on_points, s.rounding[a] + s.rounding[b]);
    for (int side = 0; side < 2; ++side) {
        const std::int32_t row = side ? b : a, other = side ? a : b;
        if (s.data && on_points > s.reach[row]) continue;
        if (comes_too_late(s.lists, row, other, squared) || holds(s.lists, row, other)) continue;
        if (!exact) {
            const T in_data = T(squared_distance(s.data + std::int64_t(s.numbers[row]) * s.n_features,
                                                 s.data + std::int64_t(s.numbers[other]) * s.n_features, s.n_features));
            squared = float(s.unit * double(in_data));
            if (s.lift) squared = float(double(squared) + 2 * double(s.lift[row]) * double(s.lift[other]));
            exact = true;
            if (comes_too_late(s.lists, row, other, squared)) continue;
        }
        locks.acquire(row);
        offer(s.lists, row, other, squared);
        locks.release(row);
    }
}

// All pairs of a group that at least one of both would like to have.
template <typename T>
SLK_INLINE void join_members(const Join<T>& s, std::int64_t group, Scratch& scratch, Locks& locks) {
    constexpr int QUERIES = Panels<float>::QUERIES;
    const std::int64_t count = s.n_members[group], n_fresh = s.n_fresh[group];
    if (count < 2) return;
    const std::int32_t* members = s.members + s.starts[group];
    const auto point = [&](std::int64_t i) SLK_INLINED { return s.points + std::int64_t(members[i]) * s.n_columns; };
    const auto limit = [&](std::int64_t i) SLK_INLINED {
        return s.data ? s.reach[members[i]] : farthest(s.lists, members[i]);
    };
    auto& [panels, limits, lifts, places] = scratch;
    places.resize(count);
    panels.fill(count, s.n_columns, point);
    limits.assign(panels.padded(), -1.0f);  // what is beyond the last is never wanted
    for (std::int64_t i = 0; i < count; ++i) limits[i] = limit(i);
    if (s.lift) {
        lifts.assign(panels.padded(), 0.0f);
        for (std::int64_t i = 0; i < count; ++i) lifts[i] = s.lift[members[i]];
    }
    for (std::int64_t p = 0; p < n_fresh; p += QUERIES) {
        const auto query_at = [&](int q) SLK_INLINED { return point(std::min(p + q, n_fresh - 1)); };
        panels.measure(query_at, s.apart ? n_fresh : p + 1);
        for (int q = 0; q < QUERIES && p + q < n_fresh; ++q) {
            const std::int64_t own = p + q;
            const std::int64_t begin = s.apart ? n_fresh : own + 1;
            if (s.lift) panels.lift(q, lifts[own], lifts.data(), begin);
            const std::int64_t n_near = panels.within(q, begin, limits[own], limits.data(), places.data());
            for (std::int64_t i = 0; i < n_near; ++i) {
                const std::int32_t other = places[i];
                offer_pair(s, members[own], members[other], panels.squared(q)[other], locks);
                limits[other] = limit(other);
            }
            limits[own] = limit(own);
        }
    }
}

SLK_DISPATCH void join_group(const Join<float>& s, std::int64_t group, Scratch& scratch, Locks& locks) {
    join_members(s, group, scratch, locks);
}

SLK_DISPATCH void join_group(const Join<double>& s, std::int64_t group, Scratch& scratch, Locks& locks) {
    join_members(s, group, scratch, locks);
}

}  // namespace

template <typename T>
void run(const Join<T>& s) {
    Locks locks(s.lists.n_rows);
#pragma omp parallel num_threads(s.threads)
    {
        Scratch scratch;
#pragma omp for schedule(dynamic, 8)
        for (std::int64_t group = 0; group < s.n_groups; ++group) join_group(s, group, scratch, locks);
    }
}

template void run(const Join<float>&);
template void run(const Join<double>&);

}  // namespace slk
