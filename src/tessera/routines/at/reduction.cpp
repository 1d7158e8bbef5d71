#include "tessera/routines/at/reduction.h"

namespace tessera::routines {

using ir::Opcode;
using ir::Value;

namespace {

/// The floating-point events (status flags) of ErrorRule::arithmetic, as bits of an int32.
Value arithmetic_events(Dense& d, Value result, std::span<const Value> operands) {
  ir::Builder& b = d.b;
  const auto is = [&](Opcode op, Value x) {
    return b.unary(op, b.type(x) == DType::float64 ? x : b.cast(x, DType::float32));
  };
  const auto bits = [&](Value holds, int event) {
    return b.select(holds, b.constant(DType::int32, event), b.constant(DType::int32, 0));
  };
  const auto of_parts = [&](const std::function<Value(Value)>& part) {
    Value is_finite = b.constant(Scalar::of_bool(true)), has_nan = b.constant(Scalar::of_bool(false));
    for (Value operand : operands) {
      for (const Value x : {b.real(operand), b.imag(operand)}) {
        is_finite = b.bit_and(is_finite, is(Opcode::is_finite, x));
        has_nan = b.bit_or(has_nan, is(Opcode::is_nan, x));
        if (!is_complex(b.type(operand))) break;
      }
    }
    const Value x = part(result);
    const Value invalid = b.bit_and(is(Opcode::is_nan, x), b.bit_not(has_nan)),
                overflow = b.bit_and(is(Opcode::is_inf, x), is_finite);
    return b.bit_or(bits(invalid, ir::event_invalid), bits(overflow, ir::event_overflow));
  };
  const Value real = of_parts([&](Value v) { return b.real(v); });
  return is_complex(b.type(result)) ? b.bit_or(real, of_parts([&](Value v) { return b.imag(v); })) : real;
}

}  // namespace

std::vector<Value> AtReduction::start(Value before) const {
  std::vector<Value> state{d_.b.constant(DType::int32, 0)};
  for (Value part : carried.taken_apart(before)) state.push_back(part);
  return state;
}

std::vector<Value> AtReduction::applied(std::span<const Value> state, Value value, Value inside) const {
  ir::Builder& b = d_.b;
  const Value in[] = {b.cast(carried.whole(state.subspan(1)), signature_.in[0]), value};
  const std::span operands = std::span(in).first(op_.nin);
  Value out = ir::no_value;
  ops::emit_body(op_, signature_, b, operands, std::span(&out, 1));
  std::vector<Value> next{state[0]};
  if (watches) {
    const Value found = arithmetic_events(d_, out, operands);
    next[0] = b.bit_or(state[0], inside == ir::no_value ? found : b.select(inside, found, b.zero_like(found)));
  }
  for (const Value part : carried.taken_apart(b.cast(out, target_))) {
    const Value before = state[next.size()];
    next.push_back(inside == ir::no_value ? part : b.select(inside, part, before));
  }
  return next;
}

void AtReduction::store(std::span<const Value> state, uint32_t target, Value place, uint32_t events) const {
  ir::Builder& b = d_.b;
  d_.store(target, carried.whole(state.subspan(1)), place);
  const Value zero = d_.word(0);
  if (watches)
    d_.when(b.ne(state[0], b.zero_like(state[0])),
            [&] { b.atomic(ir::AtomicKind::bit_or, events, state[0], std::span(&zero, 1)); });
}

}  // namespace tessera::routines
