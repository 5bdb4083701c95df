// The first lists: every row's nearest among the rows of its own cell.
#include <algorithm>
#include <limits>
#include <vector>

#include "kernels.hpp"
#include "panels.hpp"
#include "simd.hpp"

namespace slk {
namespace {

// More candidates for a list than so many times its width are first sorted out: ranking looks at all pairs.
constexpr std::int64_t MANY = 2;

struct Scratch {
    Panels<float> panels;
    std::vector<float> near, lifts;
    std::vector<std::int32_t> places;
};

SLK_DISPATCH void compare_cell(const Cells& s, std::int64_t begin, std::int64_t end, Scratch& scratch) {
    constexpr int QUERIES = Panels<float>::QUERIES;
    const auto point = [&](std::int64_t row) SLK_INLINED { return s.points + row * s.n_columns; };
    const auto& lists = s.lists;
    auto& [panels, near, lifts, places] = scratch;
    near.resize(end - begin);
    places.resize(end - begin);
    panels.fill(end - begin, s.n_columns, [&](std::int64_t i) SLK_INLINED { return point(begin + i); });
    if (s.lift) {
        lifts.assign(panels.padded(), 0.0f);
        std::copy(s.lift + begin, s.lift + end, lifts.begin());
    }
    for (std::int64_t p = begin; p < end; p += QUERIES) {
        panels.measure([&](int q) SLK_INLINED { return point(std::min(p + q, end - 1)); });
        for (int q = 0; q < QUERIES && p + q < end; ++q) {
            const std::int64_t row = p + q;
            if (s.lift) panels.lift(q, s.lift[row], lifts.data());
            float* squared = panels.squared(q);
            squared[row - begin] = std::numeric_limits<float>::infinity();
            std::int64_t count = panels.within(q, 0, panels.limit_for(q, lists.width), nullptr, places.data());
            if (count > MANY * lists.width) {  // a crowd at the same distance
                const auto comes_first = [&](auto a, auto b) { return comes_before(squared[a], a, squared[b], b); };
                std::nth_element(places.begin(), places.begin() + lists.width, places.begin() + count, comes_first);
                count = lists.width;
                std::sort(places.begin(), places.begin() + count);
            }
            for (std::int64_t i = 0; i < count; ++i) near[i] = squared[places[i]];
            for (std::int64_t i = 0; i < count; ++i) {
                std::int32_t place = 0;  // equal ones stay in their order
                for (std::int64_t j = 0; j < count; ++j) place += near[j] < near[i];
                for (std::int64_t j = 0; j < i; ++j) place += near[j] == near[i];
                if (place >= lists.width || near[i] == std::numeric_limits<float>::infinity()) continue;
                lists.squared[row * lists.width + place] = near[i];
                lists.rows[row * lists.width + place] = std::int32_t(begin + places[i]);
                lists.fresh[row * lists.width + place] = NEW;
            }
        }
    }
}

}  // namespace

void run(const Cells& s) {
#pragma omp parallel num_threads(s.threads)
    {
        Scratch scratch;
#pragma omp for schedule(dynamic)
        for (std::int64_t cell = 0; cell < s.n_cells; ++cell)
            if (s.starts[cell] < s.starts[cell + 1]) compare_cell(s, s.starts[cell], s.starts[cell + 1], scratch);
    }
}

}  // namespace slk
