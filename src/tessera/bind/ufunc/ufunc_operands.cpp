/// Conversion of ufunc arguments to operands of the engine.
#include <algorithm>
#include <array>
#include <atomic>

#include "tessera/base/error.h"
#include "tessera/bind/array/flags.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/interop/foreign_memory.h"
#include "tessera/bind/ufunc/ufunc_apply.h"
#include "tessera/graph/form.h"
#include "tessera/ir/loops.h"

namespace tessera::bind {

namespace {

/// Throws Foreign for subclasses of NumPy's array (masked arrays, matrices, units), which keep their semantics only in
/// NumPy.
void refuse_subclass(PyObject* object) {
  if (!PyArray_Check(object) || PyArray_CheckExact(object)) return;
  std::string_view type = Py_TYPE(object)->tp_name;
  if (type.ends_with("memmap")) return;
  throw Foreign{format("{} is a subclass of NumPy's array", type)};
}

std::string describe(PyObject* object) {
  if (PyArray_Check(object)) {
    Object text =
        owned(PyObject_Str(reinterpret_cast<PyObject*>(PyArray_DESCR(reinterpret_cast<PyArrayObject*>(object)))));
    return format("{} arrays stay NumPy arrays", PyUnicode_AsUTF8(text.get()));
  }
  return format("'{}' operands stay NumPy's", Py_TYPE(object)->tp_name);
}

struct ValueRange {
  __int128 low, high;
};

ValueRange range_of(DType t) {
  int bits = static_cast<int>(itemsize(t)) * 8;
  if (is_unsigned_integer(t)) return {0, (static_cast<__int128>(1) << bits) - 1};
  return {-(static_cast<__int128>(1) << (bits - 1)), (static_cast<__int128>(1) << (bits - 1)) - 1};
}

__int128 value_of(const Scalar& s) {
  return s.dtype == DType::uint64 ? static_cast<__int128>(static_cast<uint64_t>(s.as_int()))
                                  : static_cast<__int128>(s.as_int());
}

bool fits(const Scalar& s, DType t) {
  if (!is_integer(s.dtype) || !is_integer(t)) return true;
  ValueRange range = range_of(t);
  __int128 value = value_of(s);
  return range.low <= value && value <= range.high;
}

std::string text_of(const Scalar& s) {
  return s.dtype == DType::uint64 ? std::to_string(static_cast<uint64_t>(s.as_int())) : std::to_string(s.as_int());
}

/// The six comparisons: the ops with loops that take int64 and uint64 together.
bool compares(const ops::Op& op) {
  static const ops::OpId first = ops::OpTable::standard().find("equal")->id;
  static const ops::OpId last = ops::OpTable::standard().find("greater_equal")->id;
  return first <= op.id && op.id <= last;
}

/// A comparison with an int outside the array's range is exact: the int is then treated as an int64 or uint64.
bool strengthen_wide_ints(const ops::Op& op, const ops::Signature& signature, std::span<Operand> operands) {
  if (!compares(op)) return false;
  bool changed = false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].weak && !fits(operands[i].scalar, signature.in[i])) {
      operands[i].weak = false;
      changed = true;
    }
  }
  return changed;
}

constexpr int type_codes =
    dtype_count + 4;  // each dtype, then Python ints (as int64 and as uint64), floats, complex numbers

int type_code(const ops::OperandType& t) {
  if (!t.weak) return static_cast<int>(t.dtype);
  if (is_complex(t.dtype)) return dtype_count + 3;
  if (is_floating(t.dtype)) return dtype_count + 2;
  return dtype_count + (t.dtype == DType::uint64);
}

}  // namespace

Operand to_native_operand(PyObject* object) {
  refuse_subclass(object);
  std::optional<Operand> operand;
  if (to_operand(object, operand) == Conversion::foreign) throw Foreign{describe(object)};
  return *std::move(operand);
}

Array to_native_array(PyObject* object) {
  refuse_subclass(object);
  Array array;
  if (to_array(object, {}, array) == Conversion::foreign) throw Foreign{describe(object)};
  return array;
}

