// z_p = softmax(a_p + lambda * b_p), b_p = sum_q w_pq z_q + shift * z_p: sparse product, softmax and the
// objective of the row in one pass over memory. With a balance, a_p is first replaced by
// (a_p + balance * log(z_p / sizes)) / (1 + balance).
#include <algorithm>
#include <limits>
#include <memory>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

// Rows of which the neighbours are fetched while others are computed: they may lie anywhere.
constexpr std::int64_t ROWS_AHEAD = 8;

// Rows of which it is decided at once whether they have to be computed at all.
constexpr std::int64_t TILE_ROWS = 256;

template <typename T>
SLK_INLINE void fetch_neighbors(const Sweep<T>& s, std::int64_t p, std::int64_t width) {
    for (std::int64_t e = s.row_starts[p]; e < s.row_starts[p + 1]; ++e)
        fetch_ahead(s.memberships + std::int64_t(s.columns[e]) * width, width);
}

// A row that did not move, and whose neighbours did not, would come out as it is: no bit of its input has changed.
template <typename T>
SLK_INLINE bool may_move(const Sweep<T>& s, std::int64_t p) {
    if (!s.moved || s.moved[p]) return true;
    std::uint8_t any = 0;
    for (std::int64_t e = s.row_starts[p]; e < s.row_starts[p + 1]; ++e) any |= s.moved[s.columns[e]];
    return any;
}

template <int LANES, typename T>
SLK_INLINE Vector<T, LANES> balanced(const Sweep<T>& s, Vector<T, LANES> similar, Vector<T, LANES> z, std::int64_t c) {
    const auto floor = filled<LANES>(T(s.floor));
    const auto lift = log_positive<T, LANES>(larger<T, LANES>(z, floor)) - load<LANES>(s.log_sizes + c);
    return similar * T(1 / (1 + s.balance)) + lift * T(s.balance / (1 + s.balance));
}

// A row is CHUNKS vectors of LANES columns; CHUNKS = 0 means as many as the width asks for, kept in scratch
// instead of in registers. What a row needs is one long chain of operations, each waiting for the one before: rows are
// computed in groups of GROUP, step by step, and hide each other's waiting. No bit of a row depends on its group.
template <typename T, int LANES, int CHUNKS, int GROUP>
SLK_INLINE void sweep_group(const Sweep<T>& s, const std::int64_t* rows, T* scratch, double* mass) {
    using V = Vector<T, LANES>;
    static_assert(CHUNKS || GROUP == 1, "scratch has room for one row");
    const std::int64_t width = CHUNKS ? CHUNKS * LANES : s.width;
    const std::int64_t chunks = width / LANES;
    const T weight = T(s.laplacian_weight), shift = T(s.diagonal_shift);
    V in_registers[GROUP][CHUNKS ? CHUNKS : 1];
    V* pulls[GROUP];
    for (int g = 0; g < GROUP; ++g) pulls[g] = CHUNKS ? in_registers[g] : reinterpret_cast<V*>(scratch);

    T highest[GROUP], scale[GROUP];
    for (int g = 0; g < GROUP; ++g) {
        const std::int64_t p = rows[g];
        const T* z = s.memberships + p * width;
        V* pull = pulls[g];
        for (std::int64_t c = 0; c < chunks; ++c) pull[c] = load<LANES>(z + c * LANES) * shift;
        for (std::int64_t e = s.row_starts[p]; e < s.row_starts[p + 1]; ++e) {
            const T w = s.weights[e];
            const T* z_q = s.memberships + std::int64_t(s.columns[e]) * width;
            for (std::int64_t c = 0; c < chunks; ++c) pull[c] += load<LANES>(z_q + c * LANES) * w;
        }
    }
    for (int g = 0; g < GROUP; ++g) {
        const std::int64_t p = rows[g];
        const T* z = s.memberships + p * width;
        const T* a = s.similarity + p * width;
        V* pull = pulls[g];
        V reward = filled<LANES>(T(0)), top = filled<LANES>(std::numeric_limits<T>::lowest() / 2);
        for (std::int64_t c = 0; c < chunks; ++c) {
            V similar = load<LANES>(a + c * LANES);
            if (s.balance > 0) similar = balanced<LANES>(s, similar, load<LANES>(z + c * LANES), c * LANES);
            reward += load<LANES>(z + c * LANES) * (similar + T(0.5) * weight * pull[c]);
            pull[c] = similar + weight * pull[c];
            top = larger<T, LANES>(top, pull[c]);
        }
        s.row_objective[p] = s.negentropy[p] - double(sum<T, LANES>(reward));
        highest[g] = maximum<T, LANES>(top);
    }
    // The entropy of the new row comes free: log z = (logit - top) - log(total).
    for (int g = 0; g < GROUP; ++g) {
        V* pull = pulls[g];
        V total = filled<LANES>(T(0)), tilt = total;
        for (std::int64_t c = 0; c < chunks; ++c) {
            const V below = pull[c] - highest[g];
            // Far below the top there is nothing at all: on some machines a product with a number below the normal ones
            // takes a hundred times as long.
            const auto counts = where_negative<T, LANES>(ExpConstants<T>::negligible - below);
            pull[c] = (V)((Bits<T, LANES>)exp_nonpositive<T, LANES>(below) & counts);
            total += pull[c];
            tilt += pull[c] * below;
        }
        const T row_mass = sum<T, LANES>(total);
        scale[g] = T(1) / row_mass;
        mass[g] = double(row_mass);
        s.new_negentropy[rows[g]] = double(sum<T, LANES>(tilt)) * double(scale[g]);
    }
    for (int g = 0; g < GROUP; ++g) {
        const T* z = s.memberships + rows[g] * width;
        T* z_new = s.new_memberships + rows[g] * width;
        bool moved = false;
        for (std::int64_t c = 0; c < chunks; ++c) {
            const V updated = pulls[g][c] * scale[g];
            moved |= differ<T, LANES>(updated, load<LANES>(z + c * LANES));
            store<LANES>(z_new + c * LANES, updated);
        }
        s.new_moved[rows[g]] = moved;
    }
}

