// Python's view of the kernels. Types and shapes are checked here; that row and column numbers exist is the
// caller's promise. The GIL is released while a kernel runs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "kernels.hpp"

namespace nb = nanobind;

namespace {

template <typename T, std::size_t DIMS>
using Input = nb::ndarray<const T, nb::ndim<DIMS>, nb::c_contig, nb::device::cpu>;
template <typename T, std::size_t DIMS>
using Output = nb::ndarray<T, nb::ndim<DIMS>, nb::c_contig, nb::device::cpu>;

void require(bool ok, const char* message) {
    if (!ok) throw std::invalid_argument(message);
}

template <typename T>
void sweep(Input<std::int64_t, 1> row_starts, Input<std::int32_t, 1> columns, Input<T, 1> weights,
           Input<T, 2> similarity, Input<T, 2> memberships, Input<double, 1> negentropy,
           double laplacian_weight, double diagonal_shift, double balance, double floor, Input<T, 1> log_sizes,
           std::optional<Input<std::uint8_t, 1>> moved, Output<T, 2> new_memberships, Output<double, 1> new_negentropy,
           Output<double, 1> row_objective, Output<std::uint8_t, 1> new_moved, int threads, std::int64_t block_rows) {
    const auto n = std::int64_t(memberships.shape(0)), width = std::int64_t(memberships.shape(1));
    const auto shaped = [&](const auto& a) {
        return std::int64_t(a.shape(0)) == n && std::int64_t(a.shape(1)) == width;
    };
    const auto long_as_rows = [&](const auto& a) { return std::int64_t(a.shape(0)) == n; };
    require(std::int64_t(row_starts.shape(0)) == n + 1, "sweep: row_starts must have n + 1 entries");
    require(columns.shape(0) == weights.shape(0), "sweep: columns and weights differ in length");
    require(shaped(similarity) && shaped(new_memberships), "sweep: arrays of memberships differ in shape");
    require(long_as_rows(negentropy) && long_as_rows(new_negentropy) && long_as_rows(row_objective) &&
                long_as_rows(new_moved) && (!moved || long_as_rows(*moved)),
            "sweep: per-row arrays must have n entries");
    require(row_starts.data()[n] == std::int64_t(columns.shape(0)), "sweep: row_starts must end at the last column");
    require(width == 8 || (width > 0 && width % 16 == 0), "sweep: rows must be padded to 8 or to 16s of columns");
    require(balance == 0 || !moved, "sweep: with a balance every row may move");
    require(balance == 0 || std::int64_t(log_sizes.shape(0)) == width, "sweep: log_sizes must be padded like rows");
    require(threads > 0 && block_rows > 0, "sweep: threads and block_rows must be positive");
    const slk::Sweep<T> job{n, width, block_rows, row_starts.data(), columns.data(), weights.data(),
                            similarity.data(), memberships.data(), negentropy.data(), laplacian_weight,
                            diagonal_shift, balance, floor, log_sizes.data(), moved ? moved->data() : nullptr,
                            new_memberships.data(), new_negentropy.data(), row_objective.data(), new_moved.data(),
                            threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

template <typename T>
void sweep_top(Input<std::int64_t, 1> row_starts, Input<std::int32_t, 1> columns, Input<T, 1> weights,
               Input<std::int32_t, 2> similar_clusters, Input<T, 2> similarity, Input<std::int32_t, 2> clusters,
               Input<T, 2> memberships, double laplacian_weight, double diagonal_shift, double balance, double floor,
               Input<T, 1> log_sizes, Output<std::int32_t, 2> new_clusters, Output<T, 2> new_memberships,
               Output<double, 1> row_objective, int threads, std::int64_t block_rows) {
    const auto n = std::int64_t(memberships.shape(0));
    const auto shaped = [](const auto& a, const auto& b) {
        return a.shape(0) == b.shape(0) && a.shape(1) == b.shape(1);
    };
    require(std::int64_t(row_starts.shape(0)) == n + 1, "sweep_top: row_starts must have n + 1 entries");
    require(columns.shape(0) == weights.shape(0), "sweep_top: columns and weights differ in length");
    require(row_starts.data()[n] == std::int64_t(columns.shape(0)),
            "sweep_top: row_starts must end at the last column");
    require(shaped(clusters, memberships) && shaped(new_clusters, memberships) && shaped(new_memberships, memberships),
            "sweep_top: arrays of memberships differ in shape");
    require(shaped(similar_clusters, similarity) && std::int64_t(similarity.shape(0)) == n,
            "sweep_top: arrays of similarity differ in shape");
    require(std::int64_t(row_objective.shape(0)) == n, "sweep_top: row_objective must have n entries");
    require(threads > 0 && block_rows > 0, "sweep_top: threads and block_rows must be positive");
    const slk::SweepTop<T> job{n, std::int64_t(memberships.shape(1)), std::int64_t(similarity.shape(1)),
                               std::int64_t(log_sizes.shape(0)), block_rows, row_starts.data(), columns.data(),
                               weights.data(), similar_clusters.data(), similarity.data(), clusters.data(),
                               memberships.data(), laplacian_weight, diagonal_shift, balance, floor, log_sizes.data(),
                               new_clusters.data(), new_memberships.data(), row_objective.data(), threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

template <typename T>
void similarity(Input<T, 2> rows, Input<T, 2> modes, double gamma, double padding, Output<T, 2> out,
                int threads, std::int64_t block_rows) {
    require(rows.shape(1) == modes.shape(1), "similarity: rows and modes differ in features");
    require(rows.shape(0) == out.shape(0), "similarity: output has the wrong number of rows");
    require(out.shape(1) >= modes.shape(0), "similarity: output has too few columns");
    require(threads > 0 && block_rows > 0, "similarity: threads and block_rows must be positive");
    const slk::Similarity<T> job{std::int64_t(rows.shape(0)), std::int64_t(rows.shape(1)),
                                 std::int64_t(modes.shape(0)), std::int64_t(out.shape(1)), block_rows,
                                 rows.data(), modes.data(), gamma, T(padding), out.data(), threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

template <typename T>
void mean_shift(Input<T, 2> rows, Input<T, 2> modes, double gamma, Input<std::int64_t, 1> order,
                Input<double, 1> weights, Input<std::int64_t, 1> starts,
                Input<std::int32_t, 1> tile_cluster, Output<double, 2> sums, Output<double, 1> masses,
                int threads) {
    const std::size_t n_tiles = tile_cluster.shape(0);
    require(rows.shape(1) == modes.shape(1), "mean_shift: rows and modes differ in features");
    require(order.shape(0) == weights.shape(0), "mean_shift: order and weights differ in length");
    require(starts.shape(0) == n_tiles + 1, "mean_shift: starts must have one entry more than tiles");
    require(sums.shape(0) == n_tiles && sums.shape(1) == rows.shape(1) && masses.shape(0) == n_tiles,
            "mean_shift: outputs have the wrong shape");
    require(threads > 0, "mean_shift: threads must be positive");
    const slk::MeanShift<T> job{std::int64_t(rows.shape(1)), std::int64_t(n_tiles), rows.data(),
                                modes.data(), gamma, order.data(), weights.data(), starts.data(),
                                tile_cluster.data(), sums.data(), masses.data(), threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

template <typename T>
void density(Input<T, 2> rows, Input<std::int64_t, 1> candidates, Input<T, 2> answering,
             Input<std::int64_t, 1> references, Input<double, 1> weights, double gamma, Output<double, 1> sums,
             int threads) {
    require(rows.shape(1) == answering.shape(1), "density: rows that ask and that answer differ in features");
    require(references.shape(0) == weights.shape(0), "density: references and weights differ in length");
    require(candidates.shape(0) == sums.shape(0), "density: candidates and output differ in length");
    require(threads > 0, "density: threads must be positive");
    const slk::Density<T> job{std::int64_t(rows.shape(1)), std::int64_t(candidates.shape(0)),
                              std::int64_t(references.shape(0)), rows.data(), candidates.data(), answering.data(),
                              references.data(), weights.data(), gamma, sums.data(), threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

slk::Segments segments(Input<double, 2> weights, Input<double, 1> volumes, std::int64_t n_groups, double cut_price,
                       Output<std::int64_t, 1> labels) {
    const auto n = std::int64_t(volumes.shape(0));
    require(std::int64_t(weights.shape(0)) == n && std::int64_t(weights.shape(1)) == n,
            "segments: weights must be square, and as many as volumes");
    require(std::int64_t(labels.shape(0)) == n, "segments: labels and volumes differ in length");
    require(1 <= n_groups && n_groups <= n, "segments: there must be one for every group");
    return {n, n_groups, weights.data(), volumes.data(), cut_price, labels.data()};
}

void agglomerate(Input<double, 2> weights, Input<double, 1> volumes, std::int64_t n_groups, double cut_price,
                 Output<std::int64_t, 1> labels) {
    const auto job = segments(weights, volumes, n_groups, cut_price, labels);
    nb::gil_scoped_release nogil;
    slk::agglomerate(job);
}

double improve(Input<double, 2> weights, Input<double, 1> volumes, std::int64_t n_groups, double cut_price,
               Output<std::int64_t, 1> labels) {
    const auto job = segments(weights, volumes, n_groups, cut_price, labels);
    require(std::all_of(job.labels, job.labels + job.n_segments, [&](auto l) { return 0 <= l && l < n_groups; }),
            "improve: labels must name groups");
    nb::gil_scoped_release nogil;
    return slk::improve(job);
}

template <typename T>
void nearest(Input<T, 2> rows, Input<T, 2> queries, Output<std::int64_t, 2> indices, Output<T, 2> squared,
             int threads) {
    require(rows.shape(1) == queries.shape(1), "nearest: rows and queries differ in features");
    require(indices.shape(0) == queries.shape(0) && squared.shape(0) == queries.shape(0) &&
                indices.shape(1) == squared.shape(1) && indices.shape(1) > 0,
            "nearest: outputs have the wrong shape");
    require(threads > 0, "nearest: threads must be positive");
    const slk::Nearest<T> job{std::int64_t(queries.shape(0)), std::int64_t(rows.shape(0)),
                              std::int64_t(rows.shape(1)), std::int64_t(indices.shape(1)), queries.data(),
                              rows.data(), indices.data(), squared.data(), threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

template <typename T>
void project(Input<T, 2> rows, Input<T, 1> center, double scale, double farthest, Input<float, 2> components,
             Output<float, 2> projected, int threads) {
    require(rows.shape(1) == center.shape(0) && rows.shape(1) == components.shape(0) && rows.shape(1) > 0,
            "project: rows, center and components differ in features");
    require(projected.shape(0) == rows.shape(0) && projected.shape(1) == components.shape(1),
            "project: output has the wrong shape");
    require(components.shape(1) % 16 == 0, "project: components must be padded to 16s of columns");
    require(threads > 0, "project: threads must be positive");
    const slk::Project<T> job{std::int64_t(rows.shape(0)), std::int64_t(rows.shape(1)),
                              std::int64_t(components.shape(1)), rows.data(), center.data(), T(scale), T(farthest),
                              components.data(), projected.data(), threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

template <typename T>
void diffuse(Input<std::int64_t, 1> row_starts, Input<std::int32_t, 1> columns, Input<T, 1> weights, double scale,
             double initial, double coefficient, Input<T, 2> now, std::optional<Input<T, 2>> before, Output<T, 2> next,
             Output<T, 2> total, int threads) {
    const auto n = std::int64_t(now.shape(0)), width = std::int64_t(now.shape(1));
    const auto shaped = [&](const auto& a) {
        return std::int64_t(a.shape(0)) == n && std::int64_t(a.shape(1)) == width;
    };
    require(std::int64_t(row_starts.shape(0)) == n + 1, "diffuse: row_starts must have n + 1 entries");
    require(columns.shape(0) == weights.shape(0), "diffuse: columns and weights differ in length");
    require(row_starts.data()[n] == std::int64_t(columns.shape(0)), "diffuse: row_starts must end at the last column");
    require((!before || shaped(*before)) && shaped(next) && shaped(total),
            "diffuse: arrays of columns differ in shape");
    require(threads > 0, "diffuse: threads must be positive");
    const slk::Diffuse<T> job{n, width, row_starts.data(), columns.data(), weights.data(), scale, initial,
                              coefficient, now.data(), before ? before->data() : nullptr, next.data(), total.data(),
                              threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

// What kernels over edges and labels share: as many starts as rows and one more, a weight and a column for every edge.
template <typename Weights>
void require_edges(Input<std::int64_t, 1> row_starts, Input<std::int32_t, 1> columns, const Weights& weights,
                   Input<std::int64_t, 1> labels) {
    require(row_starts.shape(0) == labels.shape(0) + 1, "edges: row_starts must have an entry more than labels");
    require(columns.shape(0) == weights.shape(0), "edges: columns and weights differ in length");
    require(row_starts.data()[labels.shape(0)] == std::int64_t(columns.shape(0)),
            "edges: row_starts must end at the last column");
}

template <typename T>
void sizes(Input<T, 2> memberships, std::int64_t tile_rows, Output<double, 2> sums, int threads) {
    const auto n = std::int64_t(memberships.shape(0)), width = std::int64_t(memberships.shape(1));
    require(tile_rows > 0 && threads > 0, "sizes: tile_rows and threads must be positive");
    require(std::int64_t(sums.shape(0)) == (n + tile_rows - 1) / tile_rows && std::int64_t(sums.shape(1)) == width,
            "sizes: arrays differ in shape");
    const slk::Sizes<T> job{n, width, tile_rows, memberships.data(), sums.data(), threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

template <typename T>
void vote(Input<std::int64_t, 1> row_starts, Input<std::int32_t, 1> columns, Input<T, 1> weights,
          Input<std::int64_t, 1> labels, std::int64_t n_groups, double stay, Output<std::int64_t, 1> elected,
          int threads) {
    require_edges(row_starts, columns, weights, labels);
    require(elected.shape(0) == labels.shape(0), "vote: arrays of labels differ in length");
    require(n_groups >= 0 && threads > 0, "vote: threads must be positive");
    const slk::Vote<T> job{std::int64_t(labels.shape(0)), n_groups, row_starts.data(), columns.data(),
                           weights.data(), labels.data(), stay, elected.data(), threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

template <typename T>
slk::EdgeSums<T> edge_sums(Input<std::int64_t, 1> row_starts, Input<std::int32_t, 1> columns, Input<T, 1> weights,
                           Input<std::int64_t, 1> labels, Input<std::int64_t, 1> bounds, Output<double, 3> sums,
                           int threads) {
    require_edges(row_starts, columns, weights, labels);
    const std::size_t n_tiles = sums.shape(0);
    require(bounds.shape(0) == n_tiles + 1, "edge sums: bounds must be one more than tiles");
    require(bounds.data()[0] >= 0 && bounds.data()[n_tiles] <= std::int64_t(labels.shape(0)),
            "edge sums: bounds must be rows");
    require(threads > 0, "edge sums: threads must be positive");
    return {std::int64_t(n_tiles), std::int64_t(sums.shape(2)), row_starts.data(), columns.data(), weights.data(),
            labels.data(), bounds.data(), sums.data(), threads};
}

template <typename T>
void weights_between(Input<std::int64_t, 1> row_starts, Input<std::int32_t, 1> columns, Input<T, 1> weights,
                     Input<std::int64_t, 1> labels, Input<std::int64_t, 1> bounds, Output<double, 3> sums,
                     int threads) {
    require(sums.shape(1) == sums.shape(2), "weights_between: sums must be square");
    const auto job = edge_sums(row_starts, columns, weights, labels, bounds, sums, threads);
    nb::gil_scoped_release nogil;
    slk::weights_between(job);
}

template <typename T>
void group_weights(Input<std::int64_t, 1> row_starts, Input<std::int32_t, 1> columns, Input<T, 1> weights,
                   Input<std::int64_t, 1> labels, Input<std::int64_t, 1> bounds, Output<double, 3> sums, int threads) {
    require(sums.shape(1) == 3, "group_weights: there must be three sums of each group");
    const auto job = edge_sums(row_starts, columns, weights, labels, bounds, sums, threads);
    nb::gil_scoped_release nogil;
    slk::group_weights(job);
}

template <typename Word>
void keys(Input<Word, 2> words, Input<std::uint64_t, 1> odd, Output<std::uint64_t, 1> keys, int threads) {
    require(odd.shape(0) == words.shape(1) && keys.shape(0) == words.shape(0), "keys: arrays differ in shape");
    require(threads > 0, "keys: threads must be positive");
    const slk::Keys<Word> job{std::int64_t(words.shape(0)), std::int64_t(words.shape(1)), words.data(), odd.data(),
                              keys.data(), threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

void parts(Input<std::int64_t, 1> row_starts, Input<std::int32_t, 1> columns, Input<std::int64_t, 1> labels,
           Output<std::int64_t, 1> parts) {
    require_edges(row_starts, columns, columns, labels);
    require(parts.shape(0) == labels.shape(0), "parts: arrays of labels differ in length");
    const slk::Parts job{std::int64_t(labels.shape(0)), row_starts.data(), columns.data(), labels.data(), parts.data()};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

slk::Lists lists_of(Output<std::int32_t, 2> rows, Output<float, 2> squared, Output<std::uint8_t, 2> fresh) {
    require(rows.shape(0) == squared.shape(0) && rows.shape(0) == fresh.shape(0) && rows.shape(1) > 0 &&
                rows.shape(1) == squared.shape(1) && rows.shape(1) == fresh.shape(1),
            "lists: arrays differ in shape");
    require(rows.shape(1) % 16 == 0, "lists: must be padded to 16s of entries");
    return {std::int64_t(rows.shape(0)), std::int64_t(rows.shape(1)), rows.data(), squared.data(), fresh.data()};
}

void tree(Input<float, 2> points, std::int64_t leaf_rows, Output<std::int32_t, 1> order) {
    require(order.shape(0) == points.shape(0), "tree: order has the wrong number of rows");
    require(points.shape(1) % 16 == 0, "tree: points must be padded to 16s of columns");
    require(leaf_rows > 0, "tree: leaves must have rows");
    const slk::Tree job{std::int64_t(points.shape(0)), std::int64_t(points.shape(1)), leaf_rows, points.data(),
                        order.data()};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

void cells(Input<float, 2> points, std::optional<Input<float, 1>> lift, Input<std::int64_t, 1> starts,
           Output<std::int32_t, 2> rows, Output<float, 2> squared, Output<std::uint8_t, 2> fresh, int threads) {
    const slk::Lists lists = lists_of(rows, squared, fresh);
    require(std::int64_t(points.shape(0)) == lists.n_rows, "cells: points and lists differ in rows");
    require(!lift || std::int64_t(lift->shape(0)) == lists.n_rows, "cells: lift and lists differ in rows");
    require(points.shape(1) % 16 == 0, "cells: points must be padded to 16s of columns");
    require(starts.shape(0) > 0 && starts.data()[0] == 0 && starts.data()[starts.shape(0) - 1] == lists.n_rows &&
                std::is_sorted(starts.data(), starts.data() + starts.shape(0)),
            "cells: starts must ascend from the first row to the last");
    require(threads > 0, "cells: threads must be positive");
    const slk::Cells job{std::int64_t(points.shape(1)), std::int64_t(starts.shape(0)) - 1, points.data(),
                         lift ? lift->data() : nullptr, starts.data(), lists, threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

template <typename T>
void join(Input<float, 2> points, std::optional<Input<T, 2>> data, double unit, Input<float, 1> rounding,
          std::optional<Input<float, 1>> lift, Input<float, 1> reach, Input<std::int32_t, 1> numbers,
          Input<std::int64_t, 1> starts, Input<std::int32_t, 1> members, Input<std::int32_t, 1> n_fresh,
          Input<std::int32_t, 1> n_members, bool apart, Output<std::int32_t, 2> rows, Output<float, 2> squared,
          Output<std::uint8_t, 2> fresh, int threads) {
    const slk::Lists lists = lists_of(rows, squared, fresh);
    require(std::int64_t(points.shape(0)) == lists.n_rows && points.shape(0) == numbers.shape(0) &&
                (!data || (points.shape(0) == reach.shape(0) && points.shape(0) == rounding.shape(0) &&
                           points.shape(0) == data->shape(0))) &&
                (!lift || points.shape(0) == lift->shape(0)),
            "join: points, data, rounding, lift, reach, numbers and lists differ in rows");
    require(points.shape(1) % 16 == 0, "join: points must be padded to 16s of columns");
    require(starts.shape(0) == n_fresh.shape(0) && starts.shape(0) == n_members.shape(0),
            "join: arrays of groups differ in length");
    for (std::size_t g = 0; g < starts.shape(0); ++g)
        require(starts.data()[g] >= 0 && 0 <= n_fresh.data()[g] && n_fresh.data()[g] <= n_members.data()[g] &&
                    starts.data()[g] + n_members.data()[g] <= std::int64_t(members.shape(0)),
                "join: groups must lie within members");
    require(threads > 0, "join: threads must be positive");
    const slk::Join<T> job{std::int64_t(points.shape(1)), std::int64_t(starts.shape(0)),
                           data ? std::int64_t(data->shape(1)) : 0, points.data(), data ? data->data() : nullptr, unit,
                           rounding.data(), lift ? lift->data() : nullptr, reach.data(), numbers.data(), starts.data(),
                           members.data(), n_fresh.data(), n_members.data(), apart, lists, threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

void candidates(std::int64_t most, std::uint64_t seed, Output<std::int32_t, 2> rows, Output<float, 2> squared,
                Output<std::uint8_t, 2> fresh, Output<std::int32_t, 2> members, Output<std::int32_t, 1> n_fresh,
                Output<std::int32_t, 1> n_members, int threads) {
    const slk::Lists lists = lists_of(rows, squared, fresh);
    require(most > 0 && std::int64_t(members.shape(1)) == 4 * most, "candidates: members must have 4 * most columns");
    require(std::int64_t(members.shape(0)) == lists.n_rows && std::int64_t(n_fresh.shape(0)) == lists.n_rows &&
                std::int64_t(n_members.shape(0)) == lists.n_rows,
            "candidates: outputs have the wrong number of rows");
    require(threads > 0, "candidates: threads must be positive");
    const slk::Candidates job{most, lists, seed, members.data(), n_fresh.data(), n_members.data(), threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

template <typename P>
void walk(Input<P, 2> points, Input<P, 2> queries, Input<std::int32_t, 2> links, Input<std::int32_t, 2> starts,
          Input<std::int32_t, 1> order, std::optional<Input<std::int32_t, 1>> absent, Input<std::int32_t, 1> numbers,
          Output<std::int32_t, 2> found, int threads) {
    require(points.shape(1) == queries.shape(1), "walk: points and queries differ in columns");
    require(links.shape(0) == points.shape(0) && numbers.shape(0) == points.shape(0),
            "walk: links, numbers and points differ in rows");
    require(found.shape(0) == queries.shape(0) && starts.shape(0) == queries.shape(0) &&
                order.shape(0) <= queries.shape(0) && (!absent || absent->shape(0) == queries.shape(0)) &&
                found.shape(1) > 0,
            "walk: arrays of queries differ in shape");
    require(threads > 0, "walk: threads must be positive");
    const slk::Walk<P> job{std::int64_t(points.shape(0)), std::int64_t(points.shape(1)), std::int64_t(order.shape(0)),
                           std::int64_t(links.shape(1)), std::int64_t(starts.shape(1)), std::int64_t(found.shape(1)),
                           points.data(), queries.data(), links.data(), starts.data(), order.data(),
                           absent ? absent->data() : nullptr, numbers.data(), found.data(), threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

template <typename T>
void rank(Input<T, 2> rows, Input<T, 2> queries, Input<std::int32_t, 2> candidates,
          std::optional<Input<std::int32_t, 1>> order,
          Output<std::int32_t, 2> indices, Output<T, 2> squared, int threads) {
    require(rows.shape(1) == queries.shape(1), "rank: rows and queries differ in features");
    require(candidates.shape(0) == queries.shape(0) && (!order || order->shape(0) == queries.shape(0)) &&
                indices.shape(0) == queries.shape(0) && squared.shape(0) == queries.shape(0) &&
                indices.shape(1) == squared.shape(1) && indices.shape(1) > 0,
            "rank: arrays differ in shape");
    require(threads > 0, "rank: threads must be positive");
    const slk::Rank<T> job{std::int64_t(queries.shape(0)), std::int64_t(candidates.shape(1)),
                           std::int64_t(rows.shape(1)), std::int64_t(indices.shape(1)), queries.data(), rows.data(),
                           candidates.data(), order ? order->data() : nullptr, indices.data(), squared.data(),
                           threads};
    nb::gil_scoped_release nogil;
    slk::run(job);
}

// No argument is ever converted: a converted output would be a copy that nobody reads.
template <typename T>
void add_kernels(nb::module_& m) {
    const auto array = [](const char* name) { return nb::arg(name).noconvert(); };
    using nb::arg;
    m.def("sweep", &sweep<T>, array("row_starts"), array("columns"), array("weights"), array("similarity"),
          array("memberships"), array("negentropy"), arg("laplacian_weight"), arg("diagonal_shift"),
          arg("balance"), arg("floor"), array("log_sizes"), nb::arg("moved").noconvert().none(),
          array("new_memberships"), array("new_negentropy"), array("row_objective"), array("new_moved"),
          arg("threads"), arg("block_rows"));
    m.def("sweep_top", &sweep_top<T>, array("row_starts"), array("columns"), array("weights"),
          array("similar_clusters"), array("similarity"), array("clusters"), array("memberships"),
          arg("laplacian_weight"), arg("diagonal_shift"), arg("balance"), arg("floor"), array("log_sizes"),
          array("new_clusters"), array("new_memberships"), array("row_objective"), arg("threads"), arg("block_rows"));
    m.def("similarity", &similarity<T>, array("rows"), array("modes"), arg("gamma"), arg("padding"),
          array("out"), arg("threads"), arg("block_rows"));
    m.def("mean_shift", &mean_shift<T>, array("rows"), array("modes"), arg("gamma"), array("order"),
          array("weights"), array("starts"), array("tile_cluster"), array("sums"), array("masses"),
          arg("threads"));
    m.def("density", &density<T>, array("rows"), array("candidates"), array("answering"), array("references"),
          array("weights"), arg("gamma"), array("sums"), arg("threads"));
    m.def("project", &project<T>, array("rows"), array("center"), arg("scale"), arg("farthest"), array("components"),
          array("projected"), arg("threads"));
    m.def("diffuse", &diffuse<T>, array("row_starts"), array("columns"), array("weights"), arg("scale"),
          arg("initial"), arg("coefficient"), array("now"), nb::arg("before").noconvert().none(), array("next"),
          array("total"), arg("threads"));
    m.def("sizes", &sizes<T>, array("memberships"), arg("tile_rows"), array("sums"), arg("threads"));
    m.def("vote", &vote<T>, array("row_starts"), array("columns"), array("weights"), array("labels"), arg("n_groups"),
          arg("stay"), array("elected"), arg("threads"));
    m.def("weights_between", &weights_between<T>, array("row_starts"), array("columns"), array("weights"),
          array("labels"), array("bounds"), array("sums"), arg("threads"));
    m.def("group_weights", &group_weights<T>, array("row_starts"), array("columns"), array("weights"),
          array("labels"), array("bounds"), array("sums"), arg("threads"));
    m.def("rank", &rank<T>, array("rows"), array("queries"), array("candidates"),
          nb::arg("order").noconvert().none(), array("indices"),
          array("squared"), arg("threads"));
    m.def("join", &join<T>, array("points"), nb::arg("data").noconvert().none(), arg("unit"), array("rounding"),
          nb::arg("lift").noconvert().none(), array("reach"), array("numbers"), array("starts"), array("members"),
          array("n_fresh"), array("n_members"), arg("apart"), array("rows"), array("squared"), array("fresh"),
          arg("threads"));
    m.def("nearest", &nearest<T>, array("rows"), array("queries"), array("indices"), array("squared"),
          arg("threads"));
}

}  // namespace

NB_MODULE(_kernels, m) {
    m.doc() = "C++ kernels of the native engine; use them through slkmodes.engines.";
    add_kernels<float>(m);
    add_kernels<double>(m);
    const auto array = [](const char* name) { return nb::arg(name).noconvert(); };
    using nb::arg;
    m.def("tree", &tree, array("points"), arg("leaf_rows"), array("order"));
    m.def("cells", &cells, array("points"), nb::arg("lift").noconvert().none(), array("starts"), array("rows"),
          array("squared"), array("fresh"), arg("threads"));
    m.def("walk", &walk<float>, array("points"), array("queries"), array("links"), array("starts"),
          array("order"), nb::arg("absent").noconvert().none(), array("numbers"), array("found"), arg("threads"));
    m.def("walk", &walk<std::int16_t>, array("points"), array("queries"), array("links"), array("starts"),
          array("order"), nb::arg("absent").noconvert().none(), array("numbers"), array("found"), arg("threads"));
    m.def("keys", &keys<std::uint32_t>, array("words"), array("odd"), array("keys"), arg("threads"));
    m.def("keys", &keys<std::uint64_t>, array("words"), array("odd"), array("keys"), arg("threads"));
    m.def("parts", &parts, array("row_starts"), array("columns"), array("labels"), array("parts"));
    m.def("agglomerate", &agglomerate, array("weights"), array("volumes"), arg("n_groups"), arg("cut_price"),
          array("labels"));
    m.def("improve", &improve, array("weights"), array("volumes"), arg("n_groups"), arg("cut_price"), array("labels"));
    m.def("candidates", &candidates, arg("most"), arg("seed"), array("rows"), array("squared"), array("fresh"),
          array("members"), array("n_fresh"), array("n_members"), arg("threads"));
}
