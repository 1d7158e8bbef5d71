/// Type: what inference knows about an expression, and Numba's rules for the types of operators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/ir/kernel.h"
#include "tessera/kernel/function.h"

namespace tessera::kernel {

enum class TypeKind : uint8_t {
  none,
  scalar,  // dtype
  tuple,   // elements
  buffer,  // an array argument: id, dtype, axes
  array,   // a shared or local array: id, dtype, extents
  entity,  // a function, a dtype, a string: known while compiling
};

/// Two arrays have one type only if they are the same array, so a variable that holds an array needs no value.
struct Type {
  TypeKind kind = TypeKind::none;
  DType dtype = DType::boolean;
  uint32_t id = 0;
  int axes = 0;
  std::vector<int64_t> extents;
  std::vector<Type> elements;
  Entity entity;

  static Type scalar(DType dtype) { return {.kind = TypeKind::scalar, .dtype = dtype}; }
  static Type tuple(std::vector<Type> elements) { return {.kind = TypeKind::tuple, .elements = std::move(elements)}; }
  bool is_scalar() const { return kind == TypeKind::scalar; }
  bool is_array() const { return kind == TypeKind::buffer || kind == TypeKind::array; }
  friend bool operator==(const Type& a, const Type& b);
};

/// An expression while lowering: its type and the IR's values of its scalars, a tuple's one after the other.
struct Item {
  Type type;
  std::vector<ir::Value> values;
};

/// As a message names it: "int64", "array(float32, 2d)", "tuple(int64, float64)".
std::string describe(const Type& type);
/// The dtypes of a value's scalars.
void append_scalars(const Type& type, std::vector<DType>& dtypes);
/// Element k of a tuple.
Item element(const Item& tuple, size_t k);
/// The tuple of these items.
Item tuple_of(const std::vector<Item>& items);

/// The type of a variable that is assigned both; nothing where no type holds both.
std::optional<Type> unify(const Type& a, const Type& b);
/// The type in which + - * // % ** compute: integers in 64 bits at least, int64 with uint64 in float64.
DType arithmetic_dtype(DType a, DType b);
/// The type of & | ^ and of comparisons of integers: as above, but int64 for int64 with uint64.
DType integer_dtype(DType a, DType b);

}  // namespace tessera::kernel
