// What every kernel needs: one binary for every CPU, short vectors, and an exponential on them.
//
// Vectors are the GNU extension of GCC and Clang: `Vector<float, 8>` is one AVX register or two SSE registers. Plain
// loops would leave it to the optimiser, which turned the same sweep into code four times slower.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

// One source, several machine codes, chosen when the library is loaded. Only a function that is not itself an
// OpenMP region gets its clones, so the parallel loops call a dispatched function. Where it matters, the width of the
// machine's registers is asked for: GCC takes vectors wider than these apart rather badly.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define SLK_DISPATCH __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define SLK_WIDE __attribute__((target("arch=x86-64-v4")))
inline bool has_wide_registers() { return __builtin_cpu_supports("x86-64-v4"); }
#else
#define SLK_DISPATCH
#define SLK_WIDE
inline bool has_wide_registers() { return false; }
#endif
#define SLK_INLINE inline __attribute__((always_inline))
// For lambdas: one that is not inlined is compiled for the oldest machine.
#define SLK_INLINED __attribute__((always_inline))

namespace slk {

// What the kernels take at a time: 32 bytes. In registers of 64 the graph of MNIST takes 6 % less time, but where there
// are none GCC keeps vectors of 64 bytes in memory, and it takes three times as long.
template <typename T>
constexpr int WIDTH = 32 / sizeof(T);

template <typename T, int LANES>
struct VectorOf {
    typedef T type __attribute__((vector_size(LANES * sizeof(T))));
};
template <typename T, int LANES>
using Vector = typename VectorOf<T, LANES>::type;

template <int LANES, typename T>
SLK_INLINE Vector<T, LANES> load(const T* from) {
    Vector<T, LANES> v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

// Have a row on its way into the caches before it is needed.
template <typename T>
SLK_INLINE void fetch_ahead(const T* row, std::int64_t width) {
    for (std::int64_t i = 0; i < width; i += 64 / std::int64_t(sizeof(T))) __builtin_prefetch(row + i);
}

template <int LANES, typename T>
SLK_INLINE void store(T* to, const Vector<T, LANES>& v) {
    std::memcpy(to, &v, sizeof v);
}

template <int LANES, typename T>
SLK_INLINE Vector<T, LANES> filled(T value) {
    return Vector<T, LANES>{} + value;
}

// Lanes are folded in halves: always in the same order, whatever the machine's registers.
template <typename T, int LANES, typename Combine>
SLK_INLINE T fold(const Vector<T, LANES>& v, Combine combine) {
    if constexpr (LANES == 1) {
        return v[0];
    } else {
        Vector<T, LANES / 2> halves[2];
        std::memcpy(halves, &v, sizeof v);
        return fold<T, LANES / 2>(combine(halves[0], halves[1]), combine);
    }
}

template <typename T, int LANES>
SLK_INLINE T sum(const Vector<T, LANES>& v) {
    return fold<T, LANES>(v, [](const auto& low, const auto& high) { return low + high; });
}

template <typename T>
struct FloatBits;
template <>
struct FloatBits<float> {
    using type = std::uint32_t;
};
template <>
struct FloatBits<double> {
    using type = std::uint64_t;
};
template <typename T, int LANES>
using Bits = Vector<typename FloatBits<T>::type, LANES>;

// All bits where the sign is set, none elsewhere. Comparisons would say it shorter, but of vectors wider than the
// machine's registers GCC compares lane by lane.
template <typename T, int LANES>
SLK_INLINE Bits<T, LANES> where_negative(const Vector<T, LANES>& v) {
    return 0 - ((Bits<T, LANES>)v >> (8 * sizeof(T) - 1));
}

// Of finite numbers.
template <typename T, int LANES>
SLK_INLINE Vector<T, LANES> larger(const Vector<T, LANES>& left, const Vector<T, LANES>& right) {
    const auto less = where_negative<T, LANES>(left - right);
    return (Vector<T, LANES>)(((Bits<T, LANES>)left & ~less) | ((Bits<T, LANES>)right & less));
}

template <typename T, int LANES>
SLK_INLINE T maximum(const Vector<T, LANES>& v) {
    if constexpr (LANES == 1) {
        return v[0];
    } else {
        Vector<T, LANES / 2> halves[2];
        std::memcpy(halves, &v, sizeof v);
        return maximum<T, LANES / 2>(larger<T, LANES / 2>(halves[0], halves[1]));
    }
}

// Whether a bit of one is not that of the other.
template <typename T, int LANES>
SLK_INLINE bool differ(const Vector<T, LANES>& left, const Vector<T, LANES>& right) {
    const auto bits = (Bits<T, LANES>)left ^ (Bits<T, LANES>)right;
    return fold<typename FloatBits<T>::type, LANES>(bits, [](const auto& a, const auto& b) { return a | b; }) != 0;
}

template <typename T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
    using SignedBits = std::int32_t;
    static constexpr int mantissa = 23;
    static constexpr SignedBits root_half = 0x3F3504F3;  // the bits of sqrt(1/2)
    static constexpr std::uint32_t one = 0x3F800000u;
    static constexpr float lowest = -87.0f;        // e^-87 is the last normal number
    static constexpr float negligible = -80.0f;    // e^-80 is one still after it was divided by a thousand
    static constexpr float rounder = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
    static constexpr float ln2_high = 0.693359375f;
    static constexpr float ln2_low = -2.12194440e-4f;
};

template <>
struct ExpConstants<double> {
    using SignedBits = std::int64_t;
    static constexpr int mantissa = 52;
    static constexpr SignedBits root_half = 0x3FE6A09E667F3BCD;
    static constexpr std::uint64_t one = 0x3FF0000000000000ull;
    static constexpr double lowest = -708.0;
    static constexpr double negligible = -700.0;
    static constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52
    static constexpr double ln2_high = 6.93147180369123816490e-01;
    static constexpr double ln2_low = 1.90821492927058770002e-10;
};

// Coefficients as tables: where a loop over them is not unrolled, they would be computed for every vector again.
template <typename T>
struct Series {
    static constexpr int taylor_terms = sizeof(T) == 4 ? 7 : 13, artanh_terms = sizeof(T) == 4 ? 5 : 12;
    T taylor[taylor_terms + 1], artanh[artanh_terms];
    constexpr Series() : taylor(), artanh() {
        double factorial = 1;
        for (int k = 0; k <= taylor_terms; factorial *= ++k) taylor[k] = T(1 / factorial);
        for (int k = 0; k < artanh_terms; ++k) artanh[k] = T(1) / T(2 * k + 1);
    }
};
template <typename T>
constexpr Series<T> SERIES{};

// e^x for x <= 0, never below the smallest normal number: x = n ln 2 + r, |r| <= ln 2 / 2, a Taylor polynomial in
// r, and 2^n written straight into the exponent bits. No branch, no table.
template <typename T, int LANES>
SLK_INLINE Vector<T, LANES> exp_nonpositive(Vector<T, LANES> x) {
    using C = ExpConstants<T>;
    using V = Vector<T, LANES>;
    x = larger<T, LANES>(x, filled<LANES>(C::lowest));
    const V shifted = x * T(1.44269504088896340736) + C::rounder;
    const V n = shifted - C::rounder;
    const V r = (x - n * C::ln2_high) - n * C::ln2_low;
    V series = filled<LANES>(SERIES<T>.taylor[Series<T>::taylor_terms]);
    for (int k = Series<T>::taylor_terms - 1; k >= 0; --k) series = series * r + SERIES<T>.taylor[k];
    const V power = (V)(((Bits<T, LANES>)shifted << C::mantissa) + C::one);
    return series * power;
}

// log x for normal x > 0: x = 2^n m with m around 1, and log m = 2 artanh((m - 1) / (m + 1)) as a series, whose terms
// shrink by 34 or more.
template <typename T, int LANES>
SLK_INLINE Vector<T, LANES> log_positive(Vector<T, LANES> x) {
    using C = ExpConstants<T>;
    using V = Vector<T, LANES>;
    using SignedBits = Vector<typename C::SignedBits, LANES>;
    // Exponents count from sqrt(1/2), so that m lies on both sides of 1.
    const SignedBits above = (SignedBits)x - C::root_half;
    const V exponent = __builtin_convertvector(above >> C::mantissa, V);
    const V m = (V)((above & ((typename C::SignedBits(1) << C::mantissa) - 1)) + C::root_half);
    const V t = (m - T(1)) / (m + T(1)), squared = t * t;
    V series = filled<LANES>(T(0));
    for (int k = Series<T>::artanh_terms - 1; k >= 0; --k) series = SERIES<T>.artanh[k] + series * squared;
    return exponent * C::ln2_high + (exponent * C::ln2_low + T(2) * t * series);
}

// What the features beyond the last whole vector add to |x - y|^2.
template <typename T>
SLK_INLINE double squared_tail(const T* x, const T* y, std::int64_t from, std::int64_t n_features) {
    double squared = 0;
    for (std::int64_t d = from; d < n_features; ++d) squared += double(x[d] - y[d]) * double(x[d] - y[d]);
    return squared;
}

// Squares of differences, added up in lanes: two vectors, as one alone would wait for itself, or one as wide as both,
// where there are such registers; that is the same sum.
template <typename T, int VECTORS = 2>
struct SquaredSums {
    static constexpr int AT_A_TIME = 2 * WIDTH<T>, LANES = AT_A_TIME / VECTORS;
    Vector<T, LANES> sums[VECTORS] = {};

