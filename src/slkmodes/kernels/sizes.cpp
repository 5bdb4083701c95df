// Sums of the columns of memberships, tile by tile of the rows, which are the caller's choice and hence so is the
// rounding.
#include <algorithm>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

constexpr std::int64_t COLUMNS_AT_A_TIME = 64;

// Sums are of the thread's own until they are done: in the output those of the next tile share their cache lines.
template <typename T>
SLK_INLINE void add_up(const Sizes<T>& s, std::int64_t tile) {
    const std::int64_t begin = tile * s.tile_rows, end = std::min(begin + s.tile_rows, s.n_rows);
    for (std::int64_t first = 0; first < s.width; first += COLUMNS_AT_A_TIME) {
        const std::int64_t count = std::min(COLUMNS_AT_A_TIME, s.width - first);
        double sums[COLUMNS_AT_A_TIME] = {};
        for (std::int64_t p = begin; p < end; ++p)
            for (std::int64_t c = 0; c < count; ++c) sums[c] += double(s.memberships[p * s.width + first + c]);
        std::copy_n(sums, count, s.sums + tile * s.width + first);
    }
}

SLK_DISPATCH void add_tile(const Sizes<float>& s, std::int64_t tile) { add_up(s, tile); }
SLK_DISPATCH void add_tile(const Sizes<double>& s, std::int64_t tile) { add_up(s, tile); }

}  // namespace

template <typename T>
void run(const Sizes<T>& s) {
    const std::int64_t n_tiles = (s.n_rows + s.tile_rows - 1) / s.tile_rows;
#pragma omp parallel for schedule(dynamic) num_threads(s.threads)
    for (std::int64_t tile = 0; tile < n_tiles; ++tile) add_tile(s, tile);
}

template void run(const Sizes<float>&);
template void run(const Sizes<double>&);

}  // namespace slk
