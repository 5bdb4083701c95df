// z_p = softmax(a_p + lambda * b_p), b_p = sum_q w_pq z_q + shift * z_p: sparse product, softmax and the
// objective of the row in one pass over memory. With a balance, a_p is first replaced by
// (a_p + balance * log(z_p / sizes)) / (1 + balance).
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

// Rows of which the neighbours are fetched while another is computed: they may lie anywhere.
constexpr std::int64_t ROWS_AHEAD = 4;

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

// Logarithms are taken of several rows at once: a call in the loop over rows would cost it its registers.
constexpr int ROWS_PER_LOGARITHM = 8;

SLK_INLINE void subtract_logarithms(const double (&mass)[ROWS_PER_LOGARITHM], double* end) {
    double* values = end - ROWS_PER_LOGARITHM;
    const auto logarithms = log_positive<double, ROWS_PER_LOGARITHM>(load<ROWS_PER_LOGARITHM>(mass));
    store<ROWS_PER_LOGARITHM>(values, load<ROWS_PER_LOGARITHM>(values) - logarithms);
}

SLK_INLINE double logarithm(double x) {
    return log_positive<double, ROWS_PER_LOGARITHM>(filled<ROWS_PER_LOGARITHM>(x))[0];
}

template <int LANES, typename T>
SLK_INLINE Vector<T, LANES> balanced(const Sweep<T>& s, Vector<T, LANES> similar, Vector<T, LANES> z, std::int64_t c) {
    const auto floor = filled<LANES>(T(s.floor));
    const auto lift = log_positive<T, LANES>(z > floor ? z : floor) - load<LANES>(s.log_sizes + c);
    return similar * T(1 / (1 + s.balance)) + lift * T(s.balance / (1 + s.balance));
}

// A row is CHUNKS vectors of LANES columns; CHUNKS = 0 means as many as the width asks for, kept in scratch
// instead of in registers.
template <typename T, int LANES, int CHUNKS>
SLK_INLINE void sweep_rows(const Sweep<T>& s, std::int64_t begin, std::int64_t end, T* scratch) {
    using V = Vector<T, LANES>;
    const std::int64_t width = CHUNKS ? CHUNKS * LANES : s.width;
    const std::int64_t chunks = width / LANES;
    const T weight = T(s.laplacian_weight), shift = T(s.diagonal_shift);
    V in_registers[CHUNKS ? CHUNKS : 1];
    V* pull = CHUNKS ? in_registers : reinterpret_cast<V*>(scratch);

    double mass[ROWS_PER_LOGARITHM];
    for (std::int64_t p = begin; p < end; ++p) {
        const T* z = s.memberships + p * width;
        const T* a = s.similarity + p * width;
        T* z_new = s.new_memberships + p * width;
        if (p + ROWS_AHEAD < end && may_move(s, p + ROWS_AHEAD)) fetch_neighbors(s, p + ROWS_AHEAD, width);
        double& row_total = mass[(p - begin) % ROWS_PER_LOGARITHM];
        if (!may_move(s, p)) {
            std::copy(z, z + width, z_new);
            s.new_negentropy[p] = s.negentropy[p];
            s.new_moved[p] = 0;
            row_total = 1;  // whose logarithm changes nothing
            if ((p - begin + 1) % ROWS_PER_LOGARITHM == 0) subtract_logarithms(mass, s.new_negentropy + p + 1);
            continue;
        }

        for (std::int64_t c = 0; c < chunks; ++c) pull[c] = load<LANES>(z + c * LANES) * shift;
        for (std::int64_t e = s.row_starts[p]; e < s.row_starts[p + 1]; ++e) {
            const T w = s.weights[e];
            const T* z_q = s.memberships + std::int64_t(s.columns[e]) * width;
            for (std::int64_t c = 0; c < chunks; ++c) pull[c] += load<LANES>(z_q + c * LANES) * w;
        }

        V reward = filled<LANES>(T(0)), top = filled<LANES>(-std::numeric_limits<T>::max());
        for (std::int64_t c = 0; c < chunks; ++c) {
            V similar = load<LANES>(a + c * LANES);
            if (s.balance > 0) similar = balanced<LANES>(s, similar, load<LANES>(z + c * LANES), c * LANES);
            reward += load<LANES>(z + c * LANES) * (similar + T(0.5) * weight * pull[c]);
            pull[c] = similar + weight * pull[c];
            top = top > pull[c] ? top : pull[c];
        }
        s.row_objective[p] = s.negentropy[p] - double(sum<T, LANES>(reward));

        // The entropy of the new row comes free: log z = (logit - top) - log(total).
        const T highest = maximum<T, LANES>(top);
        V total = filled<LANES>(T(0)), tilt = total;
        for (std::int64_t c = 0; c < chunks; ++c) {
            V below = pull[c] - highest;
            const V power = exp_nonpositive<T, LANES>(below);
            pull[c] = power;
            total += power;
            // Far below the top the power is a floor, not a value: its product must not count.
            tilt += below > ExpConstants<T>::lowest ? power * below : filled<LANES>(T(0));
        }
        const T row_mass = sum<T, LANES>(total);
        const T scale = T(1) / row_mass;
        for (std::int64_t c = 0; c < chunks; ++c) store<LANES>(z_new + c * LANES, pull[c] * scale);
        s.new_moved[p] = std::memcmp(z, z_new, width * sizeof(T)) != 0;
        s.new_negentropy[p] = double(sum<T, LANES>(tilt)) * double(scale);
        row_total = double(row_mass);
        if ((p - begin + 1) % ROWS_PER_LOGARITHM == 0) subtract_logarithms(mass, s.new_negentropy + p + 1);
    }
    const std::int64_t left = (end - begin) % ROWS_PER_LOGARITHM;
    for (std::int64_t i = 0; i < left; ++i) s.new_negentropy[end - left + i] -= logarithm(mass[i]);
}

#define SLK_SWEEP_ROWS(NAME, T, LANES, CHUNKS)                                                     \
    SLK_DISPATCH void NAME(const Sweep<T>& s, std::int64_t begin, std::int64_t end, T* scratch) {  \
        sweep_rows<T, LANES, CHUNKS>(s, begin, end, scratch);                                      \
    }
SLK_SWEEP_ROWS(sweep_f32_8, float, 8, 1)
SLK_SWEEP_ROWS(sweep_f32_16, float, 16, 1)
SLK_SWEEP_ROWS(sweep_f32_32, float, 16, 2)
SLK_SWEEP_ROWS(sweep_f32_any, float, 16, 0)
SLK_SWEEP_ROWS(sweep_f64_8, double, 8, 1)
SLK_SWEEP_ROWS(sweep_f64_16, double, 8, 2)
SLK_SWEEP_ROWS(sweep_f64_any, double, 8, 0)
#undef SLK_SWEEP_ROWS

template <typename T>
using SweepRows = void (*)(const Sweep<T>&, std::int64_t, std::int64_t, T*);

SweepRows<float> rows_function(const Sweep<float>& s) {
    switch (s.width) {
        case 8: return sweep_f32_8;
        case 16: return sweep_f32_16;
        case 32: return sweep_f32_32;
        default: return sweep_f32_any;
    }
}

SweepRows<double> rows_function(const Sweep<double>& s) {
    switch (s.width) {
        case 8: return sweep_f64_8;
        case 16: return sweep_f64_16;
        default: return sweep_f64_any;
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
