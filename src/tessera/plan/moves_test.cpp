#include "tessera/plan/moves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tessera/ir/builder.h"

namespace tessera::plan {
namespace {

constexpr int64_t item = 8;

/// Plans over existing arrays of n x n doubles.
struct Plates {
  Plates(int64_t size, int count) : n(size) {
    for (int k = 0; k < count; ++k) plan.slots.push_back({.external = {0, k}, .nbytes = item * n * n});
  }

  Binding at(int slot, int64_t row, int64_t column, const Dims& extents, const Dims& strides) const {
    Binding binding{.slot = slot, .offset = item * (row * n + column), .dimensions = extents};
    for (const int64_t stride : strides) binding.strides.push_back(item * stride);
    return binding;
  }
  void step(Dims extents, std::vector<Binding> buffers, bool adds) {
    const int ndim = static_cast<int>(extents.size());
    ir::Builder b(ndim, "map");
    std::vector<ir::Value> indices;
    for (int axis = 0; axis < ndim; ++axis) indices.push_back(b.index(axis));
    for (size_t k = 0; k < buffers.size(); ++k)
      b.add_buffer(
          {.dtype = DType::float64, .ndim = static_cast<uint8_t>(ndim), .readable = k > 0, .writable = k == 0});
    Step step;
    ir::Value value = ir::no_value;
    if (buffers.size() > 1)
      value = b.load(1, indices);
    else
      value = b.scalar(b.add_scalar(DType::float64)),
      step.kernel.scalars = {{static_cast<int32_t>(plan.steps.size()), 0}};
    if (adds) value = b.add(value, value);
    b.store(0, value, indices);
    step.kernel.kernel = std::make_shared<ir::Kernel>(b.take());
    step.kernel.extents = extents;
    step.kernel.buffers = std::move(buffers);
    plan.steps.push_back(std::move(step));
  }
  void copy_column(int to, int64_t column, int from, int64_t source) {
    step({n}, {at(to, 0, column, {n}, {n}), at(from, 0, source, {n}, {n})}, false);
  }
  void copy_row(int to, int64_t row, int from, int64_t source) {
    step({n}, {at(to, row, 0, {n}, {1}), at(from, source, 0, {n}, {1})}, false);
  }
  void fill_row(int to, int64_t row) { step({n}, {at(to, row, 0, {n}, {1})}, false); }
  /// Doubles the interior; the edges are copied.
  void inside(int to, int from) {
    const Dims extents{n - 2, n - 2}, strides{n, 1};
    step(extents, {at(to, 1, 1, extents, strides), at(from, 1, 1, extents, strides)}, true);
    CopyStep copy{.from = from, .to = to};
    copy.boxes = {{.offset = 0, .nbytes = item * (n + 1)},
                  {.offset = item * (n * n - n - 1), .nbytes = item * (n + 1)},
                  {.offset = item * (2 * n - 1), .counts = {n - 3}, .strides = {item * n}, .nbytes = 2 * item}};
    plan.steps.back().copies.push_back(copy);
  }

