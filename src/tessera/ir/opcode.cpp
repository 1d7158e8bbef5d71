#include "tessera/ir/opcode.h"

#include <algorithm>
#include <array>

#include "tessera/base/error.h"

namespace tessera::ir {

namespace {

using enum Opcode;
using enum OpcodeForm;
using enum OpcodeDomain;

constexpr std::array<OpcodeInfo, opcode_count> table{{
    {constant, "constant", leaf, none, 0},
    {scalar, "scalar", leaf, none, 0},
    {Opcode::index, "index", leaf, none, 0},
    {extent, "extent", leaf, none, 0},
    {dimension, "dimension", leaf, none, 0},
    {region_arg, "region_arg", leaf, none, 0},
    {add, "add", arithmetic, numbers, 2},
    {sub, "sub", arithmetic, numbers, 2},
    {mul, "mul", arithmetic, numbers, 2},
    {Opcode::div, "div", arithmetic, numbers, 2},
    {floor_div, "floor_div", arithmetic, numbers, 2},
    {rem, "rem", arithmetic, numbers, 2},
    {floor_mod, "floor_mod", arithmetic, numbers, 2},
    {Opcode::pow, "pow", arithmetic, numbers, 2},
    {min, "min", arithmetic, numbers, 2},
    {max, "max", arithmetic, numbers, 2},
    {min_num, "min_num", arithmetic, numbers, 2},
    {max_num, "max_num", arithmetic, numbers, 2},
    {Opcode::atan2, "atan2", arithmetic, floats, 2},
    {Opcode::hypot, "hypot", arithmetic, floats, 2},
    {Opcode::copysign, "copysign", arithmetic, floats, 2},
    {next_after, "next_after", arithmetic, floats, 2},
    {Opcode::ldexp, "ldexp", arithmetic, floats, 2},
    {gcd, "gcd", arithmetic, integers, 2},
    {lcm, "lcm", arithmetic, integers, 2},
    {bit_and, "bit_and", arithmetic, bits, 2},
    {bit_or, "bit_or", arithmetic, bits, 2},
    {bit_xor, "bit_xor", arithmetic, bits, 2},
    {shift_left, "shift_left", arithmetic, integers, 2},
    {shift_right, "shift_right", arithmetic, integers, 2},
    {mul_high, "mul_high", arithmetic, integers, 2},
    {Opcode::fma, "fma", arithmetic, floats, 3},
    {neg, "neg", arithmetic, numbers, 1},
    {Opcode::abs, "abs", arithmetic, numbers, 1},
    {sign, "sign", arithmetic, numbers, 1},
    {bit_not, "bit_not", arithmetic, bits, 1},
    {popcount, "popcount", arithmetic, integers, 1},
    {leading_zeros, "leading_zeros", arithmetic, integers, 1},
    {reverse_bits, "reverse_bits", arithmetic, integers, 1},
    {Opcode::sqrt, "sqrt", arithmetic, floats, 1},
    {Opcode::cbrt, "cbrt", arithmetic, floats, 1},
    {Opcode::exp, "exp", arithmetic, floats, 1},
    {Opcode::exp2, "exp2", arithmetic, floats, 1},
    {Opcode::expm1, "expm1", arithmetic, floats, 1},
    {Opcode::log, "log", arithmetic, floats, 1},
    {Opcode::log2, "log2", arithmetic, floats, 1},
    {Opcode::log10, "log10", arithmetic, floats, 1},
    {Opcode::log1p, "log1p", arithmetic, floats, 1},
    {Opcode::sin, "sin", arithmetic, floats, 1},
    {Opcode::cos, "cos", arithmetic, floats, 1},
    {Opcode::tan, "tan", arithmetic, floats, 1},
    {Opcode::asin, "asin", arithmetic, floats, 1},
    {Opcode::acos, "acos", arithmetic, floats, 1},
    {Opcode::atan, "atan", arithmetic, floats, 1},
    {Opcode::sinh, "sinh", arithmetic, floats, 1},
    {Opcode::cosh, "cosh", arithmetic, floats, 1},
    {Opcode::tanh, "tanh", arithmetic, floats, 1},
    {Opcode::asinh, "asinh", arithmetic, floats, 1},
    {Opcode::acosh, "acosh", arithmetic, floats, 1},
    {Opcode::atanh, "atanh", arithmetic, floats, 1},
    {Opcode::erf, "erf", arithmetic, floats, 1},
    {Opcode::erfc, "erfc", arithmetic, floats, 1},
    {Opcode::tgamma, "tgamma", arithmetic, floats, 1},
    {Opcode::lgamma, "lgamma", arithmetic, floats, 1},
    {Opcode::floor, "floor", arithmetic, floats, 1},
    {Opcode::ceil, "ceil", arithmetic, floats, 1},
    {Opcode::trunc, "trunc", arithmetic, floats, 1},
    {Opcode::rint, "rint", arithmetic, floats, 1},
    {spacing, "spacing", arithmetic, floats, 1},
    {frexp_mantissa, "frexp_mantissa", arithmetic, floats, 1},
    {frexp_exponent, "frexp_exponent", arithmetic, floats, 1},
    {guess_reciprocal, "guess_reciprocal", arithmetic, floats, 1},
    {is_nan, "is_nan", predicate, floats, 1},
    {is_inf, "is_inf", predicate, floats, 1},
    {is_finite, "is_finite", predicate, floats, 1},
    {sign_bit, "sign_bit", predicate, floats, 1},
    {eq, "eq", comparison, any_real, 2},
    {ne, "ne", comparison, any_real, 2},
    {lt, "lt", comparison, any_real, 2},
    {le, "le", comparison, any_real, 2},
    {gt, "gt", comparison, any_real, 2},
    {ge, "ge", comparison, any_real, 2},
    {Opcode::select, "select", conversion, none, 3},
    {cast, "cast", conversion, none, 1},
    {bitcast, "bitcast", conversion, none, 1},
    {make_complex, "make_complex", conversion, none, 2},
    {real, "real", conversion, none, 1},
    {imag, "imag", conversion, none, 1},
    {load, "load", memory, none, -1},
    {store, "store", memory, none, -1},
    {load_array, "load_array", memory, none, 1},
    {store_array, "store_array", memory, none, 2},
    {atomic, "atomic", memory, none, -1},
    {atomic_array, "atomic_array", memory, none, -1},
    {address, "address", memory, none, -1},
    {address_array, "address_array", memory, none, 1},
    {is_aligned, "is_aligned", memory, none, -1},
    {if_, "if", control, none, 1},
    {for_, "for", control, none, -1},
    {while_, "while", control, none, -1},
    {Opcode::reduce, "reduce", control, none, -1},
    {yield, "yield", control, none, -1},
    {result, "result", control, none, 1},
    {barrier, "barrier", control, none, 0},
    {barrier_count, "barrier_count", control, none, 1},
    {grid_barrier, "grid_barrier", control, none, 0},
    {warp_barrier, "warp_barrier", control, none, -1},
    {ballot, "ballot", control, none, -1},
    {match_byte, "match_byte", control, none, 1},
    {match_any, "match_any", control, none, 2},
    {shuffle, "shuffle", control, none, 3},
    {active_mask, "active_mask", control, none, 0},
    {fence, "fence", control, none, 0},
    {Opcode::pause, "pause", control, none, -1},
    {call_host, "call_host", control, none, -1},
    {call_foreign, "call_foreign", control, none, -1},
    {call, "call", control, none, -1},
    {check, "check", control, none, -1},
}};

constexpr bool in_order() {
  for (int i = 0; i < opcode_count; ++i) {
    if (static_cast<int>(table[i].op) != i) return false;
  }
  return true;
}
static_assert(in_order(), "the table lists the opcodes in their order");

bool is_computing_float(DType t) { return t == DType::float32 || t == DType::float64; }

template <size_t N>
std::string_view name_in(const std::array<std::string_view, N>& names, int i) {
  invariant(i >= 0 && i < static_cast<int>(N), "ir: attribute {} out of {}", i, N);
  return names[i];
}

}  // namespace

const OpcodeInfo& info(Opcode op) { return table[static_cast<int>(op)]; }
std::string_view name(Opcode op) { return info(op).name; }

std::optional<Opcode> opcode_from_name(std::string_view name) {
  for (const OpcodeInfo& row : table) {
    if (row.name == name) return row.op;
  }
  return std::nullopt;
}

bool accepts(Opcode op, DType t) {
  switch (info(op).domain) {
    case none: return false;
    case floats: return is_computing_float(t);
    case numbers: return is_integer(t) || is_computing_float(t);
    case integers: return is_integer(t);
    case bits: return is_boolean(t) || is_integer(t);
    case any_real: return is_boolean(t) || is_integer(t) || is_computing_float(t);
  }
  return false;
}

DType result_type(Opcode op, std::span<const DType> operands) {
  const OpcodeInfo& row = info(op);
  if (row.form == predicate || row.form == comparison) return DType::boolean;
  switch (op) {
    case popcount:
    case leading_zeros: return DType::uint8;
    case frexp_exponent: return DType::int32;
    case Opcode::select: return operands[1];
    case make_complex: return complex_dtype(operands[0]);
    case real:
    case imag: return real_dtype(operands[0]);
    default: return operands[0];
  }
}

bool is_pure(Opcode op) {
  const OpcodeForm form = info(op).form;
  return form == arithmetic || form == predicate || form == comparison || form == conversion ||
         (form == leaf && op != region_arg);
}

bool has_immediate(Opcode op) {
  switch (op) {
    case constant:
    case scalar:
    case Opcode::index:
    case extent:
    case dimension:
    case region_arg:
    case load:
    case store:
    case load_array:
    case store_array:
    case atomic:
    case atomic_array:
    case address:
    case address_array:
    case is_aligned:
    case result:
    case shuffle:
    case call_host:
    case call_foreign:
    case call:
    case check: return true;
    default: return false;
  }
}

Opcode combining_opcode(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::add: return add;
    case ReduceKind::mul: return mul;
    case ReduceKind::min: return min;
    case ReduceKind::max: return max;
    case ReduceKind::min_num: return min_num;
    case ReduceKind::max_num: return max_num;
    case ReduceKind::bit_and: return bit_and;
    case ReduceKind::bit_or: return bit_or;
    case ReduceKind::bit_xor: return bit_xor;
  }
  return add;
}

