#include "tessera/mapping/lane.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <limits>
#include <map>
#include <unordered_set>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/ir/implied_checks.h"
#include "tessera/ir/opcode.h"
#include "tessera/ir/region_copy.h"
#include "tessera/ir/run_access.h"

namespace tessera::mapping {

using ir::ErrorRule;
using ir::Opcode;
using ir::Value;

namespace {

/// A leaf of the kernel over elements, in the kernel over a grid; no_value for other instructions.
Value copy_leaf(GridBuilder& to, const ir::Kernel& kernel, Value v, std::span<const Value> at) {
  const ir::Instruction& i = kernel.instructions[v];
  switch (i.op) {
    case Opcode::constant: return to.constant(kernel.constants[i.imm]);
    case Opcode::index: return at[i.imm];
    case Opcode::extent: return to.box(BoxNumber::Kind::extent, static_cast<int>(i.imm));
    case Opcode::scalar: return to.scalar(i.imm);
    case Opcode::dimension: return to.dimension(i.imm / 64, static_cast<int>(i.imm % 64));
    default: return ir::no_value;
  }
}

bool is_leaf(Opcode op) { return ir::info(op).form == ir::OpcodeForm::leaf && op != Opcode::region_arg; }

/// Whether a load may come before all other code: assemblers move none above the branches of divisions and roots.
bool goes_first(const ir::Kernel& kernel, Value v) {
  return kernel.instructions[v].op == Opcode::load &&
         std::ranges::all_of(kernel.operands(v), [&](Value index) { return is_leaf(kernel.instructions[index].op); });
}

/// A magnitude from which on an event may have happened: the bits of a float32, or the upper half of a double's.
struct MagnitudeLimit {
  bool is_single;
  uint32_t bits;
  friend auto operator<=>(const MagnitudeLimit&, const MagnitudeLimit&) = default;
};

MagnitudeLimit limit_of(DType type, double limit) {
  if (type == DType::float32) return {true, std::bit_cast<uint32_t>(static_cast<float>(limit))};
  return {false, static_cast<uint32_t>(std::bit_cast<uint64_t>(limit) >> 32)};
}

double greatest_finite(DType type) {
  if (type == DType::float16) return 65504;
  return type == DType::bfloat16 ? 0x1.fep127 : 0x1.fffffep127;
}

/// The operand of a check whose magnitude tells whether there may be an event.
struct MagnitudeTest {
  size_t operand;
  MagnitudeLimit limit;
};

std::optional<MagnitudeTest> magnitude_test(const ir::Kernel& kernel, const ir::Instruction& check,
                                            std::span<const Value> operands) {
  if (ir::tests_result(kernel, check))
    return MagnitudeTest{0, limit_of(check.type, std::numeric_limits<double>::infinity())};
  const DType from = kernel.instructions[operands[1]].type;
  const bool narrows = from == DType::float32 || from == DType::float64;
  if (static_cast<ErrorRule>(check.attr) != ErrorRule::cast || !narrows || !is_floating(check.type)) return {};
  return MagnitudeTest{1, limit_of(from, greatest_finite(check.type))};
}

/// Detects that an event of some check may have happened, by few instructions.
class Detector {
 public:
  Detector(GridBuilder& to, const ir::Kernel& kernel)
      : to_(to), kernel_(kernel), implied_(ir::find_implied_checks(kernel, kernel.regions[0].body)) {}

  void add(Value check, const ir::RegionCopy& lane) {
    if (!is_tested(check)) return;
    const ir::Instruction& i = kernel_.instructions[check];
    const std::span<const Value> operands = kernel_.operands(check);
    if (const auto test = magnitude_test(kernel_, i, operands))
      return add_magnitude(test->limit, lane[operands[test->operand]]);
    if (static_cast<ErrorRule>(i.attr) == ErrorRule::integer_divide)
      return add_division(lane[operands[1]], lane[operands[2]]);
    if (casts_to_integer(i, operands)) add_cast(lane[operands[0]], lane[operands[1]]);
  }

  /// Whether some event may have happened; no_value when none can.
  Value found() const {
    Value condition = condition_;
    for (const auto& [limit, most] : most_) join(condition, to_.ge(most, to_.number(limit.bits)));
    return condition;
  }

