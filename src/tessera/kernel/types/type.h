/// Type: what inference knows about an expression, and Numba's rules for the types of operators.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/ir/kernel.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/types/dates.h"

namespace tessera::kernel {

enum class TypeKind : uint8_t {
  none,
  scalar,     // dtype; names: the mark of the class whose member it is, of an enumeration
  pointer,    // dtype: the address of an array's elements, for functions in other code and from code in C
  tuple,      // elements; names, of a namedtuple
  slice,      // elements: lower, upper, step, each an integer or none
  range,      // elements: lower, upper, step
  optional,   // elements: one; whether it is there, then its values
  buffer,     // an array argument: id, dtype, axes
  array,      // a shared or local array: id, dtype, axes, extents
  choice,     // one of several arrays, chosen at run time: elements, each a view; dtype, axes
  computed,   // an array in no memory, whose elements are computed where they are read: dtype, axes
  list,       // of a function that the host calls: the address of its header; places; names, of a result or argument:
              // "typed"
  dict,       // the same, of entries: a hash, a key, a value; names, of a view: "keys", "values" or "items"
  set,        // the same, of entries: a hash, a key; names, of one that does not change: "frozenset"
  string,     // a text in memory: the address of its header; names, of bytes (values/characters/character_type.h)
  formatted,  // a text that the host makes of texts and numbers: elements
  texts,      // one of several texts, which its value says: names, in order
  functions,  // one of several functions, which its value says: elements, entities in order
  record,     // a structured array, or without axes one of its elements: names, and as elements an array for each field
  generator,  // where its frame is: is_heap with its address, else the local array `id`; places: its number
  object,     // of a user's class: its address in words; id: the class's number
  entity,     // a function, a dtype, a string: known while compiling
};

struct TypeParts;

/// The type of an argument: a scalar, an array (a buffer, whose id it has when it is declared), a tuple, a slice, None,
/// a list of one type, records, which are an array for each field, or an entity, for which the function is compiled: a
/// function, a text, a dtype, the ellipsis, or the value of an integer or a bool. A pointer is to elements of `dtype`,
/// or has the name "void".
///
/// An array's type says which array it is. A variable that holds a whole array needs no value; one that holds a view
/// has where it begins, its steps and its extents. A variable that holds one array or another has the number of the
/// array, then where the view begins in each of them, then steps and extents. So loads and stores name the arrays that
/// they may access, and there are no pointers.
///
/// Each type is there once, so types are compared and copied as addresses are; one that holds a function, an array or
/// an object of Python's is there as long as something is of it.
class Type {
 public:
  /// Of None.
  Type();
  Type(const Type&) = default;  // that moves as well, so that there is always a type
  Type& operator=(const Type&) = default;
  /// The one type that has these parts.
  Type(const TypeParts& parts);
  static Type scalar(DType dtype);
  static Type tuple(std::vector<Type> elements, std::vector<std::string> names = {});
  static Type of_entity(Entity entity);

  const TypeParts* operator->() const { return parts_.get(); }
  const TypeParts& operator*() const { return *parts_; }
  friend bool operator==(const Type& a, const Type& b) { return a.parts_ == b.parts_; }
  friend uint64_t hash_of(const Type& type) { return reinterpret_cast<uintptr_t>(type.parts_.get()) >> 4; }

  bool is_scalar() const;
  bool is_array() const;
  /// Whether it has elements of one dtype along axes.
  bool is_array_like() const;
  /// Whether it is the block's dynamic shared memory, whose size the launch gives.
  bool is_dynamic() const;
  /// Whether it is a field of records that holds text or the like: its bytes can be copied, and no more.
  bool is_bytes() const;
  bool is_entity(EntityKind of) const;
  /// Whether it has a shape: an array, or an array of records.
  bool is_indexed() const;
  /// Whether its values are addresses of headers, and what it has in it is known by where it was made.
  bool is_container() const;

