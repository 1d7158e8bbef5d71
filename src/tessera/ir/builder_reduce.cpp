#include <array>
#include <unordered_map>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/ir/builder_expand.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

ReduceKind plain_kind(ReduceKind kind, DType t) {
  if (is_boolean(t)) {
    if (kind == ReduceKind::add || kind == ReduceKind::max || kind == ReduceKind::max_num) return ReduceKind::bit_or;
    if (kind == ReduceKind::mul || kind == ReduceKind::min || kind == ReduceKind::min_num) return ReduceKind::bit_and;
  }
  if (is_integer(t) && kind == ReduceKind::min_num) return ReduceKind::min;
  if (is_integer(t) && kind == ReduceKind::max_num) return ReduceKind::max;
  return kind;
}

}  // namespace

Value Builder::clone_region(RegionId from, RegionId to, Value wanted) {
  if (!code_.is_kept) return wanted;
  std::unordered_map<Value, Value> copies;
  const auto copy_body = [&](auto& self, RegionId source, RegionId target) -> void {
    code_.open.push_back(target);
    kernel_.regions[target].arg_types = kernel_.regions[source].arg_types;
    for (size_t k = 0; k < kernel_.regions[source].arg_values.size(); ++k) {
      const Value v = kernel_.regions[source].arg_values[k];
      copies[v] = append(kernel_.instructions[v], {});
      kernel_.regions[target].arg_values.push_back(copies[v]);
    }
    for (size_t k = 0; k < kernel_.regions[source].body.size(); ++k) {
      const Value v = kernel_.regions[source].body[k];
      Instruction i = kernel_.instructions[v];
      std::vector<Value> args(kernel_.operands(v).begin(), kernel_.operands(v).end());
      for (Value& arg : args) {
        if (const auto copied = copies.find(arg); copied != copies.end()) arg = copied->second;
      }
      if (i.region_count) {
        const RegionId first = add_regions(i.region_count);
        for (int r = 0; r < i.region_count; ++r) self(self, i.first_region + r, first + r);
        i.first_region = first;
      }
      copies[v] = append(i, args);
    }
    code_.open.pop_back();
  };
  copy_body(copy_body, from, to);
  const auto copied = copies.find(wanted);
  return copied == copies.end() ? wanted : copied->second;
}

// The caller's element function runs only once, because it may keep the values it created.
Value Builder::reduce(ReduceKind kind, ReduceOrder order, Value lower, Value upper,
                      const std::function<Value(Value)>& element, Value initial) {
  open_guards();
  const bool ended = std::exchange(code_.has_ended, false);
  const RegionId region = add_regions(1);
  const DType index_type = DType::int64;
  DType t = DType::boolean;
  Value last = no_value;
  bool as_loop = false;
  fill_region(region, {&index_type, 1}, [&](std::span<const Value> args) -> std::vector<Value> {
    const size_t open = guards();
    last = element(args[0]);
    if (guards() > open || has_due_guards()) {  // it is used beyond the region, too
      drop_due_guards();
      last = end_guards(open, {last})[0];
      code_.has_ended = true;
    }
    t = type(last);
    if (is_floating(t) && itemsize(t) == 2) return {cast(last, DType::float32)};
    if (!is_complex(t)) return {last};
    if (kind == ReduceKind::add) return {};
    // This reduction is not a reduction of the parts: it becomes a loop that carries both parts and starts from the
    // first element.
    as_loop = true;
    std::array<Value, 2> carried;
    for (uint32_t k = 0; k < 2; ++k) {
      carried[k] = append({.op = Opcode::region_arg, .type = real_dtype(t), .imm = k + 1}, {});
      kernel_.regions[region].arg_types.push_back(real_dtype(t));
      kernel_.regions[region].arg_values.push_back(carried[k]);
    }
    const Value reduced = binary(combining_opcode(kind), make_complex(carried[0], carried[1]), last);
    if (initial != no_value) return {real(reduced), imag(reduced)};
    const Value first = eq(args[0], lower);
    return {select(first, real(last), real(reduced)), select(first, imag(last), imag(reduced))};
  });
  if (as_loop) {
    const Scalar identity = ir::identity(kind, t);
    const auto start = [&](int part) {
      return initial == no_value ? constant(part_of(identity, part)) : part ? imag(initial) : real(initial);
    };
    const Value v = append({.op = Opcode::for_, .type = real_dtype(t), .region_count = 1, .first_region = region},
                           {lower, upper, constant(DType::int64, 1), start(0), start(1)});
    const std::array<DType, 2> types{real_dtype(t), real_dtype(t)};
    const std::vector<Value> parts = results_of(v, types);
    guard_again(ended);
    return make_complex(parts[0], parts[1]);
  }
  const auto reduce_region = [&](RegionId own, DType computed, Value from) {
    std::vector<Value> operands{lower, upper};
    if (from != no_value) operands.push_back(from);
    const uint8_t attr = reduce_attr(kind, order);
    return append({.op = Opcode::reduce, .type = computed, .attr = attr, .region_count = 1, .first_region = own},
                  operands);
  };
  if (is_complex(t)) {
    if (order == ReduceOrder::pairwise) order = ReduceOrder::pairwise_complex;
    std::array<Value, 2> sums;
    for (int part = 0; part < 2; ++part) {
      const RegionId own = add_regions(1);
      const Value whole = clone_region(region, own, last);
      code_.open.push_back(own);
      append({.op = Opcode::yield}, {part ? imag(whole) : real(whole)});
      code_.open.pop_back();
      const Value from = initial == no_value ? no_value : part ? imag(initial) : real(initial);
      sums[part] = reduce_region(own, real_dtype(t), from);
    }
    guard_again(ended);
    return make_complex(sums[0], sums[1]);
  }
  const DType computed = is_floating(t) && itemsize(t) == 2 ? DType::float32 : t;
  kind = plain_kind(kind, t);
  invariant(accepts(combining_opcode(kind), computed), "ir: reduce by {} of {}", name(kind), t);
  const Value v = reduce_region(region, computed, initial == no_value ? no_value : cast(initial, computed));
  guard_again(ended);
  return cast(v, t);
}

}  // namespace tessera::ir