template <typename T>
SLK_INLINE void leave_as_it_is(const Sweep<T>& s, std::int64_t p, std::int64_t width) {
    std::copy_n(s.memberships + p * width, width, s.new_memberships + p * width);
    s.new_negentropy[p] = s.negentropy[p];
    s.new_moved[p] = 0;
}

template <typename T, int LANES, int CHUNKS, int GROUP>
SLK_INLINE void sweep_rows(const Sweep<T>& s, std::int64_t begin, std::int64_t end, T* scratch) {
    const std::int64_t width = CHUNKS ? CHUNKS * LANES : s.width;
    // At once, and of many rows: a call between rows would cost them their registers. No more than a register holds: GCC
    // takes wider vectors apart, and not every lane then rounds alike.
    constexpr int LOGARITHMS = WIDTH<double>;
    std::int64_t rows[TILE_ROWS + GROUP];
    double mass[TILE_ROWS + LOGARITHMS];
    for (; begin < end; begin += TILE_ROWS) {
        std::int64_t n_rows = 0;
        for (std::int64_t p = begin; p < std::min(begin + TILE_ROWS, end); ++p) {
            if (may_move(s, p))
                rows[n_rows++] = p;
            else
                leave_as_it_is(s, p, width);
        }
        if (n_rows == 0) continue;
        // The last group is filled with its last row, which then comes out the same several times.
        std::fill_n(rows + n_rows, GROUP, rows[n_rows - 1]);
        for (std::int64_t i = 0; i < n_rows; i += GROUP) {
            for (std::int64_t ahead = i + ROWS_AHEAD; ahead < std::min(i + ROWS_AHEAD + GROUP, n_rows); ++ahead)
                fetch_neighbors(s, rows[ahead], width);
            sweep_group<T, LANES, CHUNKS, GROUP>(s, rows + i, scratch, mass + i);
        }
        std::fill_n(mass + n_rows, LOGARITHMS, 1.0);
        for (std::int64_t i = 0; i < n_rows; i += LOGARITHMS) {
            const auto logarithms = log_positive<double, LOGARITHMS>(load<LOGARITHMS>(mass + i));
            for (std::int64_t j = 0; j < std::min<std::int64_t>(LOGARITHMS, n_rows - i); ++j)
                s.new_negentropy[rows[i + j]] -= logarithms[j];
        }
    }
}