 private:
  // Without a count where the type holds nothing.
  std::shared_ptr<const TypeParts> parts_;
};

/// What a type is made of.
struct TypeParts {
  TypeKind kind = TypeKind::none;
  DType dtype = DType::boolean;
  uint32_t id = 0;  // of records: how they lie in memory, a number that only Python knows; 0 where that is not known
  Unit unit = 0;    // of dates and spans of time, and arrays of them, whose dtype is int64
  int axes = 0;
  int base_axes = 0;     // of an array or a view: the axes of the array itself
  bool is_view = false;  // with values: the begin along each axis of the array, steps and extents of the view's axes
  bool is_constant = false;           // an array outside the kernel, whose elements are those at compile time
  bool is_list = false;               // of a tuple: written as a list, which as an index is an array of indices
  bool is_dict = false;               // of a tuple: written as a dict with these texts as keys, which is only read
  bool is_heap = false;               // the memory of arrays that the function makes: a buffer of one axis
  std::vector<int> kept = {};         // of a view: the array's axis that each of its axes runs along, -1 for none
  std::vector<int64_t> extents = {};  // of the array itself
  std::vector<Type> elements = {};
  // Of a buffer: the dtype of what its bytes are where that is no number's, such as "<U5".
  std::vector<std::string> names = {};
  std::vector<uint32_t> places = {};  // of a list: paths to where those were made that it may be
  Entity entity = {};
  friend bool operator==(const TypeParts& a, const TypeParts& b) = default;
};

/// The name in a list's type that says that Python has it as one of numba.typed's.
constexpr std::string_view typed_list = "typed";

inline bool Type::is_scalar() const { return parts_->kind == TypeKind::scalar; }
inline bool Type::is_array() const {
  const TypeKind kind = parts_->kind;
  return kind == TypeKind::buffer || kind == TypeKind::array || kind == TypeKind::choice;
}
inline bool Type::is_container() const {
  return parts_->kind == TypeKind::list || parts_->kind == TypeKind::dict || parts_->kind == TypeKind::set;
}
inline bool Type::is_array_like() const { return is_array() || parts_->kind == TypeKind::computed; }
inline bool Type::is_bytes() const { return is_array() && !parts_->names.empty(); }
inline bool Type::is_entity(EntityKind of) const {
  return parts_->kind == TypeKind::entity && parts_->entity.kind == of;
}
inline bool Type::is_indexed() const { return is_array_like() || parts_->kind == TypeKind::record; }

struct Computed;

/// An expression while lowering: its type and the IR's values of its scalars, a tuple's one after the other.
struct Item {
  Type type;
  std::vector<ir::Value> values;
  std::shared_ptr<const Computed> computed{};  // of the type `computed`
};

/// The elements of an array in no memory.
struct Computed {
  std::vector<ir::Value> extents;
  std::function<Item(std::span<const ir::Value> index)> element;
  std::vector<Item> operands;  // whose elements are read
  /// Of the real or imaginary parts of an array in memory: that array.
  std::shared_ptr<const Item> whole{};
  bool is_imaginary = false;
};

/// Whether it is a text, known while compiling or one of several that are.
bool is_text(const Type& type);
/// A type's number in this process, and the type.
int64_t number_of_type(const Type& type);
Type type_of_number(int64_t number);
/// The texts that it may be.
std::vector<std::string> texts_of(const Type& type);
/// Whether it is a function that a variable may hold beside others, or one of several that are chosen at run time.
bool is_function_value(const Type& type);
/// Whether both are the same function.
bool is_same_function(const Type& a, const Type& b);
/// The functions that it may be.
std::vector<Type> functions_of(const Type& type);
/// The type of values that are one of these functions.
Type type_of_functions(std::vector<Type> functions);
/// As a message names it: "int64", "array(float32, 2d)", "tuple(int64, float64)".
std::string describe(const Type& type);
/// The dtypes of a value's scalars.
void append_scalars(const Type& type, std::vector<DType>& dtypes);
/// What an optional value is where it is there.
Item held(const Item& optional);
/// Element k of a tuple.
Item element(const Item& tuple, size_t k);
/// The tuple of these items, or what else has their types as elements.
Item tuple_of(const std::vector<Item>& items, const std::vector<std::string>& names = {});
Item joined_of(TypeParts parts, const std::vector<Item>& items);
Type with_names(const Type& type, const std::vector<std::string>& names);
/// Whether it is a member of an enumeration.
bool is_member(const Type& type);
/// Whether it is one that is no number otherwise.
bool is_plain_member(const Type& type);
/// The type with what `each` makes of its elements.
template <class Each>
Type with_elements(const Type& type, const Each& each) {
  if (type->elements.empty()) return type;
  TypeParts parts = *type;
  for (Type& element : parts.elements) element = each(element);
  return parts;
}

/// The type of an array as a view of its own.
Type as_view(const Type& array);
/// The arrays that a variable of this type may hold, each a view.
std::vector<Type> alternatives(const Type& array);
/// The type of a variable that is assigned both; nothing where no type holds both.
std::optional<Type> unify(const Type& a, const Type& b);
/// The type whose bits the words of a device function's results have: float32, float64 or int64.
DType word_dtype(DType result);
/// The type in which + - * // % ** compute: integers in 64 bits, int64 where one is signed.
DType arithmetic_dtype(DType a, DType b);
/// The type of & | ^ and of comparisons of integers.
DType integer_dtype(DType a, DType b);

}  // namespace tessera::kernel
