#include "tessera/bind/kernel/memory/container_memory.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "tessera/base/error.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/kernel/memory/container_image.h"
#include "tessera/bind/kernel/memory/header_words.h"
#include "tessera/bind/kernel/memory/object_memory.h"
#include "tessera/bind/kernel/memory/table_index.h"
#include "tessera/bind/kernel/objects/object_box.h"
#include "tessera/bind/kernel/objects/type_object.h"
#include "tessera/bind/kernel/type_words.h"
#include "tessera/kernel/values/object/user_class.h"
#include "tessera/kernel/values/table/table.h"
#include "tessera/kernel/values/table/table_hash.h"

namespace tessera::bind {

namespace nb = nanobind;

using kernel::Type;
using kernel::TypeKind;

namespace {

constexpr int64_t list_front = 3;

/// As kernel::hash_of_key computes it, of the key's words.
uint64_t hash_bits(const Type& type, const int64_t*& words) {
  const auto of_float = [](int64_t word) {
    return kernel::mixed_hash(std::bit_cast<uint64_t>(std::bit_cast<double>(word) + 0.0));
  };
  uint64_t bits = kernel::hash_seed;
  const auto add = [&](uint64_t part) { bits = kernel::mixed_hash(bits * kernel::hash_step + part); };
  if (type.is_scalar()) {
    const int64_t first = *words++;
    if (!is_floating(real_dtype(type->dtype))) return static_cast<uint64_t>(first);
    if (!is_complex(type->dtype)) return of_float(first);
    add(of_float(first));
    add(of_float(*words++));
    return bits;
  }
  if (type->kind == TypeKind::string) return static_cast<uint64_t>(hash_of_text(*words++));
  if (type->kind == TypeKind::optional) {
    const bool is_there = *words++ != 0;
    const uint64_t inside = hash_bits(type->elements.at(0), words);
    return is_there ? inside : kernel::hash_seed;
  }
  if (type->kind == TypeKind::none) return kernel::hash_seed;
  require<TypeError>(type->kind == TypeKind::tuple, "unhashable type: {}", kernel::describe(type));
  for (const Type& element : type->elements) add(hash_bits(element, words));
  return bits;
}

/// What containers are added to: the call's, and memory that outlives it, where that is wanted.
struct Target {
  std::vector<ListMemory>& lists;
  CallMemory* into;