  int64_t n;
  Plan plan;
};

/// Memories whose elements identify how they were computed.
class Memories {
 public:
  explicit Memories(const Plan& plan) : plan_(plan) {
    uint64_t seed = 1;
    for (const Slot& slot : plan.slots) {
      memories.emplace_back(slot.nbytes / item);
      for (uint64_t& element : memories.back()) element = seed++ * 0x9E3779B97F4A7C15ull;
    }
  }
  void run(StepPart part) {
    const Step& step = plan_.steps[static_cast<size_t>(part.step)];
    if (part.copy >= 0) {
      const CopyStep& copy = step.copies[static_cast<size_t>(part.copy)];
      for (const ByteBox& box : copy.boxes) each(box, [&](int64_t at) { word(copy.to, at) = word(copy.from, at); });
      return;
    }
    const KernelStep& kernel = step.kernel;
    const bool adds = kernel.kernel->instructions.size() > kernel.extents.size() + 2;
    std::vector<uint64_t> values;
    for (int pass = 0; pass < 2; ++pass) {
      size_t k = 0;
      Dims index(kernel.extents.size(), 0);
      for (bool more = true; more;) {
        const auto at = [&](const Binding& b) {
          int64_t offset = b.offset;
          for (size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * b.strides[axis];
          return offset;
        };
        if (pass == 1)
          word(kernel.buffers[0].slot, at(kernel.buffers[0])) = values[k++];
        else if (kernel.buffers.size() == 1)
          values.push_back(scalar(kernel.scalars[0]));
        else
          values.push_back(word(kernel.buffers[1].slot, at(kernel.buffers[1])) * (adds ? 3 : 1));
        more = false;
        for (size_t axis = index.size(); axis-- > 0 && !more;) {
          more = ++index[axis] < kernel.extents[axis];
          if (!more) index[axis] = 0;
        }
      }
    }
  }
  void run(const MoveSet& set, std::mt19937& random) {
    std::vector<size_t> order(set.moves.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t k : order) {
      const Move& move = set.moves[k];
      EXPECT_EQ(move.box.nbytes % set.item, 0);
      each(move.box, [&](int64_t at) {
        word(move.to, at) = move.from < 0 ? scalar(move.value) : word(move.from, at + move.distance);
      });
    }
  }
  std::vector<std::vector<uint64_t>> memories;

 private:
  static uint64_t scalar(NodeRef from) { return static_cast<uint64_t>(from.node) * 77 + 5; }
  uint64_t& word(int32_t slot, int64_t offset) {
    return memories.at(static_cast<size_t>(slot)).at(static_cast<size_t>(offset / item));
  }
  template <class Visit>
  void each(const ByteBox& box, Visit visit, size_t axis = 0, int64_t offset = 0) {
    if (axis == box.counts.size()) {
      for (int64_t at = 0; at < box.nbytes; at += item) visit(box.offset + offset + at);
      return;
    }
    for (int64_t k = 0; k < box.counts[axis]; ++k) each(box, visit, axis + 1, offset + k * box.strides[axis]);
  }
  const Plan& plan_;
};

void expect_same(const Plan& plan, const std::vector<PlanPart>& parts) {
  Memories expected(plan), got(plan);
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    for (size_t c = 0; c < plan.steps[s].copies.size(); ++c)
      expected.run(StepPart{static_cast<int32_t>(s), static_cast<int32_t>(c)});
    expected.run(StepPart{static_cast<int32_t>(s)});
  }
  std::mt19937 random(3);
  for (const PlanPart& part : parts) {
    if (const auto* set = std::get_if<MoveSet>(&part))
      got.run(*set, random);
    else
      got.run(std::get<StepPart>(part));
  }
  EXPECT_EQ(got.memories, expected.memories);
}

TEST(Moves, the_edges_of_a_plate_and_what_its_write_left_are_one_set) {
  for (const int64_t n : {5, 6, 40}) {
    Plates plates(n, 2);
    plates.inside(1, 0);
    plates.copy_column(1, n - 1, 1, n - 2);
    plates.copy_row(1, 0, 1, 1);
    plates.copy_column(1, 0, 1, 1);
    plates.fill_row(1, n - 1);
    const std::vector<PlanPart> parts = join_moves(plates.plan);
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(std::get<StepPart>(parts[0]).step, 0);
    const MoveSet& set = std::get<MoveSet>(parts[1]);
    EXPECT_EQ(set.item, 8);
    // Nothing that the edges overwrite is copied: two columns, two rows and two corners remain.
    EXPECT_LE(set.moves.size(), 6u);
    for (const Move& move : set.moves) EXPECT_NE(move.from, 0);
    expect_same(plates.plan, parts);
  }
}

TEST(Moves, that_depend_on_each_other_in_a_circle_stay_apart) {
  Plates plates(8, 1);
  plates.copy_row(0, 0, 0, 1);
  plates.copy_row(0, 1, 0, 2);
  plates.copy_row(0, 2, 0, 0);
  expect_same(plates.plan, join_moves(plates.plan));
}

TEST(Moves, onto_themselves_leave_nothing_to_launch) {
  Plates plates(8, 1);
  plates.copy_row(0, 1, 0, 1);
  plates.copy_row(0, 2, 0, 2);
  EXPECT_TRUE(join_moves(plates.plan).empty());
}

TEST(Moves, in_any_order_do_what_the_steps_do) {
  std::mt19937 random(11);
  const auto below = [&](int64_t end) { return static_cast<int64_t>(random() % static_cast<uint64_t>(end)); };
  size_t sets = 0;
  for (int k = 0; k < 400; ++k) {
    Plates plates(4 + below(5), 3);
    const int64_t n = plates.n;
    const auto slot = [&] { return static_cast<int>(below(3)); };
    for (int64_t steps = 2 + below(7); steps > 0; --steps) {
      const int to = slot(), from = slot();
      switch (below(5)) {
        case 0: plates.inside(to, (to + 1) % 3); break;
        case 1: plates.copy_column(to, below(n), from, below(n)); break;
        case 2: plates.copy_row(to, below(n), from, below(n)); break;
        case 3: plates.fill_row(to, below(n)); break;
        default:
          plates.step({n - 2}, {plates.at(to, 1, below(n), {n - 2}, {n}), plates.at(from, 1, below(n), {n - 2}, {n})},
                      false);
      }
    }
    const std::vector<PlanPart> parts = join_moves(plates.plan);
    for (const PlanPart& part : parts) sets += std::holds_alternative<MoveSet>(part);
    expect_same(plates.plan, parts);
    if (HasFailure()) FAIL() << "plan " << k << "\n" << print(plates.plan);
  }
  EXPECT_GT(sets, 300u);
}

}  // namespace
}  // namespace tessera::plan
