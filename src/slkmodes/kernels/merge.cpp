// Segments of a contracted graph, merged two at a time and moved one at a time: the searches of contraction.py, which
// says what is minimised.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels.hpp"

namespace slk {
namespace {

constexpr double TINY = std::numeric_limits<double>::min();
constexpr double WORTH_A_MOVE = 1e-12;

double entropy_term(double share) { return share * std::log(std::max(share, TINY)); }

// What a group costs by itself, and its share of the cut edges; also how much both change.
struct Price {
    double own, cut;
    Price& operator+=(const Price& other) { return own += other.own, cut += other.cut, *this; }
    Price operator-(const Price& other) const { return {own - other.own, cut - other.cut}; }
};

Price price_of(double inside, double volume, double cut_price) {
    const double cut = std::max(volume - inside, 0.0);
    const double length = entropy_term(volume + cut) - 2 * entropy_term(cut);
    return {length + cut_price * cut / std::max(volume, 1e-12), cut};
}

// Which change leaves the lowest total, the first of equal ones. The term of the total cut is convex, so its tangent
// rules out nearly all changes without their logarithms.
class Lowest {
  public:
    explicit Lowest(double total_cut)
        : cut_(total_cut), now_(entropy_term(total_cut)), slope_(std::log(std::max(total_cut, TINY)) + 1) {}

    void look(std::int64_t which, const Price& change) {
        constexpr double ROUNDING = 1e-12;
        if (change.own + now_ + slope_ * change.cut > total_ + ROUNDING) return;
        const double total = change.own + entropy_term(std::max(cut_ + change.cut, 0.0));
        if (total < total_) total_ = total, which_ = which;
    }
    std::int64_t which() const { return which_; }
    bool saves() const { return total_ < now_ - WORTH_A_MOVE; }

  private:
    double cut_, now_, slope_, total_ = std::numeric_limits<double>::infinity();
    std::int64_t which_ = -1;
};

Price sum_of(const std::vector<Price>& prices) {
    Price sum{};
    for (const auto& price : prices) sum += price;
    return sum;
}

}  // namespace

void agglomerate(const Segments& s) {
    const std::int64_t n = s.n_segments;
    std::vector<double> between(s.weights, s.weights + n * n), volumes(s.volumes, s.volumes + n);
    std::vector<Price> prices(n), changes(n * n);
    std::vector<std::int64_t> alive(n);
    std::iota(alive.begin(), alive.end(), std::int64_t(0));
    std::iota(s.labels, s.labels + n, std::int64_t(0));
    const auto inside = [&](std::int64_t a) { return between[a * n + a]; };
    const auto price_pair = [&](std::int64_t a, std::int64_t b) {
        const double joined = inside(a) + inside(b) + 2 * between[a * n + b];
        changes[std::min(a, b) * n + std::max(a, b)] =
            price_of(joined, volumes[a] + volumes[b], s.cut_price) - prices[a] - prices[b];
    };
    for (std::int64_t a = 0; a < n; ++a) prices[a] = price_of(inside(a), volumes[a], s.cut_price);
    for (std::int64_t a = 0; a < n; ++a)
        for (std::int64_t b = a + 1; b < n; ++b) price_pair(a, b);

    while (std::int64_t(alive.size()) > s.n_groups) {
        Lowest lowest(sum_of(prices).cut);
        for (auto a = alive.begin(); a != alive.end(); ++a)
            for (auto b = a + 1; b != alive.end(); ++b) lowest.look(*a * n + *b, changes[*a * n + *b]);
        const std::int64_t kept = lowest.which() / n, gone = lowest.which() % n;
        alive.erase(std::find(alive.begin(), alive.end(), gone));
        std::replace(s.labels, s.labels + n, gone, kept);
        for (std::int64_t b = 0; b < n; ++b) between[kept * n + b] += between[gone * n + b];
        for (std::int64_t b = 0; b < n; ++b) between[b * n + kept] += between[b * n + gone];
        volumes[kept] += volumes[gone];
        prices[gone] = {};
        prices[kept] = price_of(inside(kept), volumes[kept], s.cut_price);
        for (const std::int64_t b : alive)
            if (b != kept) price_pair(kept, b);
    }
}

double improve(const Segments& s) {
    const std::int64_t n = s.n_segments, k = s.n_groups;
    std::vector<double> ties(n * k), inside(k), volumes(k);
    std::vector<std::int64_t> counts(k);
    std::vector<Price> prices(k), left(n), joined(n * k);
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) ties[i * k + s.labels[j]] += s.weights[i * n + j];
        inside[s.labels[i]] += ties[i * k + s.labels[i]];
        volumes[s.labels[i]] += s.volumes[i];
        ++counts[s.labels[i]];
    }
    const auto price_group = [&](std::int64_t group) {
        prices[group] = price_of(inside[group], volumes[group], s.cut_price);
        for (std::int64_t i = 0; i < n; ++i) {
            const double own = s.weights[i * n + i], tie = 2 * ties[i * k + group];
            if (s.labels[i] == group)
                left[i] = price_of(inside[group] - tie + own, volumes[group] - s.volumes[i], s.cut_price);
            else
                joined[i * k + group] = price_of(inside[group] + tie + own, volumes[group] + s.volumes[i], s.cut_price);
        }
    };
    for (std::int64_t group = 0; group < k; ++group) price_group(group);

    while (true) {
        const Price total = sum_of(prices);
        Lowest lowest(total.cut);
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t own = s.labels[i];
            if (counts[own] == 1) continue;  // no group is emptied
            for (std::int64_t group = 0; group < k; ++group) {
                if (group == own) continue;
                Price change = left[i] - prices[own];
                change += joined[i * k + group] - prices[group];
                lowest.look(i * k + group, change);
            }
        }
        if (!lowest.saves()) return total.own + entropy_term(total.cut);
        const std::int64_t mover = lowest.which() / k, target = lowest.which() % k, source = s.labels[mover];
        const double own = s.weights[mover * n + mover];
        inside[source] += own - 2 * ties[mover * k + source];
        inside[target] += own + 2 * ties[mover * k + target];
        volumes[source] -= s.volumes[mover];
        volumes[target] += s.volumes[mover];
        for (std::int64_t i = 0; i < n; ++i) {
            ties[i * k + source] -= s.weights[i * n + mover];
            ties[i * k + target] += s.weights[i * n + mover];
        }
        --counts[source];
        ++counts[target];
        s.labels[mover] = target;
        price_group(source);
        price_group(target);
    }
}

}  // namespace slk