Array to_output_array(PyObject* object) {
  if (is_ndarray(object)) {
    require_writeable(as_ndarray(object), "output array is read-only");
    return as_ndarray(object)->array;
  }
  require<TypeError>(object != Py_Ellipsis, "must use `...` as `out=...` and not per-operand/in a tuple");
  require<TypeError>(PyArray_Check(object), "return arrays must be of ArrayType");
  auto* numpy = reinterpret_cast<PyArrayObject*>(object);
  require<ValueError>(PyArray_ISWRITEABLE(numpy), "output array is read-only");
  PyObject* descriptor = reinterpret_cast<PyObject*>(PyArray_DESCR(numpy));
  if (!dtype_of_descriptor(descriptor) || !is_native(descriptor) || !PyArray_ISALIGNED(numpy)) {
    throw Foreign{"the output is an array of NumPy's own"};
  }
  return share_numpy(object);
}

std::optional<Operand> to_where(PyObject* object) {
  if (object == nullptr || object == Py_True) return std::nullopt;
  if (PyList_Check(object) || PyTuple_Check(object)) {
    Array mask;
    to_array(object, DType::boolean, mask);
    return Operand(mask);
  }
  Operand where = to_native_operand(object);
  require<TypeError>(where.dtype() == DType::boolean,
                     "Cannot cast array data from dtype('{}') to dtype('bool') according to the rule 'safe'",
                     name(where.dtype()));
  return where;
}

// NumPy's choice of loop depends only on the types, so each choice is made once.
const ops::Signature& remembered_choice(const ops::Op& op, std::span<const ops::OperandType> in) {
  if (op.user) return ops::resolve(op, in);
  static std::array<std::atomic<const ops::Signature*>, 256 * type_codes * type_codes> choices;
  int second = in.size() > 1 ? type_code(in[1]) : 0;
  auto& entry = choices[(op.id * type_codes + type_code(in[0])) * type_codes + second];
  if (const ops::Signature* known = entry.load(std::memory_order_relaxed)) [[likely]]
    return *known;
  const ops::Signature& chosen = ops::resolve(op, in);
  entry.store(&chosen, std::memory_order_relaxed);
  return chosen;
}

const ops::Signature& choose(const ops::Op& op, std::span<Operand> operands,
                             std::span<const std::optional<DType>> fixed, Casting casting) {
  std::array<ops::OperandType, graph::max_inputs> types;
  for (size_t i = 0; i < operands.size(); ++i) types[i] = {operands[i].dtype(), operands[i].weak};
  std::span<const ops::OperandType> in(types.data(), operands.size());
  bool is_plain = fixed.empty() && casting == Casting::same_kind && operands.size() <= 2;
  const ops::Signature& signature = is_plain ? remembered_choice(op, in) : ops::resolve_fixed(op, in, fixed, casting);
  return strengthen_wide_ints(op, signature, operands) ? choose(op, operands, fixed, casting) : signature;
}

Scalar cast_watched(const Scalar& scalar, DType to) {
  const Scalar result = scalar.cast_to(to);
  auto bytes = [](const Scalar& s) { return reinterpret_cast<const char*>(s.bytes); };
  const uint32_t events = is_integer(to) ? 0
                                         : ir::find_events(ir::ErrorRule::cast, scalar.dtype, to, bytes(result), 0,
                                                           bytes(scalar), 0, nullptr, 0, 1);
  if (events) handle_events(events, "cast", error_state());
  return result;
}

void settle_scalars(const ops::Signature& signature, std::span<Operand> operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    Operand& o = operands[i];
    if (!o.is_scalar()) continue;
    require<OverflowError>(!o.weak || fits(o.scalar, signature.in[i]), "Python integer {} out of bounds for {}",
                           text_of(o.scalar), name(signature.in[i]));
    if (o.scalar.dtype != signature.in[i]) o.scalar = cast_watched(o.scalar, signature.in[i]);
    o.weak = false;
  }
}

}  // namespace tessera::bind
