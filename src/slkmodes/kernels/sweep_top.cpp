// The z-update of sweep.cpp where every row has only its largest few memberships. The candidates of a row are the
// clusters that itself, its neighbours and its nearest modes have; those with the largest logits are kept, the largest
// first, of equal ones the first cluster.
#include <algorithm>
#include <cmath>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "kernels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

// What one thread knows about its row: a place for every cluster, of which few are in use, the candidates.
template <typename T>
struct Board {
    struct Place {  // all in one cache line
        T pull, similar, own;
        std::int32_t is_candidate;
    };
    struct Scored {
        T logit;
        std::int32_t cluster;
        bool operator<(const Scored& other) const {
            return logit > other.logit || (logit == other.logit && cluster < other.cluster);
        }
    };
    std::vector<Place> places;
    std::vector<std::int32_t> candidates;
    std::vector<Scored> scored;
    std::int64_t count = 0;

    explicit Board(std::int64_t n_clusters) : places(n_clusters), candidates(n_clusters), scored(n_clusters) {}

    SLK_INLINE Place& at(std::int32_t cluster) {
        Place& place = places[cluster];
        if (!place.is_candidate) {
            place.is_candidate = 1;
            candidates[count++] = cluster;
        }
        return place;
    }

    void clear() {
        for (std::int64_t i = 0; i < count; ++i) places[candidates[i]] = {};
        count = 0;
    }
};

template <typename T>
SLK_INLINE void fetch_neighbors(const SweepTop<T>& s, std::int64_t p) {
    for (std::int64_t e = s.row_starts[p]; e < s.row_starts[p + 1]; ++e) {
        fetch_ahead(s.clusters + std::int64_t(s.columns[e]) * s.n_slots, s.n_slots);
        fetch_ahead(s.memberships + std::int64_t(s.columns[e]) * s.n_slots, s.n_slots);
    }
}

// Everything that the logits of row p are made of.
template <typename T>
SLK_INLINE void gather(const SweepTop<T>& s, std::int64_t p, Board<T>& board) {
    board.clear();
    for (std::int64_t i = p * s.n_slots; i < (p + 1) * s.n_slots && s.clusters[i] >= 0; ++i) {
        auto& place = board.at(s.clusters[i]);
        place.own = s.memberships[i];
        place.pull = s.memberships[i] * T(s.diagonal_shift);
    }
    for (std::int64_t e = s.row_starts[p]; e < s.row_starts[p + 1]; ++e) {
        const std::int64_t q = s.columns[e];
        for (std::int64_t i = q * s.n_slots; i < (q + 1) * s.n_slots && s.clusters[i] >= 0; ++i)
            board.at(s.clusters[i]).pull += s.weights[e] * s.memberships[i];
    }
    for (std::int64_t i = p * s.n_similar; i < (p + 1) * s.n_similar && s.similar_clusters[i] >= 0; ++i)
        board.at(s.similar_clusters[i]).similar = s.similarity[i];
}

template <typename T>
void sweep_row(const SweepTop<T>& s, std::int64_t p, Board<T>& board) {
    gather(s, p, board);
    const T weight = T(s.laplacian_weight), balance = T(s.balance), spread = T(1 / (1 + s.balance));
    const T nothing = std::log(T(s.floor));
    double objective = 0;
    for (std::int64_t i = 0; i < board.count; ++i) {
        const std::int32_t l = board.candidates[i];
        const auto& place = board.places[l];
        const T z = place.own;
        const T log_z = z > T(s.floor) ? std::log(z) : nothing;
        const T similar = place.similar + balance * (log_z - s.log_sizes[l]);
        if (z > 0) {
            const T felt = similar + weight / 2 * place.pull;
            objective += double(z) * ((1 + s.balance) * std::log(double(z)) - felt);
        }
        board.scored[i] = {(similar + weight * place.pull) * spread, l};
    }
    s.row_objective[p] = objective;

    const auto kept = std::min(s.n_slots, board.count);
    auto* scored = board.scored.data();
    std::partial_sort(scored, scored + kept, scored + board.count);
    std::int32_t* clusters = s.new_clusters + p * s.n_slots;
    T* z_new = s.new_memberships + p * s.n_slots;
    T total = 0;
    for (std::int64_t i = 0; i < kept; ++i) {
        clusters[i] = scored[i].cluster;
        const T below = scored[i].logit - scored[0].logit;
        total += z_new[i] = below < ExpConstants<T>::negligible ? T(0) : std::exp(below);
    }
    for (std::int64_t i = 0; i < kept; ++i) z_new[i] /= total;
    std::fill(clusters + kept, clusters + s.n_slots, -1);
    std::fill(z_new + kept, z_new + s.n_slots, T(0));
}

}  // namespace

template <typename T>
void run(const SweepTop<T>& s) {
    const std::int64_t n_blocks = (s.n_rows + s.block_rows - 1) / s.block_rows;
    // Made before the threads start: an exception must not leave a parallel region.
    std::vector<Board<T>> boards(s.threads, Board<T>(s.n_clusters));
#pragma omp parallel num_threads(s.threads)
    {
#ifdef _OPENMP
        Board<T>& own = boards[omp_get_thread_num()];
#else
        Board<T>& own = boards[0];
#endif
#pragma omp for schedule(dynamic)
        for (std::int64_t block = 0; block < n_blocks; ++block)
            for (std::int64_t p = block * s.block_rows; p < std::min((block + 1) * s.block_rows, s.n_rows); ++p) {
                if (p + 2 < s.n_rows) fetch_neighbors(s, p + 2);
                sweep_row(s, p, own);
            }
    }
}

template void run(const SweepTop<float>&);
template void run(const SweepTop<double>&);

}  // namespace slk
