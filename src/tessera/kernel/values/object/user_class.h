/// UserClass: the classes whose objects compiled functions have, by number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

/// A word of an object that holds another object, or what keeps the memory of an array in a field.
struct CountedWord {
  int64_t word = 0;
  bool is_object = false;
};

/// An object is words, those of its fields one after the other: what list elements have, an array as where it begins,
/// its steps and its extents, and behind a field's words one for each array in it, which keeps the array's memory.
struct UserClass {
  uint32_t number = 0;
  std::string name;
  std::vector<std::string> fields;
  std::vector<Type> types;      // as arguments have them
  std::vector<int64_t> places;  // where the words of each field begin
  std::vector<CountedWord> counted;
  int64_t words = 0;
  bool is_contained = false;  // containers in fields may have its objects in them, which are not counted there

  /// The field of this name, -1 where there is none.
  int64_t find(const std::string& field) const;
};

/// A new class, whose fields are not known yet.
uint32_t add_user_class(std::string name);
/// Says what the class has. Classes stay.
void define_user_class(uint32_t number, std::vector<std::string> fields, std::vector<Type> types);
const UserClass& user_class(uint32_t number);
/// Whether containers in fields may have arrays in them, which are not counted there.
bool fields_contain_arrays();
/// The type of its objects.
Type type_of_objects(uint32_t number);

}  // namespace tessera::kernel