  /// What is known so far, for other lanes to go on with; `start` is what no lane has added to.
  std::vector<Value> state() const {
    std::vector<Value> values;
    for (const auto& [limit, most] : most_) values.push_back(most);
    if (condition_ != ir::no_value) values.push_back(condition_);
    return values;
  }
  void go_on(std::span<const Value> state) {
    start();
    size_t k = 0;
    for (auto& [limit, most] : most_) most = state[k++];
    if (condition_ != ir::no_value) condition_ = state[k];
  }
  void start() {
    for (Value v : kernel_.regions[0].body) {
      const ir::Instruction& i = kernel_.instructions[v];
      if (i.op != Opcode::check || !is_tested(v)) continue;
      if (const auto test = magnitude_test(kernel_, i, kernel_.operands(v)))
        most_.emplace(test->limit, to_.number(0));
      else if (static_cast<ErrorRule>(i.attr) == ErrorRule::integer_divide || casts_to_integer(i, kernel_.operands(v)))
        condition_ = to_.constant(Scalar::of_bool(false));
    }
  }

 private:
  bool is_tested(Value check) const {
    return static_cast<ErrorRule>(kernel_.instructions[check].attr) != ErrorRule::none && !implied_.contains(check);
  }
  bool casts_to_integer(const ir::Instruction& i, std::span<const Value> operands) const {
    const DType from = kernel_.instructions[operands[1]].type;
    return static_cast<ErrorRule>(i.attr) == ErrorRule::cast && is_integer(i.type) &&
           (from == DType::float32 || from == DType::float64);
  }
  /// Infinities and NaNs have the largest magnitudes, as integers.
  void add_magnitude(const MagnitudeLimit& limit, Value x) {
    Value bits = to_.bitcast(x, limit.is_single ? DType::uint32 : DType::uint64);
    if (!limit.is_single)
      bits = to_.word(to_.binary(Opcode::shift_right, bits, to_.constant(integer(DType::uint64, 32))));
    const Value magnitude = to_.bit_and(bits, to_.number(0x7fffffff));
    const auto [known, is_new] = most_.try_emplace(limit, magnitude);
    if (!is_new) known->second = to_.max(known->second, magnitude);
  }
  void add_division(Value x, Value y) {
    const DType type = to_.type(y);
    Value bad = to_.eq(y, to_.zero_like(y));
    if (is_signed_integer(type)) {
      const Value least = to_.constant(integer(type, -1 - largest_of(type)));
      bad = to_.bit_or(bad, to_.bit_and(to_.eq(x, least), to_.eq(y, to_.constant(integer(type, -1)))));
    }
    join(condition_, bad);
  }
  void add_cast(Value result, Value from) {
    const ir::CastRange range = ir::cast_range(to_.type(result));
    const Value whole = to_.unary(Opcode::trunc, to_.cast(from, DType::float64));
    const Value fits = to_.bit_and(to_.ge(whole, to_.constant(DType::float64, range.first)),
                                   to_.lt(whole, to_.constant(DType::float64, range.limit)));
    join(condition_, to_.bit_not(fits));
  }
  void join(Value& all, Value condition) const { all = all == ir::no_value ? condition : to_.bit_or(all, condition); }
  static Scalar integer(DType type, int64_t n) { return Scalar::of_int(type, n); }
  /// The largest number of a signed type.
  static int64_t largest_of(DType type) {
    return static_cast<int64_t>((uint64_t{1} << (8 * static_cast<unsigned>(itemsize(type)) - 1)) - 1);
  }

  GridBuilder& to_;
  const ir::Kernel& kernel_;
  std::unordered_set<Value> implied_;
  std::map<MagnitudeLimit, Value> most_;  // the largest magnitudes so far
  Value condition_ = ir::no_value;
};

/// Bytes of the widest access of a device.
constexpr int64_t widest_access = 16;

/// The known alignment of the element at a position of an aligned run of neighbours; 0: that of its part.
int alignment_in_run(DType dtype, int width, int position) {
  const int64_t item = itemsize(dtype), whole = std::min(widest_access, item * width), offset = position * item;
  const int64_t known = offset == 0 ? whole : std::min(whole, offset & -offset);
  return known > itemsize(real_dtype(dtype)) ? static_cast<int>(known) : 0;
}

/// A lane being written.
class LaneCopy {
 public:
  LaneCopy(GridBuilder& to, const ir::Kernel& kernel, const ThreadLane& lane, int width = 1)
      : to_(to), kernel_(kernel), lane_(lane), width_(width), copy_(to, kernel) {
    for (Value v : body()) {
      if (const Value leaf = copy_leaf(to, kernel, v, lane.at); leaf != ir::no_value) copy_.set(v, leaf);
    }
    for (Value v : body())
      if (goes_first(kernel, v)) load(v);
  }

