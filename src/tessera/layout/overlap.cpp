#include <numeric>

#include "tessera/layout/view.h"

namespace tessera {

namespace {

using Wide = __int128;

/// One unknown of the equation: coefficient * x with 0 <= x <= bound.
struct Term {
  int64_t coefficient;
  int64_t bound;
};
using Terms = SmallVector<Term, 16>;

/// Solves sum(terms) + r = target with 0 <= r <= slack by depth-first search from the largest coefficient down.
class Equation {
 public:
  Equation(Terms terms, int64_t slack, int64_t max_work) : terms_(std::move(terms)), slack_(slack), work_(max_work) {}

  std::optional<bool> solve(Wide target) {
    absorb_dense_terms();
    std::reverse(terms_.begin(), terms_.end());
    reach_.resize(terms_.size() + 1, slack_);
    gcd_.resize(terms_.size() + 1, 0);
    for (size_t k = terms_.size(); k-- > 0;) {
      reach_[k] = reach_[k + 1] + static_cast<Wide>(terms_[k].coefficient) * terms_[k].bound;
      gcd_[k] = std::gcd(gcd_[k + 1], terms_[k].coefficient);
    }
    bool found = search(0, target);
    if (!found && work_ < 0) return {};
    return found;
  }

 private:
  /// Terms whose coefficient is no larger than the slack only widen the interval of reachable values.
  void absorb_dense_terms() {
    std::sort(terms_.begin(), terms_.end(), [](Term a, Term b) { return a.coefficient < b.coefficient; });
    size_t dense = 0;
    while (dense < terms_.size() && terms_[dense].coefficient <= slack_ + 1) {
      slack_ += static_cast<Wide>(terms_[dense].coefficient) * terms_[dense].bound;
      ++dense;
    }
    std::copy(terms_.begin() + dense, terms_.end(), terms_.begin());
    terms_.resize(terms_.size() - dense);
  }

  bool search(size_t k, Wide target) {
    if (target < 0 || target > reach_[k]) return false;
    if (k == terms_.size()) return true;
    if (--work_ < 0) return false;
    // What is left after the slack must be a multiple of the common divisor.
    Wide divisor = gcd_[k];
    Wide rest = target % divisor;
    if (rest > slack_) return false;
    Term term = terms_[k];
    Wide high = std::min<Wide>(term.bound, target / term.coefficient);
    Wide excess = target - reach_[k + 1];
    Wide low = excess > 0 ? (excess + term.coefficient - 1) / term.coefficient : 0;
    for (Wide x = high; x >= low; --x) {
      if (search(k + 1, target - x * term.coefficient)) return true;
      if (--work_ < 0) return false;
    }
    return false;
  }

  Terms terms_;
  Wide slack_;
  int64_t work_;
  SmallVector<Wide, 16> reach_;   // [k]: the largest value that terms k and up can reach
  SmallVector<int64_t, 16> gcd_;  // [k]: greatest common divisor of the coefficients from k on
};

/// Adds the axes of a view as terms; axes with equal strides become one unknown.
void add_terms(const View& view, Terms& terms) {
  for (int axis = 0; axis < view.ndim(); ++axis) {
    int64_t stride = std::abs(view.strides[axis]), bound = view.shape[axis] - 1;
    if (stride == 0 || bound == 0) continue;
    auto same = std::find_if(terms.begin(), terms.end(), [&](Term t) { return t.coefficient == stride; });
    if (same != terms.end())
      same->bound += bound;
    else
      terms.push_back({stride, bound});
  }
}

bool same_walk(const View& a, const View& b) {
  if (!(a.shape == b.shape)) return false;
  for (int axis = 0; axis < a.ndim(); ++axis)
    if (a.shape[axis] > 1 && a.strides[axis] != b.strides[axis]) return false;
  return true;
}

/// The only axis with more than one element, or -1.
int only_axis(const View& view) {
  int found = -1;
  for (int axis = 0; axis < view.ndim(); ++axis) {
    if (view.shape[axis] <= 1) continue;
    if (found >= 0) return -1;
    found = axis;
  }
  return found;
}

/// Whether two rows with the same stride and extent, `distance` bytes apart, share a byte: some whole number of steps
/// must bring an element of one row within an element of the other.
bool rows_meet(int64_t distance, int64_t stride, int64_t extent, int64_t itemsize) {
  distance = std::abs(distance);
  stride = std::abs(stride);
  if (stride == 0) return distance < itemsize;
  int64_t steps = distance / stride, rest = distance % stride;
  return (rest < itemsize && steps < extent) || (stride - rest < itemsize && steps + 1 < extent);
}

/// Enough for halves of rows, interleaved steps and blocks; pathological pairs are reported as unknown.
constexpr int64_t quick_work = 64;

}  // namespace

std::optional<bool> shares_memory(const View& a, const View& b, int64_t max_work) {
  auto [a_low, a_high] = a.byte_range();
  auto [b_low, b_high] = b.byte_range();
  if (a_low == a_high || b_low == b_high || a_high <= b_low || b_high <= a_low) return false;
  // a_low + s.x + i = b_high - 1 - t.y - j, where y and j count down from b's last byte.
  Terms terms;
  add_terms(a, terms);
  add_terms(b, terms);
  return Equation(std::move(terms), a.itemsize() + b.itemsize() - 2, max_work).solve(b_high - 1 - a_low);
}

Overlap overlap(const View& a, const View& b) {
  auto [a_low, a_high] = a.byte_range();
  auto [b_low, b_high] = b.byte_range();
  if (a_low == a_high || b_low == b_high || a_high <= b_low || b_high <= a_low) return Overlap::disjoint;
  bool alike = same_walk(a, b) && a.itemsize() == b.itemsize();
  // If elements within one view overlap, an element written early would be read again later, so the views are not
  // `equal`.
  if (alike && a.offset == b.offset) return a.is_injective() ? Overlap::equal : Overlap::unknown;
  if (int axis = alike ? only_axis(a) : -1; axis >= 0) {
    bool meet = rows_meet(a.offset - b.offset, a.strides[axis], a.shape[axis], a.itemsize());
    return meet ? Overlap::shifted : Overlap::disjoint;
  }
  std::optional<bool> shared = shares_memory(a, b, quick_work);
  if (shared.has_value() && !*shared) return Overlap::disjoint;
  return alike ? Overlap::shifted : Overlap::unknown;
}

}  // namespace tessera
