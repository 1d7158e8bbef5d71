/// NumPy's choice of loop: promotion of weak scalars, safe casting in the order of the loops, signature= and dtype=.
#include <algorithm>
#include <cctype>

#include "tessera/base/error.h"
#include "tessera/ops/op.h"
#include "tessera/ops/user_op.h"

namespace tessera::ops {

namespace {

using Types = SmallVector<DType, 4>;
using Fixed = std::span<const std::optional<DType>>;

DTypeKind kind_of_weak(DType dtype) {
  return is_complex(dtype) ? DTypeKind::complex : is_floating(dtype) ? DTypeKind::floating : DTypeKind::signed_integer;
}

std::optional<DType> strong_type(std::span<const OperandType> in) {
  std::optional<DType> strong;
  for (const OperandType& t : in) {
    if (!t.weak) strong = strong ? promote(*strong, t.dtype) : t.dtype;
  }
  return strong;
}

/// NEP 50: a Python scalar gets the type that results from promoting it with the strong operands.
Types strengthen(std::span<const OperandType> in, std::optional<DType> strong) {
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

/// The inputs of the search through the loops.
struct Request {
  std::span<const OperandType> in;
  std::optional<DType> strong;
  Types types;  // weak scalars have been made strong and the op's own rule has been applied
  Fixed fixed;
};

/// Operands of the same type must be castable to the loop's type. If an op mixes operand types, a Python scalar that
/// does not widen the strong operands fits every loop type of its kind.
bool fits(const Signature& loop, const Request& request, size_t i, Casting casting) {
  bool mixed = loop.in.size() == 2 && loop.in[0] != loop.in[1];
  if (mixed && request.in[i].weak && request.types[i] == request.strong) {
    return promote_weak(loop.in[i], kind_of_weak(request.in[i].dtype)) == loop.in[i];
  }
  return can_cast(request.types[i], loop.in[i], casting);
}

const Signature* find_loop(const Op& op, const Request& request, Casting casting) {
  for (const Signature& loop : op.signatures) {
    bool good = agrees(loop, request.fixed);
    for (size_t i = 0; good && i < request.in.size(); ++i) {
      bool is_fixed = !request.fixed.empty() && request.fixed[i];
      good = is_fixed || fits(loop, request, i, casting);
    }
    if (good) return &loop;
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
    throw TypeError(
        format("ufunc '{}' not supported for the input types, and the inputs could not be safely coerced to any "
               "supported types according to the casting rule ''safe''",
               op.name));
  }
  std::string types;
  for (const OperandType& t : in) types += (types.empty() ? "" : ", ") + class_text(t);
  throw UfuncTypeError(format("ufunc '{}' did not contain a loop with signature matching types {} -> None", op.name,
                              op.nin > 1 ? "(" + types + ")" : types));
}

void check_casts(const Op& op, const Signature& loop, const Request& request, Casting casting) {
  static constexpr const char* rules[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
  for (size_t i = 0; i < request.in.size(); ++i) {
    if (fits(loop, request, i, casting)) continue;
    std::string number = request.in.size() > 1 ? format(" {}", i) : "";
    throw UfuncTypeError(format("Cannot cast ufunc '{}' input{} from dtype('{}') to dtype('{}') with casting rule '{}'",
                                op.name, number, name(request.in[i].dtype), name(loop.in[i]),
                                rules[static_cast<int>(casting)]));
  }
}

bool any(Fixed fixed) {
  return std::any_of(fixed.begin(), fixed.end(), [](const auto& t) { return t.has_value(); });
}

}  // namespace

const Signature& resolve_fixed(const Op& op, std::span<const OperandType> in, Fixed fixed, Casting casting) {
  std::optional<DType> strong = strong_type(in);
  Request request{in, strong, strengthen(in, strong), any(fixed) ? fixed : Fixed{}};
  bool open = request.fixed.empty();
  bool inputs_open = open || !any(fixed.first(op.nin));
  if (op.resolve && inputs_open) op.resolve(op, {request.types.data(), request.types.size()});
  if (op.exact && open) meet(request.types);
  const bool grows = op.user && op.user->grows();
  const Signature* loop = find_loop(op, request, (op.exact || grows) && open ? Casting::no : Casting::safe);
  if (!loop && open && grows) throw NoLoop{{request.types.begin(), request.types.end()}};
  if (!loop && !open) {
    loop = find_loop(op, request, casting);
    if (!loop) loop = find_loop(op, request, Casting::unsafe);
    // Where operands have different types, the unspecified ones accept only safe casts.
    const bool is_mixed = loop && loop->in.size() == 2 && loop->in[0] != loop->in[1];
    require<TypeError>(loop != nullptr && !is_mixed,
                       "No loop matching the specified signature and casting was found for ufunc {}", op.name);
  }
  if (!loop) fail_to_match(op, in);
  check_casts(op, *loop, request, casting);
  return *loop;
}

const Signature& resolve(const Op& op, std::span<const OperandType> in, std::optional<DType> dtype, Casting casting) {
  if (!dtype) return resolve_fixed(op, in, {}, casting);
  std::vector<std::optional<DType>> fixed(op.nin + op.nout);
  for (int i = 0; i < op.nout; ++i) fixed[op.nin + i] = dtype;
  return resolve_fixed(op, in, fixed, casting);
}

}  // namespace tessera::ops
