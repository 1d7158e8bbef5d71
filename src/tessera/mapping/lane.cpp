#include "tessera/mapping/lane.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/ir/implied_checks.h"
#include "tessera/ir/opcode.h"
#include "tessera/ir/region_copy.h"

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

/// Detects that an event of some check may have happened, by few instructions.
class Detector {
 public:
  Detector(GridBuilder& to, const ir::Kernel& kernel)
      : to_(to), kernel_(kernel), implied_(ir::find_implied_checks(kernel, kernel.regions[0].body)) {}

  void add(Value check, const ir::RegionCopy& lane) {
    const ir::Instruction& i = kernel_.instructions[check];
    if (static_cast<ErrorRule>(i.attr) == ErrorRule::none || implied_.contains(check)) return;
    std::vector<Value> x;
    for (Value operand : kernel_.operands(check)) x.push_back(lane[operand]);
    if (ir::tests_result(kernel_, i)) return add_magnitude(x[0]);
    if (static_cast<ErrorRule>(i.attr) == ErrorRule::integer_divide) return add_division(x[1], x[2]);
    if (static_cast<ErrorRule>(i.attr) == ErrorRule::cast) add_cast(x[0], x[1]);
  }

  /// Whether some event may have happened; no_value when none can.
  Value found() {
    constexpr uint32_t infinity = 0x7f800000, upper_infinity = 0x7ff00000;
    if (single_ != ir::no_value) add_condition(to_.ge(single_, to_.number(infinity)));
    if (double_ != ir::no_value) add_condition(to_.ge(double_, to_.number(upper_infinity)));
    return condition_;
  }

 private:
  /// Infinities and NaNs have the largest magnitudes, as integers.
  void add_magnitude(Value result) {
    const bool is_single = to_.type(result) == DType::float32;
    Value bits = to_.bitcast(result, is_single ? DType::uint32 : DType::uint64);
    if (!is_single) bits = to_.word(to_.binary(Opcode::shift_right, bits, to_.constant(integer(DType::uint64, 32))));
    const Value magnitude = to_.bit_and(bits, to_.number(0x7fffffff));
    Value& most = is_single ? single_ : double_;
    most = most == ir::no_value ? magnitude : to_.max(most, magnitude);
  }
  void add_division(Value x, Value y) {
    const DType type = to_.type(y);
    Value bad = to_.eq(y, to_.zero_like(y));
    if (is_signed_integer(type)) {
      const Value least = to_.constant(integer(type, -1 - largest_of(type)));
      bad = to_.bit_or(bad, to_.bit_and(to_.eq(x, least), to_.eq(y, to_.constant(integer(type, -1)))));
    }
    add_condition(bad);
  }
  void add_cast(Value result, Value from) {
    const DType source = to_.type(from), type = to_.type(result);
    if (source != DType::float32 && source != DType::float64) return;
    if (is_integer(type)) {
      const ir::CastRange range = ir::cast_range(type);
      const Value whole = to_.unary(Opcode::trunc, to_.cast(from, DType::float64));
      const Value fits = to_.bit_and(to_.ge(whole, to_.constant(DType::float64, range.first)),
                                     to_.lt(whole, to_.constant(DType::float64, range.limit)));
      return add_condition(to_.bit_not(fits));
    }
    if (is_floating(type)) add_condition(to_.unary(Opcode::is_inf, result));
  }
  void add_condition(Value condition) {
    condition_ = condition_ == ir::no_value ? condition : to_.bit_or(condition_, condition);
  }
  static Scalar integer(DType type, int64_t n) { return Scalar::of_int(type, n); }
  /// The largest number of a signed type.
  static int64_t largest_of(DType type) {
    return static_cast<int64_t>((uint64_t{1} << (8 * static_cast<unsigned>(itemsize(type)) - 1)) - 1);
  }