  int64_t add_text(ListMemory& memory, PyObject* text) const {
    return into ? into->texts.add(text, &into->words) : memory.texts.add(text);
  }
  /// Moves what was filled there; all addresses in it are already.
  void place(ListMemory& memory, size_t front) const {
    if (!into) return;
    int64_t* const words = into->words.take(static_cast<int64_t>(memory.words.size()), false, false);
    std::ranges::copy(memory.words, words);
    words[entries_word] = address_of(words + front);
    if (!memory.index.empty()) {
      int64_t* const index = into->words.take(static_cast<int64_t>(memory.index.size()), false, true);
      std::ranges::copy(memory.index, index);
      words[kernel::index_word] = address_of(index);
    }
    for (PyObject* array : memory.arrays) into->kept.emplace_back(Py_NewRef(array));
    memory.words.clear();
    memory.index.clear();
    memory.shared = address_of(words);
  }
};

int64_t add_as(const Type& type, PyObject* object, const Target& to);

/// What a typed container has in it, as Python has it; of others themselves.
Object items_of(PyObject* object) {
  if (!is_typed(object)) return Object(Py_NewRef(object));
  static constinit Interned read("_read");
  return owned(PyObject_CallMethodNoArgs(object, read.get()));
}

void set_image(PyObject* object, nb::handle image) {
  static constinit Interned name("_image");
  if (PyObject_SetAttr(object, name.get(), image.ptr()) < 0) throw ErrorAlreadySet();
}

/// Whether values of the type are numbers, which need nothing that keeps them.
bool is_flat(const Type& type) {
  switch (type->kind) {
    case TypeKind::none:
    case TypeKind::scalar: return true;
    case TypeKind::tuple:
    case TypeKind::optional: return std::ranges::all_of(type->elements, is_flat);
    default: return false;
  }
}

[[noreturn]] void refuse(PyObject* object, const Type& type) {
  throw TypeError(
      format("an element of type {} is passed in a container of {}", Py_TYPE(object)->tp_name, kernel::describe(type)));
}

void add_number(const Type& type, PyObject* object, std::vector<int64_t>& words) {
  const std::optional<Scalar> given = python_scalar(object);
  const bool narrows = given && ((is_complex(given->dtype) && !is_complex(type->dtype)) ||
                                 (is_floating(given->dtype) && !is_floating(real_dtype(type->dtype))));
  if (!given || narrows) refuse(object, type);
  const Scalar value = given->dtype == type->dtype ? *given : given->cast_to(type->dtype);
  const auto bits = [](double part) { return std::bit_cast<int64_t>(part); };
  if (is_complex(value.dtype) || is_floating(value.dtype)) {
    words.push_back(bits(value.as_complex().real()));
    if (is_complex(value.dtype)) words.push_back(bits(value.as_complex().imag()));
  } else {
    words.push_back(value.as_int());
  }
}

void add_value(const Type& type, PyObject* object, ListMemory& memory, const Target& to) {
  std::vector<int64_t>& words = memory.words;
  switch (type->kind) {
    case TypeKind::none: return;
    case TypeKind::scalar: return add_number(type, object, words);
    case TypeKind::string:
      if (!PyUnicode_Check(object)) refuse(object, type);
      return words.push_back(to.add_text(memory, object));
    case TypeKind::tuple: {
      const auto size = static_cast<Py_ssize_t>(type->elements.size());
      if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != size) refuse(object, type);
      for (Py_ssize_t k = 0; k < size; ++k)
        add_value(type->elements[static_cast<size_t>(k)], PyTuple_GET_ITEM(object, k), memory, to);
      return;
    }
    case TypeKind::optional:
      words.push_back(object != Py_None);
      if (object != Py_None) return add_value(type->elements.at(0), object, memory, to);
      return (void)words.insert(words.end(), count_words(type->elements.at(0)), 0);
    case TypeKind::list:
    case TypeKind::dict:
    case TypeKind::set: {
      const Object held = items_of(object);
      const bool fits = type->kind == TypeKind::list
                            ? PyList_CheckExact(held.get())
                            : is_table(held.get()) && PyDict_Check(held.get()) == (type->kind == TypeKind::dict);
      if (!fits) refuse(object, type);
      return words.push_back(add_as(type, object, to));
    }
    case TypeKind::buffer: {
      std::vector<uint32_t> kinds;
      const uint32_t wanted = type_word(ArgumentKind::array, type->dtype, static_cast<size_t>(type->axes));
      if (!add_array(object, kinds, memory) || kinds[0] != wanted) refuse(object, type);
      return;
    }
    case TypeKind::object: {
      const ObjectBox* const box = as_object_box(object);
      if (!box || kernel::type_of_objects(box->number) != type) refuse(object, type);
      return words.push_back(box->address);
    }
    default: refuse(object, type);
  }
}

/// Each element, of a dict a key with its value.
template <class Each>
void each_element(PyObject* object, const Each& each) {
  if (PyDict_Check(object)) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &value);) each(key, value);
    return;
  }
  if (PyList_Check(object)) {
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(object); ++k) each(PyList_GET_ITEM(object, k), nullptr);
    return;
  }
  const Object iterator = owned(PyObject_GetIter(object));
  while (PyObject* one = PyIter_Next(iterator.get())) {
    const Object kept(one);
    each(one, nullptr);
  }
  if (PyErr_Occurred()) throw ErrorAlreadySet();
}

