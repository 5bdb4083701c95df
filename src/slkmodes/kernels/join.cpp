// Compare the members of groups with each other and offer each to the other's list: the leaves of a tree, or the
// neighbours of a row, which are likely neighbours of each other.
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "kernels.hpp"
#include "lists.hpp"
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

// Members of a group that are on their way into the caches while another is copied: they may lie anywhere.
constexpr std::int64_t MEMBERS_AHEAD = 6;

struct Pair {
    std::int32_t a, b;  // places in the group
    float squared;
};

// All pairs of a group with a fresh member that at least one of both would like to have.
template <typename T>
SLK_INLINE std::int64_t promising_pairs(const Join<T>& s, const std::int32_t* members, std::int64_t count,
                                        std::int64_t n_fresh, float* tile, float* limit, Pair* found) {
    const std::int64_t padded = (count + BATCH - 1) / BATCH * BATCH;
    const auto fetch = [&](std::int64_t i) {
        if (i >= count) return;
        fetch_ahead(s.points + std::int64_t(members[i]) * s.n_columns, s.n_columns);
        __builtin_prefetch(s.lists.squared + (members[i] + std::int64_t(1)) * s.lists.width - 1);
    };
    for (std::int64_t i = 0; i < MEMBERS_AHEAD; ++i) fetch(i);
    for (std::int64_t i = 0; i < padded; ++i) {
        fetch(i + MEMBERS_AHEAD);
        const std::int32_t row = members[std::min(i, count - 1)];
        fetch_ahead(s.lists.rows + row * s.lists.width, s.lists.width);  // for offers
        std::memcpy(tile + i * s.n_columns, s.points + std::int64_t(row) * s.n_columns, s.n_columns * sizeof(float));
        limit[i] = s.data ? s.reach[row] : farthest(s.lists, row);
    }
    std::int64_t n_found = 0;
    for (std::int64_t i = 0; i < n_fresh; i += BATCH)
        for (std::int64_t j = i; j < count; j += BATCH) {
            float squared[BATCH][BATCH];
            batch_distances(tile + i * s.n_columns, tile + j * s.n_columns, s.n_columns, squared);
            for (int u = 0; u < BATCH; ++u)
                for (int v = 0; v < BATCH; ++v) {  // without a branch, which would often be guessed wrong
                    found[n_found] = {std::int32_t(i + u), std::int32_t(j + v), squared[u][v]};
                    n_found += (i + u < n_fresh) & (i + u < j + v) & (j + v < count) &
                               (squared[u][v] <= std::max(limit[i + u], limit[j + v]));
                }
        }
    return n_found;
}

// Offer each of a pair to the other. Their distance in the data is computed once, and only if somebody wants it: whose reach
// is the same for all threads at all times.
template <typename T>
SLK_INLINE void offer_pair(const Join<T>& s, const std::int32_t* members, const Pair& pair, Locks& locks) {
    bool exact = !s.data;
    float squared = exact ? pair.squared : pair.squared * (1 - 1e-5f);  // a lower bound, also after rounding
    for (int side = 0; side < 2; ++side) {
        const std::int32_t row = members[side ? pair.b : pair.a], other = members[side ? pair.a : pair.b];
        if (s.data && pair.squared > s.reach[row]) continue;
        if (squared > farthest(s.lists, row) || holds(s.lists, row, other)) continue;
        if (!exact) {
            const T in_data = T(squared_distance(s.data + std::int64_t(s.numbers[row]) * s.n_features,
                                                 s.data + std::int64_t(s.numbers[other]) * s.n_features, s.n_features));
            squared = float(s.unit * double(in_data));
            exact = true;
            if (squared > farthest(s.lists, row)) continue;
        }
        locks.acquire(row);
        offer(s.lists, row, other, squared);
        locks.release(row);
    }
}

struct Scratch {
    std::vector<float> tile, limit;
    std::vector<Pair> pairs;
};

template <typename T>
SLK_INLINE void join_members(const Join<T>& s, std::int64_t group, Scratch& scratch, Locks& locks) {
    if (s.n_members[group] < 2) return;
    const std::int32_t* members = s.members + s.starts[group];
    const std::int64_t n_found = promising_pairs(s, members, s.n_members[group], s.n_fresh[group], scratch.tile.data(),
                                                 scratch.limit.data(), scratch.pairs.data());
    for (std::int64_t i = 0; i < n_found; ++i) offer_pair(s, members, scratch.pairs[i], locks);
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
    const std::int64_t most = s.n_groups ? *std::max_element(s.n_members, s.n_members + s.n_groups) : 0;
#pragma omp parallel num_threads(s.threads)
    {
        Scratch scratch{std::vector<float>((most + BATCH) * s.n_columns), std::vector<float>(most + BATCH),
                        std::vector<Pair>(most * most / 2 + 1)};
#pragma omp for schedule(dynamic, 64)
        for (std::int64_t group = 0; group < s.n_groups; ++group) join_group(s, group, scratch, locks);
    }
}

template void run(const Join<float>&);
template void run(const Join<double>&);

}  // namespace slk
