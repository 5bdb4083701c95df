// For every row the label with the most weight among its neighbours.
#include <cmath>
#include <vector>

#include "kernels.hpp"

namespace slk {
namespace {

template <typename T>
void elect(const Vote<T>& s, std::int64_t p, std::vector<double>& votes) {
    const std::int64_t begin = s.row_starts[p], end = s.row_starts[p + 1];
    const auto label_of = [&](std::int64_t e) { return s.labels[s.columns[e]]; };
    std::int64_t best = s.labels[p];
    if (best >= 0 && std::isinf(s.stay)) {
        s.elected[p] = best;
        return;
    }
    for (std::int64_t e = begin; e < end; ++e)
        if (label_of(e) >= 0) votes[label_of(e)] += double(s.weights[e]);
    if (best >= 0) votes[best] += s.stay;
    for (std::int64_t e = begin; e < end; ++e) {
        const std::int64_t label = label_of(e);
        if (label < 0) continue;
        if (best < 0 || votes[label] > votes[best] || (votes[label] == votes[best] && label < best)) best = label;
    }
    s.elected[p] = best;
    for (std::int64_t e = begin; e < end; ++e)
        if (label_of(e) >= 0) votes[label_of(e)] = 0;
    if (s.labels[p] >= 0) votes[s.labels[p]] = 0;
}

}  // namespace

template <typename T>
void run(const Vote<T>& s) {
#pragma omp parallel num_threads(s.threads)
    {
        std::vector<double> votes(s.n_groups, 0.0);
#pragma omp for schedule(dynamic, 1024)
        for (std::int64_t p = 0; p < s.n_rows; ++p) elect(s, p, votes);
    }
}

template void run(const Vote<float>&);
template void run(const Vote<double>&);

}  // namespace slk