/// The memory of a container, with its header first.
ListMemory fill_memory(const Type& type, PyObject* object, const Target& to) {
  const bool is_list = type->kind == TypeKind::list;
  const Type& element = type->elements.at(0);
  const auto front = static_cast<size_t>(is_list ? list_front : kernel::table_front);
  ListMemory memory{.list = object, .words = std::vector<int64_t>(front)};
  append_type_words(type, memory.types);
  memory.is_typed = true;
  int64_t count = 0;
  each_element(object, [&](PyObject* key, PyObject* value) {
    ++count;
    if (is_list) return add_value(element, key, memory, to);
    const size_t at = memory.words.size();
    memory.words.push_back(0);
    add_value(element->elements.at(1), key, memory, to);
    const int64_t* words = memory.words.data() + at + 1;
    memory.words[at] = static_cast<int64_t>(hash_bits(element->elements.at(1), words) & uint64_t{INT64_MAX});
    if (value) add_value(element->elements.at(2), value, memory, to);
  });
  const auto each = static_cast<int64_t>(count_words(element));
  const int64_t room = std::max(count, least_entries);
  memory.words.resize(front + static_cast<size_t>(room * std::max<int64_t>(1, each)));
  if (!is_list) memory.index.resize(static_cast<size_t>(index_size(count + 1)));
  int64_t* words = memory.words.data();  // which stay there
  words[entries_word] = address_of(words + front);
  words[used_word] = count;
  words[capacity_word] = room;
  if (!is_list) fill_index(words, memory.index.data(), static_cast<int64_t>(memory.index.size()), each);
  to.place(memory, front);
  return memory;
}

/// Counts as a user of the image until the last copy is gone.
std::shared_ptr<void> use_of(const std::shared_ptr<ContainerImage>& image) {
  ++image->users;
  return {nullptr, [image](void*) { --image->users; }};
}

int64_t add_image(std::shared_ptr<ContainerImage> image, PyObject* object, std::vector<ListMemory>& lists) {
  const std::span<const int64_t> header = image->header_words();
  lists.push_back({.list = nullptr,
                   .words = {},
                   .types = image->memory.types,
                   .owner = object,
                   .image = image,
                   .shared = image->memory.header(),
                   .before = {header.begin(), header.end()},
                   .use = use_of(image)});
  return image->memory.header();
}

/// A typed container becomes one that fields share.
std::shared_ptr<ContainerImage> attach(const Type& type, PyObject* object, const Target& to) {
  std::shared_ptr<ContainerImage> image = image_of(object);
  if (image && image->root && image->type == type) return image;
  static constinit Imported type_of("tessera.functions.signatures", "type_of");
  const nb::object own = nb::handle(type_of)(nb::handle(object));
  if (nb::cast<const TypeObject&>(own).type() != type) refuse(object, type);
  if (image && image->users > 0)
    throw Error(ErrorKind::runtime, "a field is set to a typed container which a function that is running has");
  const Object items = items_of(object);
  ListMemory memory = fill_memory(type, items.get(), to);
  image = std::make_shared<ContainerImage>(
      ContainerImage{.type = type, .memory = std::move(memory), .each = count_words(type->elements.at(0))});
  image->root = keep_in_fields(image->memory.header());
  set_image(object, nb::cast(image));
  return image;
}

int64_t add_as(const Type& type, PyObject* object, const Target& to) {
  const RecursionGuard guard(" in a container that is passed to a compiled function");
  const auto is_known = [&](const ListMemory& one) { return one.list == object || one.owner == object; };
  if (const auto known = std::ranges::find_if(to.lists, is_known); known != to.lists.end()) return known->header();
  if (!is_typed(object)) {
    ListMemory memory = fill_memory(type, object, to);
    to.lists.push_back(std::move(memory));
    return to.lists.back().header();
  }
  if (to.into) return add_image(attach(type, object, to), object, to.lists);
  const bool are_flat = is_flat(type->elements.at(0));
  std::shared_ptr<ContainerImage> image = image_of(object);
  if (image && image->type == type && are_flat) return add_image(std::move(image), object, to.lists);
  const Object items = items_of(object);
  ListMemory memory = fill_memory(type, items.get(), to);
  if (are_flat) {
    image = std::make_shared<ContainerImage>(
        ContainerImage{.type = type, .memory = std::move(memory), .each = count_words(type->elements.at(0))});
    set_image(object, nb::cast(image));
    return add_image(std::move(image), object, to.lists);
  }
  if (!image || !image->root) set_image(object, nb::none());
  memory.owner = object;
  to.lists.push_back(std::move(memory));
  return to.lists.back().header();
}

