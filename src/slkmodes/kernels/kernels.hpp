// The kernels of the native engine. Each computes its rows independently of how they are cut into
// blocks and of how many threads share the blocks, so neither changes a single bit of the answer.
#pragma once

#include <cstdint>

namespace slk {

// One z-update of all rows, eqs. (6) and (8).
//   Z: memberships, A: similarity to the modes, W: affinity (CSR); n rows of `width` padded columns
template <typename T>
struct Sweep {
    std::int64_t n_rows, width, block_rows;
    const std::int64_t* row_starts;
    const std::int32_t* columns;
    const T* weights;
    const T* similarity;
    const T* memberships;
    const double* negentropy;  // sum_l z log z of each row of `memberships`
    double laplacian_weight, diagonal_shift;
    T* new_memberships;
    double* new_negentropy;
    double* row_objective;  // the row's share of R at `memberships`, eq. (2)
    int threads;
};

// Gaussian similarity of every row to every mode, written into padded rows.
template <typename T>
struct Similarity {
    std::int64_t n_rows, n_features, n_modes, width, block_rows;
    const T* rows;
    const T* modes;
    double gamma;    // 1 / (2 bandwidth^2)
    T padding;       // what the columns beyond n_modes hold
    T* similarity;
    int threads;
};

// One mean-shift step, eq. (9), as partial sums: tile t holds the rows order[starts[t] : starts[t + 1]],
// all members of cluster tile_cluster[t]. The tiles are fixed by the caller, hence so is the rounding.
template <typename T>
struct MeanShift {
    std::int64_t n_features, n_tiles;
    const T* rows;
    const T* modes;
    double gamma;
    const std::int64_t* order;
    const double* weights;  // z of order[i] in its own cluster
    const std::int64_t* starts;
    const std::int32_t* tile_cluster;
    double* sums;    // n_tiles x n_features
    double* masses;  // n_tiles
    int threads;
};

// The k rows nearest to each query; `squared` distances ascend, -1 and infinity where there are too few rows.
template <typename T>
struct Nearest {
    std::int64_t n_queries, n_rows, n_features, k;
    const T* queries;
    const T* rows;
    std::int64_t* indices;
    T* squared;
    int threads;
};

// Squared distance of every query to each of its candidate rows; infinity where the candidate is -1.
template <typename T>
struct Distances {
    std::int64_t n_queries, n_candidates, n_features;
    const T* queries;
    const T* rows;
    const std::int64_t* candidates;
    T* squared;
    int threads;
};

// One term of a Chebyshev series in a sparse matrix S (CSR) applied to `width` columns: `before` becomes
// scale * S now - before, and `total` gains coefficient times that.
template <typename T>
struct Diffuse {
    std::int64_t n_rows, width;
    const std::int64_t* row_starts;
    const std::int32_t* columns;
    const T* weights;
    double scale, coefficient;
    const T* now;
    T* before;
    T* total;
    int threads;
};

template <typename T>
void run(const Sweep<T>&);
template <typename T>
void run(const Similarity<T>&);
template <typename T>
void run(const MeanShift<T>&);
template <typename T>
void run(const Nearest<T>&);
template <typename T>
void run(const Distances<T>&);
template <typename T>
void run(const Diffuse<T>&);

}  // namespace slk
