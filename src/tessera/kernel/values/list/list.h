/// Lists: headers in memory with a length and a place for elements; literals that have not become one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/typed/program.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// Lists by the places where they were made, and what is known of their elements there.
class Lists {
 public:
  explicit Lists(Lowering& l);

  /// An empty list; `what` tells several of one node apart.
  Item new_list(const Node& node, std::string_view what = "", size_t room = 0);
  /// The same of another container, of this kind and these names.
  Item new_container(const Node& node, TypeParts kind, std::string_view what, size_t room = 0);
  /// The function changes how many elements a list has, so lengths are read again and arguments are brought up to date.
  void note_change();
  /// Adds a value, which may widen the type of elements.
  void append(const Node& node, const Item& list, const Item& value);
  /// An argument that is a container of this type.
  Item argument(const Type& container);
  /// What a variable holds of a type that was given; it has no values.
  Item declared(const Node& node, const Type& given);
  /// The elements of containers of the type are of this one, to which others are converted.
  void fix_element(const Type& container, const Type& element);
  const typed::ListElement& element_of_lists(const Type& list);
  /// Python gets the list as one of numba.typed's.
  void set_typed(const Type& list);
  /// The type with the elements' types in those of lists.
  Type resolved(const Type& type);
  /// The same where the types are known by now, else the type as it is.
  Type resolved_if_known(const Type& type);
  /// Lists that one variable may hold have elements of one type.
  void join_lists(const Node& node, const Type& type);
  /// The value with texts in memory, where the elements of the list have such.
  Item fitted(const Node& node, const Type& list, const Item& value);
  /// What adding a value adds to the type of elements: nothing where it is converted to one that is fixed.
  Type kind_to_add(const Type& list, const Item& value);
  /// The type of elements, to which `type` is added.
  void widen_element(const Node& node, const Type& list, const Type& type);
  /// The type of its elements, as far as it is known.
  Type element_type(const Type& list);
  /// The value as an element of this type.
  Item convert_element(const Item& item, const Type& type);
  /// An empty list that nothing is added to.
  ir::Value no_list();
  /// The empty list, where the function has lists.
  void begin();
  /// Arguments that are lists of arrays get the memory in which those lie.
  void complete_arguments();
  /// Each function of the kernel has an empty list of its own.
  ir::Value exchange_no_list(ir::Value list) { return std::exchange(no_list_, list); }

 private:
  typed::PathNumber place_of(typed::PathNumber made);
  bool holds(const Type& type, typed::PathNumber place);
  Type with_places(const Type& type, const std::function<typed::PathNumber()>& next);
  Type with_memory(const Type& type);
  void complete_elements(const Type& type);

  Lowering& l_;
  ir::Builder& b;
  int arguments_ = 0;                 // that are lists
  ir::Value no_list_ = ir::no_value;  // an empty list, where the function has lists
};

/// Whether numbers of one dtype are taken where containers have those of another, as Numba's do.
bool takes_number(DType from, DType to);
/// Whether it is a list that was written and has not become one in memory.
bool is_written_list(const Item& item);
/// Whether a list that was written has elements of several types: it stays what was written, and is not changed.
bool is_mixed_list(const Type& written);
/// The list that was written, or of a tuple's elements; a list is returned as it is. `what` tells several of one node
/// apart.
Item list_of(Lowering& l, const Node& node, const Item& item, const std::string& what);
/// How many elements it has now.
ir::Value list_length(Lowering& l, const Item& list);
/// Leaves the first ones.
void shorten_list(Lowering& l, const Item& list, ir::Value length);
/// Element k, which is there.
Item list_element(Lowering& l, const Item& list, ir::Value k);
/// A new array of its elements.
Item array_of_list(Lowering& l, const Node& node, const Item& list);
/// A function that is written in Python, by its name.
Item call_library(Lowering& l, const Node& node, const std::string& name, const std::vector<Item>& arguments);
/// The function itself; null where there is none.
std::shared_ptr<const Function> find_library(Lowering& l, const std::string& name);
/// The same, which must be there.
std::shared_ptr<const Function> library_function(Lowering& l, const Node& node, const std::string& name);
/// Lists among these values of a type are empty ones.
void set_no_lists(Lowering& l, const Type& type, std::span<ir::Value> values);
/// Stores an element, or those of a slice.
void store_in_list(Lowering& l, const Node& node, const Item& list, const Item& index, const Item& value);
/// Assigns the elements to the targets.
void unpack_list(Lowering& l, const Node& target, const Item& list);
/// Whether it is a list, also one that was just written.
bool is_list(const Item& item);

}  // namespace tessera::kernel