int64_t to_word(double value) { return std::bit_cast<int64_t>(value); }

/// Adds the words of an element and what tells its type.
void add_element(PyObject* object, std::vector<uint32_t>& types, ListMemory& memory, const Target& to) {
  std::vector<int64_t>& words = memory.words;
  if (is_table(object) || is_typed(object)) return words.push_back(add_container(object, types, to.lists, to.into));
  if (is_list(object)) return words.push_back(add_list(object, types, to.lists, to.into));
  if (PyUnicode_CheckExact(object)) {
    types.push_back(type_word(ArgumentKind::text, DType::boolean, 2));
    return words.push_back(to.add_text(memory, object));
  }
  if (PyTuple_CheckExact(object)) {
    const Py_ssize_t size = PyTuple_GET_SIZE(object);
    types.push_back(type_word(ArgumentKind::tuple, DType::boolean, static_cast<size_t>(size)));
    for (Py_ssize_t k = 0; k < size; ++k) add_element(PyTuple_GET_ITEM(object, k), types, memory, to);
    return;
  }
  if (add_array(object, types, memory)) return;
  if (const ObjectBox* const box = as_object_box(object)) {
    types.push_back(type_word(ArgumentKind::object, DType::boolean, box->number));
    return words.push_back(box->address);
  }
  const std::optional<Scalar> value = python_scalar(object);
  require<TypeError>(
      value.has_value(),
      "a list of elements of type {} is passed: compiled functions take lists of numbers, texts, NumPy's arrays, "
      "and tuples, lists, dicts and sets of them",
      Py_TYPE(object)->tp_name);
  types.push_back(type_word(ArgumentKind::scalar, value->dtype, 0));
  if (is_complex(value->dtype)) {
    words.push_back(to_word(value->as_complex().real()));
    words.push_back(to_word(value->as_complex().imag()));
  } else if (is_floating(value->dtype)) {
    words.push_back(to_word(value->as_complex().real()));
  } else {
    words.push_back(value->as_int());
  }
}

}  // namespace

std::shared_ptr<ContainerImage> image_of(PyObject* object) {
  static constinit Interned name("_image");
  const Object held = owned(PyObject_GetAttr(object, name.get()));
  return held.get() == Py_None ? nullptr : nb::cast<std::shared_ptr<ContainerImage>>(nb::handle(held.get()));
}

size_t count_words(const Type& type) {
  std::vector<DType> scalars;
  append_scalars(in_memory(type), scalars);
  return scalars.size() + static_cast<size_t>(std::ranges::count_if(scalars, is_complex));
}

