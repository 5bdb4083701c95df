// A number for every row, by which equal rows are found: a sum of its words, mixed, times an odd number for each
// column.
#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

template <typename Word>
SLK_INLINE std::uint64_t key_of(const Word* words, const std::uint64_t* odd, std::int64_t n_words) {
    std::uint64_t key = 0;
    for (std::int64_t i = 0; i < n_words; ++i) {
        const std::uint64_t word = words[i];
        key += (word ^ (word >> 32)) * odd[i];
    }
    return key;
}

SLK_DISPATCH void add_key(const Keys<std::uint32_t>& s, std::int64_t p) {
    s.keys[p] = key_of(s.words + p * s.n_words, s.odd, s.n_words);
}

SLK_DISPATCH void add_key(const Keys<std::uint64_t>& s, std::int64_t p) {
    s.keys[p] = key_of(s.words + p * s.n_words, s.odd, s.n_words);
}

}  // namespace

template <typename Word>
void run(const Keys<Word>& s) {
#pragma omp parallel for schedule(static) num_threads(s.threads)
    for (std::int64_t p = 0; p < s.n_rows; ++p) add_key(s, p);
}

template void run(const Keys<std::uint32_t>&);
template void run(const Keys<std::uint64_t>&);

}  // namespace slk
