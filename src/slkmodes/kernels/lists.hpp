// The nearest rows found so far, one list per row, and how a candidate gets into one.
#pragma once

#include <cstdint>
#include <cstring>

#include "simd.hpp"

namespace slk {

// Lists of `width` entries (some 16s), by distance, then by row number; -1 and infinity where there are too few. What a
// list holds in the end is the best of all it was offered, in whatever order: so threads may share the offering.
struct Lists {
    std::int64_t n_rows, width;
    std::int32_t* rows;
    float* squared;
    std::uint8_t* fresh;  // not 0: entries whose neighbours have not been looked at yet
};

constexpr std::uint8_t NEW = 2;  // came in since the caller last made it 1

SLK_INLINE bool comes_before(float squared, std::int32_t row, float other_squared, std::int32_t other_row) {
    return squared < other_squared || (squared == other_squared && row < other_row);
}

// Put a candidate in its place, if it is new and good enough. The caller holds the lock of the list.
SLK_INLINE void offer(const Lists& lists, std::int64_t row, std::int32_t candidate, float squared) {
    float* distances = lists.squared + row * lists.width;
    std::int32_t* rows = lists.rows + row * lists.width;
    std::uint8_t* fresh = lists.fresh + row * lists.width;
    std::int64_t place = lists.width - 1;
    if (!comes_before(squared, candidate, distances[place], rows[place])) return;
    while (place > 0 && comes_before(squared, candidate, distances[place - 1], rows[place - 1])) --place;
    if (place > 0 && rows[place - 1] == candidate) return;  // its distance is always the same
    const std::size_t n_after = lists.width - 1 - place;
    std::memmove(rows + place + 1, rows + place, n_after * sizeof *rows);
    rows[place] = candidate;
    __atomic_thread_fence(__ATOMIC_RELEASE);  // for comes_too_late()
    std::memmove(distances + place + 1, distances + place, n_after * sizeof *distances);
    std::memmove(fresh + place + 1, fresh + place, n_after);
    distances[place] = squared;
    fresh[place] = NEW;
}

// The distance that a candidate of this row has to stay below. Another thread may be lowering it: then the candidate
// is refused under the lock.
SLK_INLINE float farthest(const Lists& lists, std::int64_t row) {
    float squared;
    __atomic_load(lists.squared + (row + 1) * lists.width - 1, &squared, __ATOMIC_RELAXED);
    return squared;
}

// Whether a candidate would come behind the last entry; without the lock. Entries only move up: should the row read
// here be a later one than the distance, the candidate comes behind that entry too.
SLK_INLINE bool comes_too_late(const Lists& lists, std::int64_t row, std::int32_t candidate, float squared) {
    const float last = farthest(lists, row);
    if (squared != last) return squared > last;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return candidate >= __atomic_load_n(lists.rows + (row + 1) * lists.width - 1, __ATOMIC_RELAXED);
}

// Whether a list holds a row. Without its lock: one that is overlooked while entries move up is refused by offer(), and
// one that is being dropped would be.
SLK_INLINE bool holds(const Lists& lists, std::int64_t row, std::int32_t candidate) {
    constexpr int LANES = WIDTH<std::int32_t>;
    const std::int32_t* rows = lists.rows + row * lists.width;
    auto hits = load<LANES>(rows) == candidate;
    for (std::int64_t i = LANES; i < lists.width; i += LANES) hits |= load<LANES>(rows + i) == candidate;
    return fold<std::int32_t, LANES>(hits, [](const auto& low, const auto& high) { return low | high; }) != 0;
}

// A number that looks random but depends on nothing else (the finaliser of MurmurHash3).
SLK_INLINE std::uint64_t scramble(std::uint64_t x) {
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
}

}  // namespace slk