int64_t add_list(PyObject* list, std::vector<uint32_t>& types, std::vector<ListMemory>& lists, CallMemory* into) {
  const Target to{lists, into};
  const RecursionGuard guard(" in a list that is passed to a compiled function");
  if (const auto known = std::ranges::find(lists, list, &ListMemory::list); known != lists.end()) {
    types.push_back(type_word(ArgumentKind::list, DType::boolean, 0));
    types.insert(types.end(), known->types.begin(), known->types.end());
    return known->header();
  }
  const Py_ssize_t count = PyList_GET_SIZE(list);
  require<ValueError>(count > 0,
                      "an empty list is passed, whose elements have no type: pass an empty array, or make the "
                      "list in the function");
  ListMemory memory{.list = list, .words = std::vector<int64_t>(list_front)};
  std::vector<uint32_t> others;
  for (Py_ssize_t k = 0; k < count; ++k) {
    std::vector<uint32_t>& kinds = k == 0 ? memory.types : others;
    kinds.clear();
    add_element(PyList_GET_ITEM(list, k), kinds, memory, to);
    require<TypeError>(k == 0 || others == memory.types,
                       "a list of elements of several types is passed, {} and {}: convert them to one",
                       Py_TYPE(PyList_GET_ITEM(list, 0))->tp_name, Py_TYPE(PyList_GET_ITEM(list, k))->tp_name);
  }
  const auto used = static_cast<int64_t>(memory.words.size()) - list_front;
  const int64_t each = used / count, room = std::max<int64_t>(count, least_entries);
  memory.words.resize(static_cast<size_t>(list_front + room * std::max<int64_t>(1, each)));
  memory.words[used_word] = count;
  memory.words[capacity_word] = room;
  types.push_back(type_word(ArgumentKind::list, DType::boolean, 0));
  types.insert(types.end(), memory.types.begin(), memory.types.end());
  memory.words[entries_word] = address_of(memory.words.data() + list_front);
  to.place(memory, list_front);
  lists.push_back(std::move(memory));  // whose words stay where they are
  return lists.back().header();
}

int64_t add_container(PyObject* object, std::vector<uint32_t>& types, std::vector<ListMemory>& lists,
                      CallMemory* into) {
  const Target to{lists, into};
  if (is_typed(object))
    if (std::shared_ptr<ContainerImage> image = image_of(object)) {
      types.insert(types.end(), image->memory.types.begin(), image->memory.types.end());
      return add_as(image->type, object, to);
    }
  static constinit Imported type_of("tessera.functions.signatures", "type_of");
  const nb::object found = nb::handle(type_of)(nb::handle(object));
  const Type type = nb::cast<const TypeObject&>(found).type();
  append_type_words(type, types);
  return add_as(type, object, to);
}

int64_t container_in_fields(const Type& type, PyObject* object) {
  const ObjectsInUse building;
  std::vector<ListMemory> lists;
  ListMemory memory{};
  add_value(type, object, memory, {lists, &memory_of_fields()});
  return memory.words.at(0);
}

Type in_memory(const Type& type) {
  if (type->kind != TypeKind::buffer) return with_elements(type, in_memory);
  return TypeParts{.kind = TypeKind::buffer,
                   .dtype = type->dtype,
                   .axes = type->axes,
                   .base_axes = 1,
                   .is_view = true,
                   .is_heap = true};
}

void append_type_words(const Type& type, std::vector<uint32_t>& words) {
  const auto add = [&](ArgumentKind kind, DType dtype, size_t count) {
    words.push_back(type_word(kind, dtype, count));
  };
  switch (type->kind) {
    case TypeKind::none: return add(ArgumentKind::none, DType::boolean, 0);
    case TypeKind::scalar: return add(ArgumentKind::scalar, type->dtype, 0);
    case TypeKind::string: return add(ArgumentKind::text, DType::boolean, 2);
    case TypeKind::object: return add(ArgumentKind::object, DType::boolean, type->id);
    case TypeKind::buffer: return add(ArgumentKind::array, type->dtype, static_cast<size_t>(type->axes));
    case TypeKind::optional: add(ArgumentKind::none, DType::boolean, 2); break;
    case TypeKind::tuple: add(ArgumentKind::tuple, DType::boolean, type->elements.size()); break;
    case TypeKind::list: add(ArgumentKind::list, DType::boolean, type->names.empty() ? 0 : 4); break;
    case TypeKind::dict: add(ArgumentKind::list, DType::boolean, 1); break;
    case TypeKind::set: add(ArgumentKind::list, DType::boolean, type->names.empty() ? 2 : 3); break;
    default: throw TypeError(format("a container of {} is passed", kernel::describe(type)));
  }
  for (const Type& element : type->elements) append_type_words(element, words);
}

}  // namespace tessera::bind
