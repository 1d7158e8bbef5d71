/// NumPy's choice of loop: promotion of weak scalars, safe casting in the order of the loops, signature= and dtype=.
#include <algorithm>
#include <cctype>

#include "tessera/base/error.h"
#include "tessera/ops/op.h"

namespace tessera::ops {

namespace {

using Types = SmallVector<DType, 4>;
using Fixed = std::span<const std::optional<DType>>;

DTypeKind kind_of_weak(DType dtype) {
  return is_complex(dtype) ? DTypeKind::complex : is_floating(dtype) ? DTypeKind::floating : DTypeKind::signed_integer;
}

/// NEP 50: a Python scalar takes the type that the strong operands have together with it.
Types strengthen(std::span<const OperandType> in) {
  std::optional<DType> strong;
  for (const OperandType& t : in) {
    if (!t.weak) strong = strong ? promote(*strong, t.dtype) : t.dtype;
  }
  Types types;
  for (const OperandType& t : in) {
    types.push_back(t.weak && strong ? promote_weak(*strong, kind_of_weak(t.dtype)) : t.dtype);
  }
  return types;
}

void meet(Types& types) {
  DType common = types[0];
  for (DType t : types) common = promote(common, t);
  for (DType& t : types) t = common;
}

bool agrees(const Signature& loop, Fixed fixed) {
  if (fixed.empty()) return true;
  for (size_t i = 0; i < loop.in.size(); ++i) {
    if (fixed[i] && *fixed[i] != loop.in[i]) return false;
  }
  for (size_t i = 0; i < loop.out.size(); ++i) {
    auto t = fixed[loop.in.size() + i];
    if (t && *t != loop.out[i]) return false;
  }
  return true;
}

bool takes(const Signature& loop, const Types& types, Casting casting, Fixed fixed) {
  for (size_t i = 0; i < types.size(); ++i) {
    bool is_fixed = !fixed.empty() && fixed[i];
    if (!is_fixed && !can_cast(types[i], loop.in[i], casting)) return false;
  }
  return true;
}

const Signature* find_loop(const Op& op, const Types& types, Casting casting, Fixed fixed) {
  for (const Signature& loop : op.signatures) {
    if (agrees(loop, fixed) && takes(loop, types, casting, fixed)) return &loop;
  }
  return nullptr;
}

std::string class_text(const OperandType& t) {
  if (t.weak) {
    const char* kind = is_complex(t.dtype) ? "_PyComplex" : is_floating(t.dtype) ? "_PyFloat" : "_PyLong";
    return format("<class 'numpy.dtypes.{}DType'>", kind);
  }
  std::string text(name(t.dtype));
  text[0] = static_cast<char>(std::toupper(text[0]));
  if (is_unsigned_integer(t.dtype)) text[1] = 'I';
  return format("<class 'numpy.dtypes.{}DType'>", text);
}

[[noreturn]] void fail_to_match(const Op& op, std::span<const OperandType> in) {
  if (!op.exact) {
    throw TypeError(format("ufunc '{}' not supported for the input types, and the inputs could not be safely coerced to any "
                           "supported types according to the casting rule ''safe''", op.name));
  }
  std::string types;
  for (const OperandType& t : in) types += (types.empty() ? "" : ", ") + class_text(t);
  throw TypeError(format("ufunc '{}' did not contain a loop with signature matching types {} -> None", op.name,
                         op.nin > 1 ? "(" + types + ")" : types));
}

void check_casts(const Op& op, const Signature& loop, std::span<const OperandType> in, Casting casting) {
  static constexpr const char* rules[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].weak || can_cast(in[i].dtype, loop.in[i], casting)) continue;
    std::string number = in.size() > 1 ? format(" {}", i) : "";
    throw TypeError(format("Cannot cast ufunc '{}' input{} from dtype('{}') to dtype('{}') with casting rule '{}'", op.name,
                           number, name(in[i].dtype), name(loop.in[i]), rules[static_cast<int>(casting)]));
  }
}

}  // namespace

const Signature& resolve_fixed(const Op& op, std::span<const OperandType> in, Fixed fixed, Casting casting) {
  Types types = strengthen(in);
  bool any_fixed = std::any_of(fixed.begin(), fixed.end(), [](const auto& t) { return t.has_value(); });
  if (!any_fixed) fixed = {};
  bool inputs_fixed = any_fixed && std::all_of(fixed.begin(), fixed.begin() + op.nin, [](const auto& t) { return t.has_value(); });
  if (op.resolve && !inputs_fixed) op.resolve(op, {types.data(), types.size()});
  if (op.exact && !any_fixed) meet(types);
  const Signature* loop = find_loop(op, types, op.exact && !any_fixed ? Casting::no : Casting::safe, fixed);
  if (!loop && any_fixed) {
    loop = find_loop(op, types, casting, fixed);
    if (!loop) loop = find_loop(op, types, Casting::unsafe, fixed);
    require<TypeError>(loop != nullptr,
                       "No loop matching the specified signature and casting was found for ufunc {}", op.name);
  }
  if (!loop) fail_to_match(op, in);
  check_casts(op, *loop, in, casting);
  return *loop;
}

const Signature& resolve(const Op& op, std::span<const OperandType> in, std::optional<DType> dtype, Casting casting) {
  if (!dtype) return resolve_fixed(op, in, {}, casting);
  std::vector<std::optional<DType>> fixed(op.nin + op.nout);
  for (int i = 0; i < op.nout; ++i) fixed[op.nin + i] = dtype;
  return resolve_fixed(op, in, fixed, casting);
}

}  // namespace tessera::ops
