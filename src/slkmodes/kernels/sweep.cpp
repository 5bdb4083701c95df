// z_p = softmax(a_p + lambda * b_p), b_p = sum_q w_pq z_q + shift * z_p: sparse product, softmax and the
// objective of the row in one pass over memory.
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

// WIDTH is the padded number of columns when it is small enough to keep a row in registers, else 0.
template <typename T, int WIDTH>
SLK_INLINE void sweep_rows(const Sweep<T>& s, std::int64_t begin, std::int64_t end, T* scratch) {
    const std::int64_t width = WIDTH ? WIDTH : s.width;
    const T weight = T(s.laplacian_weight), shift = T(s.diagonal_shift);
    T fixed[WIDTH ? WIDTH : 1];
    T* pull = WIDTH ? fixed : scratch;

    for (std::int64_t p = begin; p < end; ++p) {
        const T* z = s.memberships + p * width;
        const T* a = s.similarity + p * width;
        T* z_new = s.new_memberships + p * width;

        for (std::int64_t l = 0; l < width; ++l) pull[l] = shift * z[l];
        for (std::int64_t e = s.row_starts[p]; e < s.row_starts[p + 1]; ++e) {
            const T w = s.weights[e];
            const T* z_q = s.memberships + std::int64_t(s.columns[e]) * width;
            for (std::int64_t l = 0; l < width; ++l) pull[l] += w * z_q[l];
        }

        T reward = 0, top = a[0] + weight * pull[0];
#pragma omp simd reduction(+ : reward) reduction(max : top)
        for (std::int64_t l = 0; l < width; ++l) {
            reward += z[l] * (a[l] + T(0.5) * weight * pull[l]);
            const T logit = a[l] + weight * pull[l];
            pull[l] = logit;
            top = logit > top ? logit : top;
        }
        s.row_objective[p] = s.negentropy[p] - double(reward);

        // The entropy of the new row comes free: log z = (logit - top) - log(total).
        T total = 0, tilt = 0;
#pragma omp simd reduction(+ : total, tilt)
        for (std::int64_t l = 0; l < width; ++l) {
            const T below = pull[l] - top;
            const T e = exp_nonpositive(below);
            z_new[l] = e;
            total += e;
            // Far below the top e is a floor, not a value: its product must not count.
            tilt += below > ExpConstants<T>::lowest ? e * below : T(0);
        }
        const T scale = T(1) / total;
        for (std::int64_t l = 0; l < width; ++l) z_new[l] *= scale;
        s.new_negentropy[p] = double(tilt) * double(scale) - std::log(double(total));
    }
}

#define SLK_SWEEP_ROWS(NAME, T, WIDTH)                                                              \
    SLK_DISPATCH void NAME(const Sweep<T>& s, std::int64_t begin, std::int64_t end, T* scratch) {   \
        sweep_rows<T, WIDTH>(s, begin, end, scratch);                                               \
    }
SLK_SWEEP_ROWS(sweep_f32_w8, float, 8)
SLK_SWEEP_ROWS(sweep_f32_w16, float, 16)
SLK_SWEEP_ROWS(sweep_f32_w32, float, 32)
SLK_SWEEP_ROWS(sweep_f32_any, float, 0)
SLK_SWEEP_ROWS(sweep_f64_w8, double, 8)
SLK_SWEEP_ROWS(sweep_f64_w16, double, 16)
SLK_SWEEP_ROWS(sweep_f64_any, double, 0)
#undef SLK_SWEEP_ROWS

template <typename T>
using SweepRows = void (*)(const Sweep<T>&, std::int64_t, std::int64_t, T*);

SweepRows<float> rows_function(const Sweep<float>& s) {
    switch (s.width) {
        case 8: return sweep_f32_w8;
        case 16: return sweep_f32_w16;
        case 32: return sweep_f32_w32;
        default: return sweep_f32_any;
    }
}

SweepRows<double> rows_function(const Sweep<double>& s) {
    switch (s.width) {
        case 8: return sweep_f64_w8;
        case 16: return sweep_f64_w16;
        default: return sweep_f64_any;
    }
}

}  // namespace

template <typename T>
void run(const Sweep<T>& s) {
    const auto rows = rows_function(s);
    const std::int64_t n_blocks = (s.n_rows + s.block_rows - 1) / s.block_rows;
#pragma omp parallel num_threads(s.threads)
    {
        std::vector<T> scratch(s.width);
#pragma omp for schedule(dynamic)
        for (std::int64_t block = 0; block < n_blocks; ++block) {
            const std::int64_t begin = block * s.block_rows;
            rows(s, begin, std::min(begin + s.block_rows, s.n_rows), scratch.data());
        }
    }
}

template void run(const Sweep<float>&);
template void run(const Sweep<double>&);

}  // namespace slk