    SLK_INLINE void add(const T* x, const T* y) {
        for (int v = 0; v < VECTORS; ++v) {
            const auto difference = load<LANES>(x + v * LANES) - load<LANES>(y + v * LANES);
            sums[v] += difference * difference;
        }
    }
    SLK_INLINE T total() const {
        auto all = sums[0];
        for (int v = 1; v < VECTORS; ++v) all += sums[v];
        return sum<T, LANES>(all);
    }
};

// |x - y|^2 from differences: rows far from the origin but close to each other keep their distance.
template <typename T>
SLK_INLINE double squared_distance(const T* x, const T* y, std::int64_t n_features) {
    SquaredSums<T> sums;
    std::int64_t d = 0;
    for (; d + sums.AT_A_TIME <= n_features; d += sums.AT_A_TIME) sums.add(x + d, y + d);
    return double(sums.total()) + squared_tail(x, y, d, n_features);
}

// The same of whole numbers whose differences and whose sum fit. A plain loop: products of narrow numbers, summed in
// wider ones, are an instruction that only the optimiser can ask for.
SLK_INLINE std::int32_t squared_distance(const std::int16_t* x, const std::int16_t* y, std::int64_t n_features) {
    std::int32_t squared = 0;
    for (std::int64_t d = 0; d < n_features; ++d) {
        const auto difference = std::int16_t(x[d] - y[d]);
        squared += std::int32_t(difference) * std::int32_t(difference);
    }
    return squared;
}

// |x - y|^2 of one x with each row that is listed, handed on in the order of the list. Several sums at once hide each
// other's latency; each is formed exactly as in squared_distance(). One vector each where they are wide.
constexpr int TOGETHER = 4;

template <int VECTORS = 2, typename T, typename Take>
SLK_INLINE void each_distance(const T* x, const T* rows, std::int64_t n_features, const std::int32_t* listed,
                              std::int64_t count, Take take) {
    constexpr int STEP = SquaredSums<T>::AT_A_TIME;
    const std::int64_t whole = n_features / STEP * STEP;
    for (std::int64_t i = 0; i < count; i += TOGETHER) {
        const int n_here = int(count - i < TOGETHER ? count - i : TOGETHER);
        const T* y[TOGETHER];
        SquaredSums<T, VECTORS> sums[TOGETHER];
        for (int j = 0; j < TOGETHER; ++j) y[j] = rows + std::int64_t(listed[i + (j < n_here ? j : 0)]) * n_features;
        // Where the next ones begin: the machine then sees what follows.
        for (std::int64_t next = i + TOGETHER; next < std::min(i + 2 * TOGETHER, count); ++next)
            __builtin_prefetch(rows + std::int64_t(listed[next]) * n_features);
        for (std::int64_t d = 0; d < whole; d += STEP)
            for (int j = 0; j < TOGETHER; ++j) sums[j].add(x + d, y[j] + d);
        for (int j = 0; j < n_here; ++j)
            take(listed[i + j], double(sums[j].total()) + squared_tail(x, y[j], whole, n_features));
    }
}

}  // namespace slk
