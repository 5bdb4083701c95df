// The kernels of the native engine. Each computes its rows independently of how they are cut into
// blocks and of how many threads share the blocks, so neither changes a single bit of the answer.
#pragma once

#include <cstdint>

#include "lists.hpp"

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
    double balance, floor;  // memberships below the floor have its logarithm
    const T* log_sizes;     // of the clusters, `width` of them
    const std::uint8_t* moved;  // which rows the sweep before changed; null: any may have been
    T* new_memberships;
    double* new_negentropy;
    double* row_objective;  // the row's share of R at `memberships`, eq. (2); with `moved`, that of the sweep before
    std::uint8_t* new_moved;
    int threads;
};

// The same for rows of which only the largest memberships are kept: slot i of row p belongs to cluster
// clusters[p, i], or to none where that is -1, as from there on all slots of the row do.
template <typename T>
struct SweepTop {
    std::int64_t n_rows, n_slots, n_similar, n_clusters, block_rows;
    const std::int64_t* row_starts;
    const std::int32_t* columns;
    const T* weights;
    const std::int32_t* similar_clusters;  // n_similar nearest modes of each row
    const T* similarity;
    const std::int32_t* clusters;
    const T* memberships;
    double laplacian_weight, diagonal_shift;
    double balance, floor;
    const T* log_sizes;
    std::int32_t* new_clusters;
    T* new_memberships;
    double* row_objective;
    int threads;
};