std::string_view name(ReduceKind kind) { return name(combining_opcode(kind)); }
std::string_view name(ReduceOrder order) {
  return name_in(std::to_array<std::string_view>({"pairwise", "sequential", "pairwise_complex"}),
                 static_cast<int>(order));
}
std::string_view name(AtomicKind kind) {
  return name_in(
      std::to_array<std::string_view>({"add", "sub", "min", "max", "bit_and", "bit_or", "bit_xor", "exchange",
                                       "compare_exchange", "min_num", "max_num", "increment", "decrement"}),
      static_cast<int>(kind));
}
std::string_view name(ShuffleKind kind) {
  return name_in(std::to_array<std::string_view>({"index", "up", "down", "exchange"}), static_cast<int>(kind));
}
std::string_view name(FenceScope scope) {
  return name_in(std::to_array<std::string_view>({"block", "device", "system"}), static_cast<int>(scope));
}
std::string_view name(CacheHint hint) {
  return name_in(std::to_array<std::string_view>(
                     {"none", "all", "second_level", "streaming", "last_use", "reread", "write_back", "write_through"}),
                 static_cast<int>(hint));
}
std::string_view name(ErrorRule rule) {
  return name_in(std::to_array<std::string_view>(
                     {"none", "arithmetic", "divide", "integer_divide", "pole", "power", "cast", "inside"}),
                 static_cast<int>(rule));
}
std::string_view name(InnerStride inner) {
  return name_in(std::to_array<std::string_view>({"strided", "contiguous", "broadcast"}), static_cast<int>(inner));
}

bool meets_in_blocks(const Kernel& kernel) {
  const auto meets = [](const Instruction& i) { return is_meeting(i.op); };
  return std::ranges::any_of(kernel.arrays, &ArrayDecl::shared) || std::ranges::any_of(kernel.instructions, meets);
}

bool meets_in_grid(const Kernel& kernel) {
  return std::ranges::any_of(kernel.foreign, &ForeignFunction::meets_in_grid) ||
         std::ranges::any_of(kernel.instructions, [](const Instruction& i) { return i.op == Opcode::grid_barrier; });
}

bool waits_for_others(const Kernel& kernel) {
  const auto waits = [](const Instruction& i) { return i.op == Opcode::grid_barrier || i.op == Opcode::pause; };
  return std::ranges::any_of(kernel.instructions, waits);
}

}  // namespace tessera::ir
