#include "tessera/kernel/passes/narrow.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "tessera/ir/builder.h"
#include "tessera/ir/region_copy.h"

namespace tessera::kernel {

namespace {

using ir::Opcode;
using ir::Value;

struct Interval {
  int64_t least, most;
  bool is_within(const Interval& other) const { return least >= other.least && most <= other.most; }
};

/// The numbers of an integer type of at most 32 bits, or of booleans.
std::optional<Interval> range_of(DType type) {
  if (is_boolean(type)) return Interval{0, 1};
  if (!is_integer(type) || itemsize(type) > 4) return {};
  const int bits = 8 * static_cast<int>(itemsize(type));
  if (is_unsigned_integer(type)) return Interval{0, (int64_t{1} << bits) - 1};
  return Interval{-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

class Ranges {
 public:
  explicit Ranges(const ir::Kernel& kernel) : kernel_(kernel) {}

  std::optional<Interval> find(Value v) {
    const auto known = known_.find(v);
    if (known != known_.end()) return known->second;
    known_[v] = {};  // what a loop carries is not followed
    std::optional<Interval> range = computed(v);
    const std::optional<Interval> own = range_of(kernel_.instructions[v].type);
    if (!range || (own && !range->is_within(*own))) range = own;
    return known_[v] = range;
  }

 private:
  std::optional<Interval> computed(Value v) {
    const ir::Instruction& i = kernel_.instructions[v];
    const std::span<const Value> operands = kernel_.operands(v);
    const auto at = [&](size_t k) { return find(operands[k]); };
    switch (i.op) {
      case Opcode::constant: {
        if (!is_integer(i.type) || i.type == DType::uint64) return {};
        const int64_t value = kernel_.constants[i.imm].as_int();
        return Interval{value, value};
      }
      case Opcode::cast: return is_integer(i.type) ? at(0) : std::nullopt;
      case Opcode::add:
      case Opcode::sub:
      case Opcode::mul: return is_integer(i.type) ? combine(i.op, at(0), at(1)) : std::nullopt;
      case Opcode::select: return hull(at(1), at(2));
      case Opcode::min:
      case Opcode::max: return hull(at(0), at(1));
      default: return {};
    }
  }

  static std::optional<Interval> hull(std::optional<Interval> x, std::optional<Interval> y) {
    if (!x || !y) return {};
    return Interval{std::min(x->least, y->least), std::max(x->most, y->most)};
  }

  static std::optional<Interval> combine(Opcode op, std::optional<Interval> x, std::optional<Interval> y) {
    if (!x || !y) return {};
    std::optional<Interval> all;
    for (const int64_t a : {x->least, x->most})
      for (const int64_t b : {y->least, y->most}) {
        int64_t value = 0;
        const bool overflows = op == Opcode::add   ? __builtin_add_overflow(a, b, &value)
                               : op == Opcode::sub ? __builtin_sub_overflow(a, b, &value)
                                                   : __builtin_mul_overflow(a, b, &value);
        if (overflows) return {};
        all = all ? Interval{std::min(all->least, value), std::max(all->most, value)} : Interval{value, value};
      }
    return all;
  }

  const ir::Kernel& kernel_;
  std::unordered_map<Value, std::optional<Interval>> known_;
};

bool divides(Opcode op) {
  return op == Opcode::div || op == Opcode::rem || op == Opcode::floor_div || op == Opcode::floor_mod;
}

/// The type in which the division gives the same; none where it is not narrower.
std::optional<DType> narrow_type(const ir::Kernel& kernel, Ranges& ranges, Value v) {
  const ir::Instruction& i = kernel.instructions[v];
  if (!divides(i.op) || i.type != DType::int64) return {};
  const Value by = kernel.operands(v)[1];
  if (kernel.instructions[by].op != Opcode::constant) return {};
  const int64_t divisor = kernel.constants[kernel.instructions[by].imm].as_int();
  const std::optional<Interval> range = ranges.find(kernel.operands(v)[0]);
  if (!range || divisor == 0 || divisor == -1) return {};
  for (DType type : {DType::int16, DType::int32}) {
    const Interval own = *range_of(type);
    if (range->is_within(own) && Interval{divisor, divisor}.is_within(own)) return type;
  }
  return {};
}

}  // namespace

ir::Kernel narrow_divisions(ir::Kernel kernel) {
  Ranges ranges(kernel);
  std::unordered_map<Value, DType> narrow;
  for (size_t v = 0; v < kernel.instructions.size(); ++v)
    if (const std::optional<DType> type = narrow_type(kernel, ranges, static_cast<Value>(v)))
      narrow[static_cast<Value>(v)] = *type;
  if (narrow.empty()) return kernel;
  ir::Builder b(kernel.ndim, kernel.name, kernel.block_axes);
  for (const ir::BufferParam& buffer : kernel.buffers) b.add_buffer(buffer);
  for (DType scalar : kernel.scalars) b.add_scalar(scalar);
  for (uint32_t k = 0; k < kernel.flag_slots; ++k) b.add_flag_slot();
  ir::RegionCopy copy(b, kernel);
  copy.copy(kernel.regions[0], [&](Value v) {
    const auto found = narrow.find(v);
    if (found == narrow.end()) return false;
    const auto operand = [&](size_t k) { return b.cast(copy[kernel.operands(v)[k]], found->second); };
    copy.set(v, b.cast(b.binary(kernel.instructions[v].op, operand(0), operand(1)), DType::int64));
    return true;
  });
  return ir::compact(b.take());
}

}  // namespace tessera::kernel