// Sums of the columns of memberships over each `tile_rows` rows.
template <typename T>
struct Sizes {
    std::int64_t n_rows, width, tile_rows;
    const T* memberships;
    double* sums;  // of each tile, `width` of them
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

// Sum of weights[p] * k(reference p, y) at every row y that is a candidate.
template <typename T>
struct Density {
    std::int64_t n_features, n_candidates, n_references;
    const T* rows;
    const std::int64_t* candidates;
    const T* answering;  // the rows that are numbered by references
    const std::int64_t* references;
    const double* weights;
    double gamma;
    double* sums;
    int threads;
};

// Segments of a contracted graph, and the group that each is in.
struct Segments {
    std::int64_t n_segments, n_groups;
    const double* weights;  // n_segments x n_segments, symmetric: what share of all edges lies between them
    const double* volumes;  // row sums
    double cut_price;
    std::int64_t* labels;
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

// keys[p] = sum_i (w ^ w >> 32) * odd[i] over the words w of row p, modulo 2^64.
template <typename Word>
struct Keys {
    std::int64_t n_rows, n_words;
    const Word* words;
    const std::uint64_t* odd;
    std::uint64_t* keys;
    int threads;
};

// Rows less their center, times `scale`, cut off at +-`farthest`, on the components: `width` columns, some 16s.
template <typename T>
struct Project {
    std::int64_t n_rows, n_features, width;
    const T* rows;
    const T* center;
    T scale, farthest;
    const float* components;  // n_features x width
    float* projected;
    int threads;
};

// A random-projection tree: the numbers of all rows, halves of halves next to each other down to `leaf_rows`.
struct Tree {
    std::int64_t n_rows, n_columns, leaf_rows;
    const float* points;
    std::int32_t* order;
};

// The first lists, of the nearest among the rows of the same cell, which holds those from its start to the next one's.
struct Cells {
    std::int64_t n_columns, n_cells;
    const float* points;
    const float* lift;  // as in Join
    const std::int64_t* starts;
    Lists lists;
    int threads;
};

// Groups of rows to compare with each other: group g has n_members[g] members from starts[g] on, the first n_fresh[g]
// of which are compared with all (or, `apart`, with the others only), the others with those only. Where `data` is
// given, squared distances are those of its rows (row r of the points is row numbers[r] of the data) times `unit`, and
// the points, its projection, only rule pairs out: distances there are no larger, but for the `rounding` of both rows,
// and row r does not want another that lies beyond its `reach` there. Where a `lift` is given, twice the product of
// those of both rows is added to every squared distance.
template <typename T>
struct Join {
    std::int64_t n_columns, n_groups, n_features;
    const float* points;
    const T* data;
    double unit;
    const float* rounding;
    const float* lift;
    const float* reach;
    const std::int32_t* numbers;
    const std::int64_t* starts;
    const std::int32_t* members;
    const std::int32_t* n_fresh;
    const std::int32_t* n_members;
    bool apart;
    Lists lists;
    int threads;
};

// Groups for the next join: for every row up to `most` fresh and `most` other entries of its list, and as many rows
// that list it; 4 * most places per row, n_members of them used, the n_fresh first.
struct Candidates {
    std::int64_t most;
    Lists lists;
    std::uint64_t seed;
    std::int32_t* members;
    std::int32_t* n_fresh;
    std::int32_t* n_members;
    int threads;
};

// The k nearest of each query's candidates (-1: none) by their distance in the data. Queries are taken in `order`, or
// as they come where it is null.
template <typename T>
struct Rank {
    std::int64_t n_queries, n_candidates, n_features, k;
    const T* queries;
    const T* rows;
    const std::int32_t* candidates;
    const std::int32_t* order;
    std::int32_t* indices;
    T* squared;
    int threads;
};

// Candidates for new points by a walk over links between rows (-1: no more), for each from its own starts: the `n_kept`
// nearest rows met, nearest first, by their `numbers`. Only the `n_queries` of `order` are taken, one after the other.
// Where `absent` is given, it names a row for each query that is passed over, as if it were not there.
template <typename P>
struct Walk {
    std::int64_t n_rows, n_columns, n_queries, n_links, n_starts, n_kept;
    const P* points;
    const P* queries;
    const std::int32_t* links;
    const std::int32_t* starts;
    const std::int32_t* order;
    const std::int32_t* absent;
    const std::int32_t* numbers;
    std::int32_t* found;
    int threads;
};

// The label (-1: none) of every row that most of its neighbours have, by weight; `stay` more for its own.
template <typename T>
struct Vote {
    std::int64_t n_rows, n_groups;
    const std::int64_t* row_starts;
    const std::int32_t* columns;
    const T* weights;
    const std::int64_t* labels;
    double stay;
    std::int64_t* elected;
    int threads;
};

// What groups of rows have of the edges, tile by tile: tile t adds up the rows from bounds[t] to bounds[t + 1] into its
// own sums, which are zero before.
template <typename T>
struct EdgeSums {
    std::int64_t n_tiles, n_groups;
    const std::int64_t* row_starts;
    const std::int32_t* columns;
    const T* weights;
    const std::int64_t* labels;
    const std::int64_t* bounds;
    double* sums;
    int threads;
};

// Rows joined by edges between equal labels are one part; parts are numbered by their first rows.
struct Parts {
    std::int64_t n_rows;
    const std::int64_t* row_starts;
    const std::int32_t* columns;
    const std::int64_t* labels;
    std::int64_t* parts;
};

// One term of a Chebyshev series in a sparse matrix S (CSR) applied to `width` columns: `next`, whose memory may be
// that of `before`, becomes scale * S now - before, and `total` gains coefficient times that. Without `before` nothing
// is subtracted, and `total` becomes initial * now first.
template <typename T>
struct Diffuse {
    std::int64_t n_rows, width;
    const std::int64_t* row_starts;
    const std::int32_t* columns;
    const T* weights;
    double scale, initial, coefficient;
    const T* now;
    const T* before;
    T* next;
    T* total;
    int threads;
};

template <typename T>
void run(const Sweep<T>&);
template <typename T>
void run(const SweepTop<T>&);
template <typename T>
void run(const Sizes<T>&);
template <typename T>
void run(const Similarity<T>&);
template <typename T>
void run(const MeanShift<T>&);
template <typename T>
void run(const Density<T>&);
template <typename T>
void run(const Nearest<T>&);
template <typename Word>
void run(const Keys<Word>&);
template <typename T>
void run(const Vote<T>&);
// From each group to each other: n_groups x n_groups sums.
template <typename T>
void weights_between(const EdgeSums<T>&);
// Of the weights that leave rows of each group, that enter them, and that do both: 3 x n_groups sums.
template <typename T>
void group_weights(const EdgeSums<T>&);
void run(const Parts&);
// Merge the two groups whose merge costs least, until n_groups are left, which are labelled by their first segments.
void agglomerate(const Segments&);
// Move the segment whose move to another group saves most, until none saves; returns the cost.
double improve(const Segments&);
template <typename T>
void run(const Diffuse<T>&);
template <typename T>
void run(const Project<T>&);
template <typename T>
void run(const Rank<T>&);
void run(const Tree&);
void run(const Cells&);
template <typename T>
void run(const Join<T>&);
void run(const Candidates&);
template <typename P>
void run(const Walk<P>&);

}  // namespace slk
