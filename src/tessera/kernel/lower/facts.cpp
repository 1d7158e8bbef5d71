#include "tessera/kernel/lower/facts.h"

#include <algorithm>

#include "tessera/ir/builder_expand.h"

namespace tessera::kernel {

using ir::Opcode;
using ir::Value;

namespace {

constexpr int deepest = 10;

/// The larger of two limits, either of which may be unknown.
std::optional<int64_t> either(std::optional<int64_t> a, std::optional<int64_t> b) {
  if (!a || !b) return a ? a : b;
  return std::max(*a, *b);
}

std::optional<int64_t> lower(std::optional<int64_t> a, std::optional<int64_t> b) {
  if (!a || !b) return std::nullopt;
  return std::min(*a, *b);
}

// Sums beyond 64 bits are no indices of any array.
std::optional<int64_t> sum(std::optional<int64_t> a, std::optional<int64_t> b) {
  int64_t total = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &total)) return std::nullopt;
  return total;
}

/// What a region passes on as its only value.
Value yielded(const ir::Kernel& kernel, Value control, int region) {
  const std::span<const Value> values = yielded(kernel, kernel.region(control, region));
  return values.empty() ? ir::no_value : values[0];
}

bool is_constant(const ir::Kernel& kernel, Value value, bool wanted) {
  const Scalar* known = value == ir::no_value ? nullptr : ir::constant_of(kernel, value);
  return known && is_boolean(known->dtype) && (known->bytes[0] != 0) == wanted;
}

}  // namespace

void Facts::set_lower_bound(Value value, int64_t limit) {
  const auto [found, first] = known_.emplace(value, limit);
  if (!first) found->second = std::max(found->second, limit);
}

void Facts::expect_non_negative(Value value) { expected_.emplace(value, false); }

bool Facts::refute(Value value) {
  const auto found = expected_.find(value);
  const bool used = found != expected_.end() && found->second;
  if (found != expected_.end()) expected_.erase(found);
  return used;
}

bool Facts::keeps_expectation(Value next) {
  const auto before = expected_;
  const bool keeps = is_non_negative(next);
  if (!keeps) expected_ = before;
  return keeps;
}

std::optional<int64_t> Facts::bound(Value value, int depth) {
  std::optional<int64_t> best;
  if (const auto found = known_.find(value); found != known_.end()) best = found->second;
  for (const Limit& limit : assumed_) {
    if (limit.value == value) best = either(best, limit.limit);
  }
  if (best && *best >= 0) return best;
  if (const auto found = expected_.find(value); found != expected_.end()) {
    found->second = true;
    return either(best, 0);
  }
  return either(best, computed_bound(value, depth));
}

