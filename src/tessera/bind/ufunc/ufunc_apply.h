/// UfuncCall: one call of a ufunc with its Python arguments parsed, and its execution.
#pragma once

#include <Python.h>

#include <optional>
#include <string>
#include <vector>

#include "tessera/base/small_vector.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

/// Thrown when only NumPy can handle an argument, with the reason. The caller then passes the whole call to NumPy.
struct Foreign {
  std::string reason;
};

struct UfuncCall {
  const ops::Op& op;
  SmallVector<PyObject*, 4> inputs;   // borrowed
  SmallVector<PyObject*, 4> outputs;  // borrowed; null where the result is to be allocated; empty when no out was given
  bool always_array = false;          // out=...: a 0-d result stays an array
  bool keeps_class = true;            // subok=: results may have an operand's class
  PyObject* where = nullptr;          // borrowed; null for True
  std::vector<std::optional<DType>> fixed;  // signature= or dtype=; empty when neither was given
  Casting casting = Casting::same_kind;
  Order order = Order::k;
};

/// Runs or records the call: a new reference to the result, or to a tuple when the op has several. Throws.
PyObject* apply(const UfuncCall& call);

/// The argument as an operand; throws Foreign for dtypes the engine does not compute with.
Operand to_native_operand(PyObject* object);
/// The argument as an array (scalars become 0-d); throws Foreign likewise.
Array to_native_array(PyObject* object);
/// An out= argument: an ndarray, or the memory of a NumPy array. Throws TypeError or ValueError where NumPy does.
Array to_output_array(PyObject* object);
/// A where= argument: nothing for True. Throws TypeError unless it is boolean.
std::optional<Operand> to_where(PyObject* object);
/// The loop for these operands; operands that are strong and of one type need no search. A Python int outside its
/// partner's range becomes strong where NumPy compares exactly.
const ops::Signature& choose(const ops::Op& op, std::span<Operand> operands,
                             std::span<const std::optional<DType>> fixed, Casting casting);
/// The loop for operands of these types without dtype= or signature=, cached across calls.
const ops::Signature& remembered_choice(const ops::Op& op, std::span<const ops::OperandType> in);
/// Converts Python scalars to elements of the loop's types; throws OverflowError for an int that does not fit.
void settle_scalars(const ops::Signature& signature, std::span<Operand> operands);
/// The number cast to another type; a finite number that becomes infinite is handled as an overflow event.
Scalar cast_watched(const Scalar& scalar, DType to);

}  // namespace tessera::bind
