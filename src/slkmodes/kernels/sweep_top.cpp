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

// What one thread knows about the candidates of its row: places for all clusters, of which few are in use.
template <typename T>
struct Board {
    std::vector<T> pull, similar, own;
    std::vector<char> listed;
    std::vector<std::int32_t> candidates;

    explicit Board(std::int64_t n_clusters)
        : pull(n_clusters), similar(n_clusters), own(n_clusters), listed(n_clusters) {
        candidates.reserve(n_clusters);
    }

    SLK_INLINE void list(std::int32_t cluster) {
        if (listed[cluster]) return;
        listed[cluster] = 1;
        candidates.push_back(cluster);
    }

    void clear() {
        for (const auto l : candidates) listed[l] = 0, pull[l] = similar[l] = own[l] = T(0);
        candidates.clear();
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
        board.list(s.clusters[i]);
        board.own[s.clusters[i]] = s.memberships[i];
        board.pull[s.clusters[i]] = s.memberships[i] * T(s.diagonal_shift);
    }
    for (std::int64_t e = s.row_starts[p]; e < s.row_starts[p + 1]; ++e) {
        const std::int64_t q = s.columns[e];
        for (std::int64_t i = q * s.n_slots; i < (q + 1) * s.n_slots && s.clusters[i] >= 0; ++i) {
            board.list(s.clusters[i]);
            board.pull[s.clusters[i]] += s.weights[e] * s.memberships[i];
        }
    }
    for (std::int64_t i = p * s.n_similar; i < (p + 1) * s.n_similar && s.similar_clusters[i] >= 0; ++i) {
        board.list(s.similar_clusters[i]);
        board.similar[s.similar_clusters[i]] = s.similarity[i];
    }
}

template <typename T>
void sweep_row(const SweepTop<T>& s, std::int64_t p, Board<T>& board) {
    gather(s, p, board);
    const T weight = T(s.laplacian_weight), balance = T(s.balance), spread = T(1 / (1 + s.balance));
    const T nothing = std::log(T(s.floor));
    double objective = 0;
    for (const auto l : board.candidates) {
        const T z = board.own[l];
        const T log_z = z > T(s.floor) ? std::log(z) : nothing;
        const T similar = board.similar[l] + balance * (log_z - s.log_sizes[l]);
        if (z > 0) {
            const T felt = similar + weight / 2 * board.pull[l];
            objective += double(z) * ((1 + s.balance) * std::log(double(z)) - felt);
        }
        board.pull[l] = (similar + weight * board.pull[l]) * spread;  // from here on: the logit
    }
    s.row_objective[p] = objective;

    const auto before = [&](std::int32_t l, std::int32_t k) {
        return board.pull[l] > board.pull[k] || (board.pull[l] == board.pull[k] && l < k);
    };
    const auto kept = std::min<std::int64_t>(s.n_slots, std::int64_t(board.candidates.size()));
    std::partial_sort(board.candidates.begin(), board.candidates.begin() + kept, board.candidates.end(), before);
    std::int32_t* clusters = s.new_clusters + p * s.n_slots;
    T* z_new = s.new_memberships + p * s.n_slots;
    const T top = board.pull[board.candidates[0]];
    T total = 0;
    for (std::int64_t i = 0; i < kept; ++i) {
        clusters[i] = board.candidates[i];
        const T below = board.pull[clusters[i]] - top;
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
    for (auto& board : boards) board.candidates.reserve(s.n_clusters);  // a copy forgets its reserve
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