std::optional<int64_t> Facts::computed_bound(Value value, int depth) {
  const ir::Kernel& kernel = b_->kernel();
  const ir::Instruction& i = kernel.instructions[value];
  if (const Scalar* known = ir::constant_of(kernel, value))
    return is_integer(known->dtype) || is_boolean(known->dtype) ? std::optional(known->as_int()) : std::nullopt;
  if (is_boolean(i.type) || is_unsigned_integer(i.type)) return 0;
  if (!is_integer(i.type) || depth > deepest) return std::nullopt;
  const auto of = [&](int k) { return bound(kernel.operands(value)[k], depth + 1); };
  const auto not_negative = [&](int k) { return of(k).value_or(-1) >= 0; };
  const auto zero_if = [](bool holds) { return holds ? std::optional<int64_t>(0) : std::nullopt; };
  switch (i.op) {
    case Opcode::index:
    case Opcode::extent:
    case Opcode::dimension:
    case Opcode::abs: return 0;
    case Opcode::add: return sum(of(0), of(1));
    case Opcode::sub: {
      const Scalar* by = ir::constant_of(kernel, kernel.operands(value)[1]);
      return by && by->as_int() != INT64_MIN ? sum(of(0), -by->as_int()) : std::nullopt;
    }
    case Opcode::mul:
    case Opcode::div:
    case Opcode::floor_div:
    case Opcode::bit_or:
    case Opcode::bit_xor: return zero_if(not_negative(0) && not_negative(1));
    case Opcode::bit_and: return zero_if(not_negative(0) || not_negative(1));
    case Opcode::floor_mod: return zero_if(not_negative(1));
    case Opcode::rem:
    case Opcode::shift_left:
    case Opcode::shift_right: return zero_if(not_negative(0));
    case Opcode::min: return lower(of(0), of(1));
    case Opcode::max: return either(of(0), of(1));
    case Opcode::select: return lower(of(1), of(2));
    case Opcode::cast: {
      const DType from = b_->type(kernel.operands(value)[0]);
      const bool holds_all = is_boolean(from) || (is_integer(from) && promote(from, i.type) == i.type);
      return holds_all ? of(0) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

bool Facts::is_never_zero(Value value) {
  const DType type = b_->type(value);
  if (is_integer(type)) return lower_bound(value).value_or(0) > 0;
  return is_floating(type) && sign_of(value, 0).not_zero;
}

Facts::Sign Facts::sign_of(Value value, int depth) {
  Sign sign = depth > deepest ? Sign{} : computed_sign(value, depth);
  for (const Limit& limit : assumed_) {
    if (limit.value != value) continue;
    sign.not_negative |= limit.sign.not_negative;
    sign.not_zero |= limit.sign.not_zero;
  }
  return sign;
}

// Rounding keeps order, so a sum is not below its larger term; products, quotients and exponentials may become zero.
Facts::Sign Facts::computed_sign(Value value, int depth) {
  const ir::Kernel& kernel = b_->kernel();
  const ir::Instruction& i = kernel.instructions[value];
  if (const Scalar* known = ir::constant_of(kernel, value)) {
    const double number = is_floating(known->dtype) ? known->as_double() : 0;
    return {.not_negative = number >= 0, .not_zero = number > 0 || number < 0};
  }
  if (!is_floating(i.type)) return {};
  const std::span<const Value> operands = kernel.operands(value);
  const auto of = [&](int k) { return sign_of(operands[k], depth + 1); };
  switch (i.op) {
    case Opcode::abs: return {.not_negative = true, .not_zero = of(0).not_zero};
    case Opcode::neg: return {.not_zero = of(0).not_zero};
    case Opcode::sqrt: return {.not_negative = true, .not_zero = of(0).not_zero};
    case Opcode::exp:
    case Opcode::exp2: return {.not_negative = true};
    case Opcode::add: {
      const Sign x = of(0), y = of(1);
      const bool neither = x.not_negative && y.not_negative;
      return {.not_negative = neither, .not_zero = neither && (x.not_zero || y.not_zero)};
    }
    case Opcode::mul:
      if (operands[0] == operands[1]) return {.not_negative = true};
      [[fallthrough]];
    case Opcode::div: return {.not_negative = of(0).not_negative && of(1).not_negative};
    case Opcode::select: {
      const Sign x = of(1), y = of(2);
      return {.not_negative = x.not_negative && y.not_negative, .not_zero = x.not_zero && y.not_zero};
    }
    case Opcode::cast: {
      const DType from = b_->type(operands[0]);
      if (is_floating(from)) return itemsize(from) <= itemsize(i.type) ? of(0) : Sign{of(0).not_negative};
      const int64_t limit = is_integer(from) ? bound(operands[0], depth + 1).value_or(-1) : -1;
      return {.not_negative = limit >= 0, .not_zero = limit > 0};
    }
    default: return {};
  }
}

size_t Facts::assume_less(Value smaller, Value larger) {
  const size_t mark = assumed_.size();
  assume_order(smaller, larger, 1);
  assumed_.push_back({.value = smaller, .limit = INT64_MIN, .below = larger});
  return mark;
}

std::optional<int> Facts::steps_outside(Value value, Value length) {
  const ir::Kernel& kernel = b_->kernel();
  const auto lies_within = [&](Value inner) {
    return is_non_negative(inner) && std::ranges::any_of(assumed_, [&](const Limit& limit) {
             return limit.value == inner && limit.below == length;
           });
  };
  if (lies_within(value)) return 0;
  const ir::Instruction& i = kernel.instructions[value];
  if (i.op != Opcode::add && i.op != Opcode::sub) return std::nullopt;
  const std::span<const Value> operands = kernel.operands(value);
  for (const int k : {0, 1}) {
    const Scalar* step = ir::constant_of(kernel, operands[1 - k]);
    if (!step || (i.op == Opcode::sub && k == 1) || !lies_within(operands[k])) continue;
    const int64_t by = i.op == Opcode::add ? step->as_int() : -step->as_int();
    if (by >= -1 && by <= 1) return static_cast<int>(by);
  }
  return std::nullopt;
}

// A comparison that does not hold says nothing of NaN, so little follows from it.
void Facts::assume_float_comparison(Opcode op, Value x, Value y, bool holds) {
  if (op == Opcode::gt || op == Opcode::ge) {
    std::swap(x, y);
    op = op == Opcode::gt ? Opcode::lt : Opcode::le;
  }
  const ir::Kernel& kernel = b_->kernel();
  const auto is_zero = [&](Value v) {
    const Scalar* known = ir::constant_of(kernel, v);
    return known && known->as_double() == 0;
  };
  if (op == Opcode::ne || op == Opcode::eq) {
    if ((op == Opcode::ne) != holds) return;
    if (is_zero(y)) assume_sign(x, {.not_zero = true});
    if (is_zero(x)) assume_sign(y, {.not_zero = true});
    return;
  }
  if (!holds) {
    // x >= 0 or NaN.
    if (op == Opcode::lt && is_zero(y)) assume_sign(x, {.not_negative = true});
    if (op == Opcode::le && is_zero(y)) assume_sign(x, {.not_negative = true, .not_zero = true});
    return;
  }
  const Sign low = sign_of(x, 0);
  if (low.not_negative) assume_sign(y, {.not_negative = true, .not_zero = op == Opcode::lt || low.not_zero});
  if (op == Opcode::lt && is_zero(y)) assume_sign(x, {.not_zero = true});
}

void Facts::assume_order(Value smaller, Value larger, int64_t by) {
  if (const auto limit = sum(lower_bound(smaller), by)) assumed_.push_back({larger, *limit});
}

void Facts::assume_comparison(Opcode op, Value x, Value y, bool holds) {
  if (is_floating(b_->type(x))) return assume_float_comparison(op, x, y, holds);
  if (!is_integer(b_->type(x))) return;
  if (op == Opcode::gt || op == Opcode::ge) {
    std::swap(x, y);
    op = op == Opcode::gt ? Opcode::lt : Opcode::le;
  }
  if (op == Opcode::lt && holds) return assume_order(x, y, 1);
  if (op == Opcode::le && holds) return assume_order(x, y, 0);
  if (op == Opcode::lt) return assume_order(y, x, 0);
  if (op == Opcode::le) return assume_order(y, x, 1);
  if ((op == Opcode::eq) != holds) return;
  assume_order(x, y, 0);
  assume_order(y, x, 0);
}

size_t Facts::assume(Value condition, bool holds) {
  const size_t mark = assumed_.size();
  const ir::Kernel& kernel = b_->kernel();
  const ir::Instruction i = kernel.instructions[condition];
  const auto operand = [&](int k) { return kernel.operands(condition)[k]; };
  switch (i.op) {
    case Opcode::bit_not: assume(operand(0), !holds); break;
    case Opcode::bit_and:
    case Opcode::bit_or:
      if ((i.op == Opcode::bit_and) == holds) {
        assume(operand(0), holds);
        assume(operand(1), holds);
      }
      break;
    case Opcode::eq:
    case Opcode::ne:
    case Opcode::lt:
    case Opcode::le:
    case Opcode::gt:
    case Opcode::ge: assume_comparison(i.op, operand(0), operand(1), holds); break;
    case Opcode::if_: {
      // `x and y` where y is evaluated only if x holds, and `x or y` where it is evaluated only if x does not.
      const Value first = yielded(kernel, condition, 0), second = yielded(kernel, condition, 1);
      if (holds && (second == operand(0) || is_constant(kernel, second, false))) {
        assume(operand(0), true);
        assume(first, true);
      }
      if (!holds && (first == operand(0) || is_constant(kernel, first, true))) {
        assume(operand(0), false);
        assume(second, false);
      }
      break;
    }
    default:
      if (holds && is_boolean(i.type)) assumed_.push_back({condition, 1});
      break;
  }
  return mark;
}

}  // namespace tessera::kernel
