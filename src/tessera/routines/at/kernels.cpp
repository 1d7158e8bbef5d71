// ufunc.at: elements updated in place at given indices, once per occurrence. One thread reduces each run of equal
// indices in the order of the values, so the result does not depend on scheduling; integers, for which any order gives
// the same result, are updated by atomics.
#include "tessera/routines/at/kernels.h"
#include "tessera/routines/dense.h"

namespace tessera::routines {

using ir::Opcode;
using ir::Value;

namespace {

/// The state that a reduction carries from element to element: complex numbers as two parts, half-precision values as
/// float32.
class Carried {
 public:
  Carried(ir::Builder& b, DType dtype) : b_(b), dtype_(dtype) {}
  std::vector<Value> taken_apart(Value x) const {
    if (is_complex(dtype_)) return {b_.real(x), b_.imag(x)};
    return {is_half() ? b_.cast(x, DType::float32) : x};
  }
  Value whole(std::span<const Value> parts) const {
    if (is_complex(dtype_)) return b_.make_complex(parts[0], parts[1]);
    return b_.cast(parts[0], dtype_);
  }
  size_t count() const { return is_complex(dtype_) ? 2 : 1; }

 private:
  bool is_half() const { return dtype_ == DType::float16 || dtype_ == DType::bfloat16; }
  ir::Builder& b_;
  DType dtype_;
};

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

uint32_t changed(Dense& d, DType dtype) {
  return d.b.add_buffer({.dtype = dtype, .ndim = 1, .writable = true, .inner = ir::InnerStride::contiguous});
}

}  // namespace

// buffers: places (sorted), [values], target, events (int32); scalars: places, stride of values (0: one value for all)
ir::Kernel reduce_places_kernel(const ops::Op& op, const ops::Signature& signature, DType target) {
  constexpr int at_once = 4;  // independent loads
  Dense d(1, "reduce_places");
  ir::Builder& b = d.b;
  const bool binary = op.nin == 2;
  const uint32_t places = d.read(DType::int64), values = binary ? d.read(signature.in[1]) : 0, to = changed(d, target),
                 events = changed(d, DType::int32);
  const Value n = d.number(), step = d.number(), first = b.index(0), last = b.sub(n, d.word(1));
  const Value place = d.load(places, first), before = d.load(places, b.max(b.sub(first, d.word(1)), d.word(0)));
  const bool watches = ops::errors_of(op, signature.in[0]) == ir::ErrorRule::arithmetic;
  const Carried carried(b, target);
  const auto apply = [&](Value x, Value value) {
    const Value in[] = {b.cast(x, signature.in[0]), value};
    Value out = ir::no_value;
    ops::emit_body(op, signature, b, std::span(in).first(op.nin), std::span(&out, 1));
    const Value found = watches ? arithmetic_events(d, out, std::span(in).first(op.nin)) : b.constant(DType::int32, 0);
    return std::pair(b.cast(out, target), found);
  };
  const auto goes_on = [&](std::span<const Value> state) {
    std::vector<Value> passed{state[0]};
    passed.insert(passed.end(), state.begin(), state.end());
    return passed;
  };
  const auto reduction = [&](std::span<const Value> state) {
    Value inside = state[0], found = state[2];
    const Value at = state[1];
    std::vector<Value> element, is_own;
    for (int k = 0; k < at_once; ++k) {
      const Value next = b.add(at, d.word(k)), safe = b.min(next, last);
      is_own.push_back(b.bit_and(b.le(next, last), b.eq(d.load(places, safe), place)));
      element.push_back(binary ? d.load(values, b.mul(safe, step)) : ir::no_value);
    }
    std::vector<Value> parts(state.begin() + 3, state.end());
    for (size_t k = 0; k < element.size(); ++k) {
      inside = b.bit_and(inside, is_own[k]);
      const auto [result, event] = apply(carried.whole(parts), element[k]);
      const std::vector<Value> changed_parts = carried.taken_apart(result);
      for (size_t p = 0; p < parts.size(); ++p) parts[p] = b.select(inside, changed_parts[p], parts[p]);
      found = b.bit_or(found, b.select(inside, event, b.zero_like(event)));
    }
    std::vector<Value> next{inside, b.add(at, d.word(at_once)), found};
    next.insert(next.end(), parts.begin(), parts.end());
    return next;
  };
  d.when(b.bit_or(b.eq(first, d.word(0)), b.ne(before, place)), [&] {
    std::vector<Value> start{b.constant(Scalar::of_bool(true)), first, b.constant(DType::int32, 0)};
    for (Value part : carried.taken_apart(d.load(to, place))) start.push_back(part);
    const std::vector<Value> reduced = b.while_(start, goes_on, reduction);
    d.store(to, carried.whole(std::span(reduced).subspan(3)), place);
    const Value zero = d.word(0);
    if (watches)
      d.when(b.ne(reduced[2], b.zero_like(reduced[2])),
             [&] { b.atomic(ir::AtomicKind::bit_or, events, reduced[2], std::span(&zero, 1)); });
  });
  return b.take();
}

ir::Kernel narrow_places_kernel(DType to) {
  Dense d(1, "narrow_places");
  const uint32_t numbers = d.read(DType::int64), out = d.write(to);
  d.store(out, d.b.cast(d.load(numbers, d.b.index(0)), to), d.b.index(0));
  return d.b.take();
}

// buffers: places, values, target; scalar: stride of values
ir::Kernel change_places_kernel(ir::AtomicKind kind, DType dtype) {
  Dense d(1, "change_places");
  ir::Builder& b = d.b;
  const uint32_t places = d.read(DType::int64), values = d.read(dtype), to = changed(d, dtype);
  const Value place = d.load(places, b.index(0));
  b.atomic(kind, to, d.load(values, b.mul(b.index(0), d.number())), std::span(&place, 1));
  return b.take();
}

}  // namespace tessera::routines
