// What every kernel needs: one binary for every CPU, and an exponential the compiler can vectorise.
#pragma once

#include <cstdint>
#include <cstring>

// One source, several machine codes, chosen when the library is loaded. Only a function that is not
// itself an OpenMP region gets its clones, so the parallel loops below call a dispatched function.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define SLK_DISPATCH __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SLK_DISPATCH
#endif

#if defined(__GNUC__)
#define SLK_INLINE inline __attribute__((always_inline))
#else
#define SLK_INLINE inline
#endif

namespace slk {

template <typename T>
struct ExpConstants;

template <>
struct ExpConstants<float> {
    using Bits = std::uint32_t;
    static constexpr int mantissa = 23;
    static constexpr int taylor_terms = 7;
    static constexpr float lowest = -87.0f;        // e^-87 is the last normal number
    static constexpr float rounder = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
    static constexpr float ln2_high = 0.693359375f;
    static constexpr float ln2_low = -2.12194440e-4f;
};

template <>
struct ExpConstants<double> {
    using Bits = std::uint64_t;
    static constexpr int mantissa = 52;
    static constexpr int taylor_terms = 13;
    static constexpr double lowest = -708.0;
    static constexpr double rounder = 6755399441055744.0;  // 1.5 * 2^52
    static constexpr double ln2_high = 6.93147180369123816490e-01;
    static constexpr double ln2_low = 1.90821492927058770002e-10;
};

// e^x for x <= 0, never below the smallest normal number: x = n ln 2 + r, |r| <= ln 2 / 2, a Taylor
// polynomial in r, and 2^n written straight into the exponent bits. No branch, no table.
template <typename T>
SLK_INLINE T exp_nonpositive(T x) {
    using C = ExpConstants<T>;
    using Bits = typename C::Bits;
    x = x < C::lowest ? C::lowest : x;
    const T shifted = x * T(1.44269504088896340736) + C::rounder;
    const T n = shifted - C::rounder;
    const T r = (x - n * C::ln2_high) - n * C::ln2_low;
    T series = T(1);
    for (int k = C::taylor_terms; k >= 1; --k) series = T(1) + series * r * (T(1) / T(k));
    Bits exponent;
    std::memcpy(&exponent, &shifted, sizeof exponent);
    constexpr Bits one = sizeof(T) == 4 ? Bits(0x3F800000u) : Bits(0x3FF0000000000000ull);
    exponent = (exponent << C::mantissa) + one;
    T power;
    std::memcpy(&power, &exponent, sizeof power);
    return series * power;
}

}  // namespace slk