  /// Everything but the stores; checks go to the detector, or are copied without one.
  void compute(Detector* detector, QuickDivisions* divisions = nullptr) {
    copy_.copy(kernel_.regions[0], [&](Value v) {
      const Opcode op = kernel_.instructions[v].op;
      if (op == Opcode::load && copy_[v] == ir::no_value) load(v);
      if (op == Opcode::check && detector) detector->add(v, copy_);
      if (divisions && QuickDivisions::takes(kernel_, v)) {
        copy_.set(v, *divisions->divide(v, copy_[kernel_.operands(v)[0]], copy_[kernel_.operands(v)[1]]));
        return true;
      }
      return op == Opcode::load || op == Opcode::store || is_leaf(op) || (op == Opcode::check && detector);
    });
  }
  void store() {
    for (Value v : body()) {
      const ir::Instruction& i = kernel_.instructions[v];
      if (i.op != Opcode::store) continue;
      std::vector<Value> operands;
      for (Value operand : kernel_.operands(v)) operands.push_back(copy_[operand]);
      to_.store(i.imm, operands[0], std::span(operands).subspan(1), static_cast<ir::CacheHint>(i.attr), alignment(v));
    }
  }

 private:
  const std::vector<Value>& body() const { return kernel_.regions[0].body; }
  int alignment(Value v) const {
    const bool in_run = lane_.position >= 0 && ir::is_run_access(kernel_, v);
    return in_run ? alignment_in_run(kernel_.instructions[v].type, width_, lane_.position) : 0;
  }
  void load(Value v) {
    if (const std::optional<Value> value = lane_.given(v)) return copy_.set(v, *value);
    const ir::Instruction& i = kernel_.instructions[v];
    std::vector<Value> indices;
    for (Value index : kernel_.operands(v)) indices.push_back(copy_[index]);
    copy_.set(v, to_.load(i.imm, indices, static_cast<ir::CacheHint>(i.attr), alignment(v)));
  }