  GridBuilder& to_;
  const ir::Kernel& kernel_;
  std::unordered_set<Value> implied_;
  Value single_ = ir::no_value, double_ = ir::no_value;  // the largest magnitude of float32s; upper half of float64s'
  Value condition_ = ir::no_value;
};

/// A lane being written.
class LaneCopy {
 public:
  LaneCopy(GridBuilder& to, const ir::Kernel& kernel, std::span<const Value> at, const GivenLoad& given)
      : to_(to), kernel_(kernel), given_(given), copy_(to, kernel) {
    for (Value v : body()) {
      if (const Value leaf = copy_leaf(to, kernel, v, at); leaf != ir::no_value) copy_.set(v, leaf);
    }
    for (Value v : body())
      if (goes_first(kernel, v)) load(v);
  }

  /// Everything but the stores; checks go to the detector, or are copied without one.
  void compute(Detector* detector) {
    copy_.copy(kernel_.regions[0], [&](Value v) {
      const Opcode op = kernel_.instructions[v].op;
      if (op == Opcode::load && copy_[v] == ir::no_value) load(v);
      if (op == Opcode::check && detector) detector->add(v, copy_);
      return op == Opcode::load || op == Opcode::store || is_leaf(op) || (op == Opcode::check && detector);
    });
  }
  void store() {
    for (Value v : body()) {
      const ir::Instruction& i = kernel_.instructions[v];
      if (i.op != Opcode::store) continue;
      std::vector<Value> operands;
      for (Value operand : kernel_.operands(v)) operands.push_back(copy_[operand]);
      to_.store(i.imm, operands[0], std::span(operands).subspan(1), static_cast<ir::CacheHint>(i.attr));
    }
  }

 private:
  const std::vector<Value>& body() const { return kernel_.regions[0].body; }
  void load(Value v) {
    if (const std::optional<Value> value = given_(v)) return copy_.set(v, *value);
    const ir::Instruction& i = kernel_.instructions[v];
    std::vector<Value> indices;
    for (Value index : kernel_.operands(v)) indices.push_back(copy_[index]);
    copy_.set(v, to_.load(i.imm, indices, static_cast<ir::CacheHint>(i.attr)));
  }

  GridBuilder& to_;
  const ir::Kernel& kernel_;
  const GivenLoad& given_;
  ir::RegionCopy copy_;
};

}  // namespace

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
  LaneCopy lane(to, kernel, at, given);
  Detector detector(to, kernel);
  lane.compute(&detector);
  if (const Value found = detector.found(); found != ir::no_value) {
    to.when(found, [&] {
      // Otherwise compilers would keep every value of the first time for the second.
      const Value zero = to.box(BoxNumber::Kind::zero);
      std::vector<Value> again;
      for (Value index : at) again.push_back(to.add(index, zero));
      LaneCopy(to, kernel, again, given).compute(nullptr);
    });
  }
  lane.store();
}

void write_lanes(GridBuilder& to, const ir::Kernel& kernel, std::span<const ThreadLane> lanes,
                 const std::function<std::vector<Value>(Value k)>& again) {
  Detector detector(to, kernel);
  std::vector<LaneCopy> copies;
  copies.reserve(lanes.size());
  for (const ThreadLane& lane : lanes) copies.emplace_back(to, kernel, lane.at, lane.given);
  for (LaneCopy& copy : copies) copy.compute(&detector);
  for (LaneCopy& copy : copies) copy.store();
  const Value found = detector.found();
  if (found == ir::no_value) return;
  to.when(found, [&] {
    const Value zero = to.box(BoxNumber::Kind::zero);
    to.for_parallel(to.constant(DType::int64, static_cast<double>(lanes.size())), [&](Value k) {
      std::vector<Value> at = again(k);
      for (Value& index : at) index = to.add(index, zero);
      const GivenLoad none = [](Value) { return std::nullopt; };
      LaneCopy(to, kernel, at, none).compute(nullptr);
    });
  });
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
