/// Builtin and Attribute: one descriptor for each function, intrinsic and attribute that kernels may use.
#pragma once

#include <string_view>
#include <vector>

#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

/// The type rule is the lowering's: the type of the item that it returns.
struct Builtin {
  std::string_view name;        // "cuda.grid"
  std::string_view parameters;  // names in order, "x base="; "=" marks what may be left out, "*" takes any number
  Item (*lower)(Lowering& l, const Builtin& self, const Call& call);
  std::string_view op = "";  // the op or the operator that it is, for those that are one
  bool is_value = false;     // not called: cuda.threadIdx.x
};

/// What an object of a type in a kernel has.
struct Attribute {
  std::string_view name;
  bool (*takes)(const Type& type);
  Item (*lower)(Lowering& l, const Node& node, const Item& object);
};

/// The dtype that NumPy knows by a text: "float64", "f8", "?", "int_".
std::optional<DType> dtype_named(std::string_view text);
/// The dtype that stands for itself: a type, a dtype, its name, `float`.
std::optional<DType> dtype_meant(const Type& type);
/// The type of values that a type, a dtype or a class of Python's stands for.
std::optional<Type> type_meant(const Type& type);
/// A dtype as an object, as of `x.dtype`.
Item dtype_object(DType dtype);
/// The call of NumPy's function of that name, for arguments for which there is no loop here; in a kernel it fails with
/// this text.
Item by_numpy(Lowering& l, const Builtin& self, const Call& call, const std::string& text);
/// The first argument, which must be an array.
const Item& array_argument(Lowering& l, const Builtin& self, const Call& call);

/// The builtin of this name, or null. "numpy." with an op's name is that op; "array." and "number." are methods, which
/// take their object as the first argument.
const Builtin* find_builtin(std::string_view name);
/// The names of all that begin so.
std::vector<std::string_view> builtin_names(std::string_view prefix);
const Attribute* find_attribute(std::string_view name, const Type& type);

/// The explicit list of topics; each function adds its own.
void add_thread_builtins(std::vector<Builtin>& table);
void add_array_builtins(std::vector<Builtin>& table);
void add_creation_builtins(std::vector<Builtin>& table);
void add_atomic_builtins(std::vector<Builtin>& table);
void add_bit_builtins(std::vector<Builtin>& table);
void add_python_builtins(std::vector<Builtin>& table);
void add_operator_builtins(std::vector<Builtin>& table);
void add_reduction_builtins(std::vector<Builtin>& table);
void add_complex_builtins(std::vector<Builtin>& table);
void add_warp_builtins(std::vector<Builtin>& table);
void add_math_builtins(std::vector<Builtin>& table);
void add_half_builtins(std::vector<Builtin>& table);
void add_host_builtins(std::vector<Builtin>& table);
void add_shape_builtins(std::vector<Builtin>& table);
void add_view_builtins(std::vector<Builtin>& table);
void add_libdevice_builtins(std::vector<Builtin>& table);
void add_vector_builtins(std::vector<Builtin>& table);
void add_foreign_builtins(std::vector<Builtin>& table);
void add_called_address_builtins(std::vector<Builtin>& table);
void add_list_builtins(std::vector<Builtin>& table);
void add_table_builtins(std::vector<Builtin>& table);
void add_date_builtins(std::vector<Builtin>& table);
void add_object_builtins(std::vector<Builtin>& table);

}  // namespace tessera::kernel
