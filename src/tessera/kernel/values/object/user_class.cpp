#include "tessera/kernel/values/object/user_class.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/types/type_rules.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/base/mutex.h"

namespace tessera::kernel {

namespace {

struct Classes {
  Mutex mutex;
  std::deque<UserClass> all;  // which do not move
  std::atomic<bool> contain_arrays = false;
};

Classes& classes() {
  static Classes& known = *new Classes;
  return known;
}

/// Adds where the words of a value are counted ones; the arrays in it have words of their own, behind.
void append_words(const Type& type, int64_t& word, std::vector<CountedWord>& counted, int64_t& arrays) {
  switch (type->kind) {
    case TypeKind::scalar: word += is_complex(type->dtype) ? 2 : 1; return;
    case TypeKind::object: counted.push_back({word++, true}); return;
    case TypeKind::buffer:
      word += 1 + 2 * type->axes;
      ++arrays;
      return;
    case TypeKind::list:
    case TypeKind::dict:
    case TypeKind::set:
    case TypeKind::string: ++word; return;
    case TypeKind::optional: ++word; break;
    default: break;
  }
  for (const Type& element : type->elements) append_words(element, word, counted, arrays);
}

/// Notes classes whose objects, and whether arrays, are in containers in values of the type.
void note_contained(const Type& type, bool is_inside) {
  if (type->kind == TypeKind::object && is_inside) classes().all.at(type->id).is_contained = true;
  if (type->kind == TypeKind::buffer && is_inside) classes().contain_arrays = true;
  for (const Type& element : type->elements) note_contained(element, is_inside || type.is_container());
}

}  // namespace

int64_t UserClass::find(const std::string& field) const {
  const auto found = std::ranges::find(fields, field);
  return found == fields.end() ? -1 : found - fields.begin();
}

uint32_t add_user_class(std::string name) {
  const std::scoped_lock lock(classes().mutex);
  const auto number = static_cast<uint32_t>(classes().all.size());
  classes().all.push_back({.number = number, .name = std::move(name)});
  return number;
}

void define_user_class(uint32_t number, std::vector<std::string> fields, std::vector<Type> types) {
  UserClass made{.fields = std::move(fields), .types = std::move(types)};
  for (const Type& type : made.types) {
    int64_t arrays = 0;
    made.places.push_back(made.words);
    append_words(type, made.words, made.counted, arrays);
    for (; arrays > 0; --arrays) made.counted.push_back({made.words++, false});
  }
  const std::scoped_lock lock(classes().mutex);
  for (const Type& type : made.types) note_contained(type, false);
  UserClass& known = classes().all.at(number);
  made.number = number;
  made.name = known.name;
  made.is_contained = known.is_contained;
  known = std::move(made);
}

const UserClass& user_class(uint32_t number) {
  const std::scoped_lock lock(classes().mutex);
  return classes().all.at(number);
}

bool fields_contain_arrays() { return classes().contain_arrays.load(std::memory_order_relaxed); }

Type type_of_objects(uint32_t number) {
  return TypeParts{.kind = TypeKind::object, .id = number, .names = {user_class(number).name}};
}

namespace {

std::string name_of_class(const Type& type) { return type->names.at(0); }

}  // namespace

const TypeRules object_type{.describe = name_of_class, .append_scalars = append_word};

}  // namespace tessera::kernel