#define SLK_SWEEP_ROWS(NAME, TARGET, T, LANES, CHUNKS, GROUP)                                   \
    TARGET void NAME(const Sweep<T>& s, std::int64_t begin, std::int64_t end, T* scratch) {     \
        sweep_rows<T, LANES, CHUNKS, GROUP>(s, begin, end, scratch);                            \
    }
SLK_SWEEP_ROWS(sweep_f32_8, SLK_DISPATCH, float, 8, 1, 4)
SLK_SWEEP_ROWS(sweep_f32_16, SLK_DISPATCH, float, 8, 2, 4)
SLK_SWEEP_ROWS(sweep_f32_32, SLK_DISPATCH, float, 8, 4, 2)
SLK_SWEEP_ROWS(sweep_f32_any, SLK_DISPATCH, float, 8, 0, 1)
SLK_SWEEP_ROWS(sweep_f64_8, SLK_DISPATCH, double, 4, 2, 2)
SLK_SWEEP_ROWS(sweep_f64_16, SLK_DISPATCH, double, 4, 4, 1)
SLK_SWEEP_ROWS(sweep_f64_any, SLK_DISPATCH, double, 4, 0, 1)
// In registers of 64 bytes.
SLK_SWEEP_ROWS(sweep_f32_32_wide, SLK_WIDE, float, 16, 2, 2)
SLK_SWEEP_ROWS(sweep_f32_any_wide, SLK_WIDE, float, 16, 0, 1)
SLK_SWEEP_ROWS(sweep_f64_8_wide, SLK_WIDE, double, 8, 1, 4)
SLK_SWEEP_ROWS(sweep_f64_16_wide, SLK_WIDE, double, 8, 2, 2)
SLK_SWEEP_ROWS(sweep_f64_any_wide, SLK_WIDE, double, 8, 0, 1)
#undef SLK_SWEEP_ROWS

template <typename T>
using SweepRows = void (*)(const Sweep<T>&, std::int64_t, std::int64_t, T*);

SweepRows<float> rows_function(const Sweep<float>& s) {
    const bool wide = has_wide_registers();
    switch (s.width) {
        case 8: return sweep_f32_8;
        case 16: return sweep_f32_16;
        case 32: return wide ? sweep_f32_32_wide : sweep_f32_32;
        default: return wide ? sweep_f32_any_wide : sweep_f32_any;
    }
}

SweepRows<double> rows_function(const Sweep<double>& s) {
    const bool wide = has_wide_registers();
    switch (s.width) {
        case 8: return wide ? sweep_f64_8_wide : sweep_f64_8;
        case 16: return wide ? sweep_f64_16_wide : sweep_f64_16;
        default: return wide ? sweep_f64_any_wide : sweep_f64_any;
    }
}

// Room for some columns of a row, aligned as vectors want it.
template <typename T>
struct alignas(64) CacheLine {
    T values[64 / sizeof(T)];
};

}  // namespace

template <typename T>
void run(const Sweep<T>& s) {
    const auto rows = rows_function(s);
    const std::int64_t n_blocks = (s.n_rows + s.block_rows - 1) / s.block_rows;
    // Made before the threads start: an exception must not leave a parallel region.
    const std::int64_t lines = s.width * std::int64_t(sizeof(T)) / std::int64_t(sizeof(CacheLine<T>)) + 1;
    const auto scratch = std::make_unique<CacheLine<T>[]>(lines * s.threads);
#pragma omp parallel num_threads(s.threads)
    {
#ifdef _OPENMP
        T* own = scratch[lines * omp_get_thread_num()].values;
#else
        T* own = scratch[0].values;
#endif
#pragma omp for schedule(dynamic)
        for (std::int64_t block = 0; block < n_blocks; ++block) {
            const std::int64_t begin = block * s.block_rows;
            rows(s, begin, std::min(begin + s.block_rows, s.n_rows), own);
        }
    }
}

template void run(const Sweep<float>&);
template void run(const Sweep<double>&);

}  // namespace slk
