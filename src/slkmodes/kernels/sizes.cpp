// Sums of the columns of memberships, tile by tile of the rows, which are the caller's choice and hence so is the
// rounding.
#include <algorithm>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

template <typename T>
SLK_INLINE void add_up(const Sizes<T>& s, std::int64_t tile) {
    double* sums = s.sums + tile * s.width;
    std::fill_n(sums, s.width, 0.0);
    const std::int64_t end = std::min((tile + 1) * s.tile_rows, s.n_rows);
    for (std::int64_t p = tile * s.tile_rows; p < end; ++p)
        for (std::int64_t c = 0; c < s.width; ++c) sums[c] += double(s.memberships[p * s.width + c]);
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