  GridBuilder& to_;
  const ir::Kernel& kernel_;
  const ThreadLane& lane_;
  int width_;
  ir::RegionCopy copy_;
};

/// Indices that compilers cannot know to be these: otherwise they would keep every value of the first time that a lane
/// is computed for the second.
std::vector<Value> disguised(GridBuilder& to, std::vector<Value> at) {
  const Value zero = to.box(BoxNumber::Kind::zero);
  for (Value& index : at) index = to.add(index, zero);
  return at;
}

}  // namespace

std::optional<Value> no_given_load(Value) { return {}; }

bool is_straight(const ir::Kernel& kernel) {
  if (kernel.ndim == 0 || kernel.block_axes != 1 || kernel.regions.size() != 1) return false;
  if (!kernel.arrays.empty() || !kernel.functions.empty() || !kernel.foreign.empty()) return false;
  return std::ranges::none_of(kernel.regions[0].body, [&](Value v) {
    const ir::Instruction& i = kernel.instructions[v];
    return i.region_count || ir::sees_other_lanes(i.op) || ir::is_meeting(i.op) ||
           (i.op == Opcode::load && kernel.buffers[i.imm].writable);
  });
}

void write_lane(GridBuilder& to, const ir::Kernel& kernel, std::span<const Value> at, const GivenLoad& given) {
  const ThreadLane own{{at.begin(), at.end()}, given};
  LaneCopy lane(to, kernel, own);
  Detector detector(to, kernel);
  lane.compute(&detector);
  if (const Value found = detector.found(); found != ir::no_value) {
    to.when(found, [&] {
      const ThreadLane again{disguised(to, own.at), given};
      LaneCopy(to, kernel, again).compute(nullptr);
    });
  }
  lane.store();
}

namespace {

/// Calls `body` with each lane of a thread, to be computed again.
void for_each_again(GridBuilder& to, const ThreadLanes& of, const std::function<void(const ThreadLane&)>& body) {
  const auto one = [&](Value k) { body({disguised(to, of.again(k)), no_given_load}); };
  if (of.lanes.size() == 1) return one(to.constant(DType::int64, 0));
  const Value count = to.constant(DType::int64, static_cast<double>(of.lanes.size()));
  // Of many lanes a number that compilers cannot know: unrolled, this code, which seldom runs, would take many
  // registers.
  constexpr size_t few_lanes = 4;
  to.for_parallel(of.lanes.size() <= few_lanes ? count : to.add(count, to.box(BoxNumber::Kind::zero)), one);
}

/// Computes and stores the only lane again, with the hardware's divisions; returns what is known of events then.
std::vector<Value> compute_again(GridBuilder& to, const ir::Kernel& kernel, const ThreadLanes& of) {
  invariant(of.lanes.size() == 1, "mapping: {} lanes leave their events to others", of.lanes.size());
  Detector detector(to, kernel);
  detector.go_on(*of.events);
  for_each_again(to, of, [&](const ThreadLane& lane) {
    LaneCopy copy(to, kernel, lane);
    copy.compute(&detector);
    copy.store();
  });
  return detector.state();
}

}  // namespace

void write_lanes(GridBuilder& to, const ir::Kernel& kernel, const ThreadLanes& of) {
  Detector detector(to, kernel);
  if (of.events) detector.go_on(*of.events);
  std::vector<LaneCopy> copies;
  copies.reserve(of.lanes.size());
  for (const ThreadLane& lane : of.lanes) copies.emplace_back(to, kernel, lane, of.width);
  if (of.divisions) of.divisions->begin();
  for (LaneCopy& copy : copies) copy.compute(&detector, of.divisions);
  const auto find_events = [&] {
    const Value found = of.events ? ir::no_value : detector.found();
    if (found == ir::no_value) return;
    to.when(found, [&] {
      for_each_again(to, of, [&](const ThreadLane& lane) { LaneCopy(to, kernel, lane).compute(nullptr); });
    });
  };
  const auto finish = [&] {
    if (of.replaces_operands) find_events();
    for (LaneCopy& copy : copies) copy.store();
    if (!of.replaces_operands) find_events();
    return of.events ? detector.state() : std::vector<Value>{};
  };
  const auto compute_slowly = [&] {
    if (of.events) return compute_again(to, kernel, of);
    for_each_again(to, of, [&](const ThreadLane& lane) { write_lane(to, kernel, lane.at, lane.given); });
    return std::vector<Value>{};
  };
  const Value too_hard = of.divisions ? of.divisions->too_hard() : ir::no_value;
  std::vector<Value> events =
      too_hard == ir::no_value
          ? finish()
          : to.if_(too_hard, [&](auto) { return compute_slowly(); }, [&](auto) { return finish(); });
  if (of.events) *of.events = std::move(events);
}

std::vector<Value> no_events(GridBuilder& to, const ir::Kernel& kernel) {
  Detector detector(to, kernel);
  detector.start();
  return detector.state();
}

void find_events(GridBuilder& to, const ir::Kernel& kernel, std::span<const Value> events,
                 const std::function<void()>& again) {
  Detector detector(to, kernel);
  detector.go_on(events);
  if (const Value found = detector.found(); found != ir::no_value) to.when(found, again);
}

void write_checks(GridBuilder& to, const ir::Kernel& kernel, std::vector<Value> at) {
  const ThreadLane lane{disguised(to, std::move(at)), no_given_load};
  LaneCopy(to, kernel, lane).compute(nullptr);
}

Value write_load(GridBuilder& to, const ir::Kernel& kernel, Value load, std::span<const Value> at) {
  const ir::Instruction& i = kernel.instructions[load];
  std::vector<Value> indices;
  for (Value index : kernel.operands(load)) {
    indices.push_back(copy_leaf(to, kernel, index, at));
    invariant(indices.back() != ir::no_value, "mapping: a load at an index that is computed");
  }
  return to.load(i.imm, indices, static_cast<ir::CacheHint>(i.attr));
}

}  // namespace tessera::mapping
