#include "tessera/bind/kernel/calls/compiled_function.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dates.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/numpy_copy.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/kernel/calls/collector.h"
#include "tessera/bind/kernel/calls/report_text.h"
#include "tessera/bind/kernel/host/called_address.h"
#include "tessera/bind/kernel/host/host_calls.h"
#include "tessera/bind/kernel/host/host_tables.h"
#include "tessera/bind/kernel/host/host_texts.h"
#include "tessera/bind/kernel/host/linear_algebra.h"
#include "tessera/bind/kernel/host/row_reduction.h"
#include "tessera/bind/kernel/launch/fault_text.h"
#include "tessera/bind/kernel/memory/container_image.h"
#include "tessera/bind/kernel/memory/container_memory.h"
#include "tessera/bind/kernel/memory/field_containers.h"
#include "tessera/bind/kernel/memory/header_words.h"
#include "tessera/bind/kernel/memory/object_memory.h"
#include "tessera/bind/kernel/objects/object_box.h"
#include "tessera/bind/kernel/objects/type_object.h"
#include "tessera/bind/kernel/type_words.h"
#include "tessera/engine/kernels/function_arguments.h"
#include "tessera/kernel/values/characters/character_type.h"
#include "tessera/kernel/values/object/user_class.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::bind {

namespace nb = nanobind;

using kernel::HostFunction;
using kernel::ReportLayout;
using kernel::Type;
using kernel::TypeKind;
using kernel::TypeParts;

namespace {

/// The address of a new array, in its elements, or of words.
int64_t allocate(HostCalls& made, int64_t elements, int64_t of, bool zeroed) {
  if (of == kernel::container_words) return address_of(made.heap().words.take(elements, true, false));
  const auto dtype = static_cast<DType>(of);
  char* data = made.allocate(elements, dtype);
  if (zeroed) std::memset(data, 0, static_cast<size_t>(elements * itemsize(dtype)));
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(data)) / itemsize(dtype);
}

/// Of a list's elements: the address of more words, the first of which are those that it had.
int64_t grow(HostCalls& made, const int64_t* operands) {
  int64_t* const to = made.heap().words.take(operands[2], false, operands[3] != 0);
  const auto used = static_cast<size_t>(operands[1]), room = static_cast<size_t>(operands[2]);
  std::memcpy(to, words_at(operands[0]), used * sizeof(int64_t));
  std::memset(to + used, 0, (room - used) * sizeof(int64_t));
  return address_of(to);
}

/// What holds memory at an address in bytes that the call knows of. `at_end`: or what ends there, where memory of
/// another array may begin.
KeptMemory* memory_at(const HostCalls& calls, uintptr_t address, bool at_end) {
  const auto is_in = [&](uintptr_t begin, uintptr_t end) {
    return address >= begin && (address < end || (at_end && address == end));
  };
  if (KeptMemory* const known = find_kept_memory(address, at_end)) return known;
  for (auto array = calls.heap().arrays.rbegin(); array != calls.heap().arrays.rend(); ++array) {
    const auto begin = reinterpret_cast<uintptr_t>(Engine::instance().read(*array)),
               end = begin + static_cast<uintptr_t>(array->view.size() * array->view.itemsize());
    if (is_in(begin, end)) return add_kept_memory({.begin = begin, .end = end, .array = *array, .object = {}});
  }
  for (const Object& kept : calls.heap().kept)
    if (KeptMemory* const found = memory_of_array(kept.get()); is_in(found->begin, found->end)) return found;
  for (size_t k = 0; calls.given && k < calls.given->arrays.size(); ++k) {
    const CallArguments::Given& given = calls.given->arrays[k];
    const auto data = reinterpret_cast<uintptr_t>(calls.given->memory[k]);
    const auto [low, high] = calls.given->views[k].byte_range();
    const uintptr_t begin = data + static_cast<uintptr_t>(low), end = data + static_cast<uintptr_t>(high);
    if (!is_in(begin, end)) continue;
    if (given.is_tessera)
      return add_kept_memory({.begin = begin, .end = end, .array = as_ndarray(given.array)->array, .object = {}});
    return add_kept_memory({.begin = begin, .end = end, .array = {}, .object = Object(Py_NewRef(given.array))});
  }
  return nullptr;
}

/// The same for an object's field; views without elements may stand at an end.
KeptMemory* memory_of_field(const HostCalls& calls, uintptr_t address) {
  if (address == 0) return nullptr;
  for (const bool at_end : {false, true})
    if (KeptMemory* const found = memory_at(calls, address, at_end)) return found;
  throw Error(ErrorKind::runtime, "an array is kept in a field whose memory is not known: keep its copy");
}

int64_t serve_objects(const HostCalls& calls, const int64_t* operands) {
  auto* const word = reinterpret_cast<int64_t*>(static_cast<uintptr_t>(operands[1]) * sizeof(int64_t));
  switch (static_cast<kernel::HostObjects>(operands[0])) {
    case kernel::HostObjects::make: collect_objects_if_due(); return make_object(static_cast<uint32_t>(operands[1]));
    case kernel::HostObjects::hold_object: hold_object(word, operands[2]); return 0;
    case kernel::HostObjects::hold_array:
      hold_memory(word, memory_of_field(calls, static_cast<uintptr_t>(operands[2])));
      return 0;
  }
  return 0;
}

/// Of code that is interpreted: what the function at an address gives for its argument.
int64_t next_random(const int64_t* operands) {
  auto* const function = reinterpret_cast<double (*)(void*)>(static_cast<uintptr_t>(operands[0]));
  return std::bit_cast<int64_t>(function(reinterpret_cast<void*>(static_cast<uintptr_t>(operands[1]))));
}

/// The next number or word of a stream, also where no words are left.
int64_t draw_from_twister(HostCalls& calls, uint32_t function, const int64_t* operands) {
  const bool is_number = static_cast<HostFunction>(function) == HostFunction::twister_number;
  if (static_cast<kernel::TwisterOwner>(operands[2]) == kernel::TwisterOwner::python)
    return is_number ? std::bit_cast<int64_t>(calls.python_stream.next()) : calls.python_stream.next_word();
  return is_number ? calls.stream->next_bits() : calls.stream->next_word();
}

int64_t serve(void* context, uint32_t function, const int64_t* operands) {
  if (function == static_cast<uint32_t>(HostFunction::reduce_row)) return reduce_row(operands);
  HostCalls& calls = *static_cast<HostCalls*>(context);
  if (calls.state.stack && is_collection_due(calls)) [[unlikely]]
    collect(calls, StackRoots(calls.state.stack));
  switch (static_cast<HostFunction>(function)) {
    case HostFunction::allocate: return allocate(calls, operands[0], operands[1], false);
    case HostFunction::grow: return grow(calls, operands);
    case HostFunction::table: return ask_table(calls, operands);
    case HostFunction::text: return ask_text(calls, operands);
    case HostFunction::allocate_zeros: return allocate(calls, operands[0], operands[1], true);
    case HostFunction::call_numpy: calls.call_numpy(operands); return 0;
    case HostFunction::call_numpy_caught: return calls.call_numpy_caught(operands);
    case HostFunction::is_caught: return calls.is_caught(operands[0]);
    case HostFunction::draw:
    case HostFunction::draw_normal: return calls.stream->draw(operands);
    case HostFunction::objects: return serve_objects(calls, operands);
    case HostFunction::random_source:
    case HostFunction::normal_source: return calls.stream->source(static_cast<kernel::RandomSource>(operands[0]));
    case HostFunction::python_source: return calls.python_stream.source(static_cast<kernel::RandomSource>(operands[0]));
    case HostFunction::next_random: return next_random(operands);
    case HostFunction::twister_number:
    case HostFunction::twister_word: return draw_from_twister(calls, function, operands);
    case HostFunction::thread_number: return runtime::thread_number();
    case HostFunction::chunk_size: return parallel_chunk_size();
    case HostFunction::thread_count: return runtime::thread_count();
    case HostFunction::set_thread_count: runtime::set_thread_count(static_cast<int>(operands[0])); return 0;
    case HostFunction::begin_parallel: calls.races->begin_loop(); return 0;
    case HostFunction::begin_iteration: calls.races->begin_iteration(operands[0]); return 0;
    case HostFunction::read_element: calls.check_access(false, operands); return 0;
    case HostFunction::write_element: calls.check_access(true, operands); return 0;
    case HostFunction::chunk_array: {
      const int64_t size = itemsize(static_cast<DType>(operands[2]));
      calls.races->leave_out(static_cast<uintptr_t>(operands[0] * size), operands[1] * size);
      return 0;
    }
    case HostFunction::array_word: {
      const auto buffer = static_cast<size_t>(operands[0]);
      if (operands[1] == 0) return static_cast<int64_t>(reinterpret_cast<uintptr_t>(calls.memory[buffer]));
      return calls.views[buffer].strides[static_cast<int>(operands[1] - 1)];
    }
    case HostFunction::draw_python: return calls.python_stream.draw(operands);
    case HostFunction::draw_apart: return draw_apart(operands);
    case HostFunction::linear_algebra: return ask_linear_algebra(operands);
    case HostFunction::reduce_row: return reduce_row(operands);
    case HostFunction::call_address: return call_address(operands);
    case HostFunction::mark_arena:
    case HostFunction::release_arena: return 0;  // the engine's
    case HostFunction::shared_word:
    case HostFunction::result_word: return calls.results.at(static_cast<size_t>(operands[0]));
  }
  return 0;
}

/// The type of a list's element, from the words that tell it apart.
Type type_of_words(std::span<const uint32_t>& words) {
  const uint32_t word = words.front();
  words = words.subspan(1);
  if (kind_of(word) == ArgumentKind::scalar) return Type::scalar(dtype_of(word));
  if (kind_of(word) == ArgumentKind::date && count_of(word) == 0)
    return TypeParts{
        .kind = TypeKind::scalar, .dtype = DType::int64, .unit = static_cast<kernel::Unit>(dtype_of(word))};
  if (kind_of(word) == ArgumentKind::object) return kernel::type_of_objects(static_cast<uint32_t>(count_of(word)));
  if (kind_of(word) == ArgumentKind::array)
    return TypeParts{.kind = TypeKind::buffer,
                     .dtype = dtype_of(word),
                     .axes = static_cast<int>(count_of(word)),
                     .base_axes = 1,
                     .is_view = true,
                     .is_heap = true};
  if (kind_of(word) == ArgumentKind::text) return TypeParts{.kind = TypeKind::string};
  if (kind_of(word) == ArgumentKind::none && count_of(word) == 0) return {};
  constexpr TypeKind containers[] = {TypeKind::list, TypeKind::dict, TypeKind::set, TypeKind::set, TypeKind::list};
  const bool is_container = kind_of(word) == ArgumentKind::list, is_tuple = kind_of(word) == ArgumentKind::tuple;
  TypeParts type{.kind = is_container ? containers[count_of(word)] : is_tuple ? TypeKind::tuple : TypeKind::optional};
  if (is_container && count_of(word) == 3) type.names = {"frozenset"};
  if (is_container && count_of(word) == 4) type.names = {std::string(kernel::typed_list)};
  const size_t count = is_tuple ? count_of(word) : 1;
  for (size_t k = 0; k < count; ++k) type.elements.push_back(type_of_words(words));
  return type;
}

/// The object that the function is to Python.
PyObject* owner_of(const kernel::Function& function) {
  static constinit Imported owner("tessera.functions.function", "owner_of");
  const Object address = owned(PyLong_FromVoidPtr(const_cast<kernel::Function*>(&function)));
  return checked(PyObject_CallFunctionObjArgs(owner, address.get(), nullptr));
}

/// Reads a result from its words.
class ResultReader {
 public:
  ResultReader(std::span<const int64_t> words, const CallArguments& given, const HostCalls& made)
      : words_(words), given_(given), made_(made) {}

  /// A result that is nothing but an array, of which nothing else is a view.
  PyObject* read_sole(const Type& type) {
    is_sole_ = type.is_array();
    return read(type);
  }

  PyObject* read(const Type& type) {
    switch (type->kind) {
      case TypeKind::scalar: return kernel::is_member(type) ? read_member(type) : read_number(*type);
      case TypeKind::tuple: return read_tuple(type);
      case TypeKind::dict:
      case TypeKind::set:
      case TypeKind::list: return read_list(type);
      case TypeKind::string: return kernel::is_bytes_value(type) ? python_bytes(next()) : python_text(next());
      case TypeKind::buffer:
      case TypeKind::choice: return read_array_as(type);
      case TypeKind::record: return kernel::is_characters(type) ? read_characters(type) : read_records(type);
      case TypeKind::formatted: {
        Object text = owned(PyUnicode_FromString(""));
        for (const Type& part : type->elements) {
          const Object value(read(part)), written = owned(PyObject_Str(value.get()));
          text = owned(PyUnicode_Concat(text.get(), written.get()));
        }
        return text.release();
      }
      case TypeKind::object: return box_object(next());
      case TypeKind::texts: return checked(from_utf8(type->names.at(static_cast<size_t>(next()))));
      case TypeKind::functions: return read(type->elements.at(static_cast<size_t>(next())));
      case TypeKind::entity:
        if (type.is_entity(kernel::EntityKind::function)) return owner_of(*type->entity.function);
        if (type.is_entity(kernel::EntityKind::dtype)) {
          const kernel::Unit unit = type->entity.unit;
          Object dtype = owned(unit ? descriptor_of(unit) : from_dtype(type->entity.value.dtype));
          return type->entity.name.empty() ? checked(PyObject_GetAttrString(dtype.get(), "type")) : dtype.release();
        }
        require<TypeError>(type.is_entity(kernel::EntityKind::text), "a function cannot return {}",
                           kernel::describe(type));
        return checked(from_utf8(type->entity.name));
      case TypeKind::optional: return next() ? read(type->elements[0]) : skip(type->elements[0]);
      case TypeKind::slice: {
        const Object start(read(type->elements[0])), stop(read(type->elements[1])), step(read(type->elements[2]));
        return checked(PySlice_New(start.get(), stop.get(), step.get()));
      }
      case TypeKind::range: {
        const Object lower(read(type->elements[0])), upper(read(type->elements[1])), step(read(type->elements[2]));
        return checked(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyRange_Type), lower.get(),
                                                    upper.get(), step.get(), nullptr));
      }
      default: Py_RETURN_NONE;
    }
  }

  /// Gives lists that were passed the elements that they have now.
  void update_lists() {
    for (const ListMemory& given : given_.lists) {
      if (given.image) {
        given.image->settle(given.before);
        continue;
      }
      std::span<const uint32_t> words = given.types;
      if (given.is_typed) {
        update(given, type_of_words(words));
        write_to_fields(given);
        continue;
      }
      Object elements(make_list(given.header(), type_of_words(words)));
      if (PyList_SetSlice(given.list, 0, PY_SSIZE_T_MAX, elements.get()) < 0) throw ErrorAlreadySet();
    }
  }

  /// A new list or dict of what is in memory there.
  PyObject* read_items(const Type& type, int64_t header) {
    if (type->kind == TypeKind::list) return make_list(header, type->elements[0]);
    Object table = owned(PyDict_New());
    fill_table(header, type->elements[0], table.get());
    return table.release();
  }

 private:
  int64_t next() {
    const int64_t word = words_[at_];
    at_ += 2;
    return word;
  }

  /// None in place of a value that is not there.
  PyObject* skip(const Type& type) {
    at_ += 2 * count_scalars(type);
    Py_RETURN_NONE;
  }

  /// With the dtype that it has in the function.
  PyObject* read_array_as(const Type& type) {
    Object made(read_array(type));
    if (type->unit && is_ndarray(made.get())) made = owned(to_numpy(made.get()));
    return as_dates(type->unit, made.get());
  }

  PyObject* read_number(const TypeParts& type) {
    const DType dtype = type.dtype;
    const int64_t first = words_[at_], second = words_[at_ + 1];
    at_ += 2;
    if (type.unit) return make_date(type.unit, first);
    if (is_boolean(dtype)) return PyBool_FromLong(first != 0);
    if (is_unsigned_integer(dtype)) return checked(PyLong_FromUnsignedLongLong(static_cast<uint64_t>(first)));
    if (is_integer(dtype)) return checked(PyLong_FromLong(first));
    if (is_complex(dtype))
      return checked(PyComplex_FromDoubles(std::bit_cast<double>(first), std::bit_cast<double>(second)));
    return checked(PyFloat_FromDouble(std::bit_cast<double>(first)));
  }

  PyObject* read_member(const Type& type) {
    static constinit Imported member_of("tessera.functions.enums", "member_of");
    const Object value(read_number(*type)), mark = owned(PyUnicode_FromString(type->names[0].c_str()));
    return checked(PyObject_CallFunctionObjArgs(member_of, mark.get(), value.get(), nullptr));
  }

  PyObject* read_tuple(const Type& type) {
    Object tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(type->elements.size())));
    for (size_t k = 0; k < type->elements.size(); ++k)
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(k), read(type->elements[k]));
    if (type->is_list) return checked(PySequence_List(tuple.get()));
    if (type->is_dict) {
      Object dict = owned(PyDict_New());
      for (size_t k = 0; k < type->names.size(); ++k)
        if (PyDict_SetItemString(dict.get(), type->names[k].c_str(),
                                 PyTuple_GET_ITEM(tuple.get(), static_cast<Py_ssize_t>(k))))
          throw ErrorAlreadySet();
      return dict.release();
    }
    return type->names.empty() ? tuple.release() : named(type->names, tuple.get());
  }

  /// An object of the class of named tuples with these fields.
  static PyObject* named(const std::vector<std::string>& names, PyObject* elements) {
    static constinit Imported make("tessera.functions.signatures", "make_named");
    const Object fields = owned(PyTuple_New(static_cast<Py_ssize_t>(names.size())));
    for (size_t k = 0; k < names.size(); ++k)
      PyTuple_SET_ITEM(fields.get(), static_cast<Py_ssize_t>(k), checked(PyUnicode_FromString(names[k].c_str())));
    return checked(PyObject_CallFunctionObjArgs(make, fields.get(), elements, nullptr));
  }

  /// An argument, with the elements that it has now, or a new list.
  PyObject* read_list(const Type& type) {
    const int64_t header = next();
    for (const ListMemory& given : given_.lists)
      if (given.header() == header) return Py_NewRef(given.owner ? given.owner : given.list);
    const bool is_typed = type->kind == TypeKind::dict || (type->kind == TypeKind::list && !type->names.empty());
    if (made_.shared && is_typed) return container_of_fields(type, header);
    if (type->kind == TypeKind::list && type->names.empty()) return make_list(header, type->elements[0]);
    if (type->kind == TypeKind::list) {
      static constinit Imported made("tessera.functions.typed_containers", "made_list");
      const Object elements(make_list(header, type->elements[0]));
      return nb::handle(made)(type_object(type), nb::handle(elements.get())).release().ptr();
    }
    const bool is_frozen = !type->names.empty(), is_set = type->kind == TypeKind::set;
    static constinit Imported make("tessera.functions.typed_containers", "made_dict");
    Object table = owned(!is_set ? PyDict_New() : is_frozen ? PyFrozenSet_New(nullptr) : PySet_New(nullptr));
    fill_table(header, type->elements[0], table.get());
    return is_set ? table.release() : nb::handle(make)(type_object(type), nb::handle(table.get())).release().ptr();
  }

  /// A typed container that fields may hold was copied for a function that knows nothing of fields.
  static void write_to_fields(const ListMemory& given) {
    if (!given.owner) return;
    if (const std::shared_ptr<ContainerImage> image = image_of(given.owner))
      if (image->root) write_container(*image, given.list);
  }

  /// Gives a container that was passed what it has now.
  void update(const ListMemory& given, const Type& type) {
    if (type->kind == TypeKind::list) {
      Object elements(make_list(given.header(), type->elements[0]));
      if (PyList_SetSlice(given.list, 0, PY_SSIZE_T_MAX, elements.get()) < 0) throw ErrorAlreadySet();
    } else if (type->kind == TypeKind::dict) {
      Object made = owned(PyDict_New());
      fill_table(given.header(), type->elements[0], made.get());
      PyDict_Clear(given.list);
      if (PyDict_Update(given.list, made.get()) < 0) throw ErrorAlreadySet();
    } else if (type->names.empty()) {
      Object made = owned(PySet_New(nullptr));
      fill_table(given.header(), type->elements[0], made.get());
      if (PySet_Clear(given.list) < 0) throw ErrorAlreadySet();
      owned(PyObject_CallMethod(given.list, "update", "(O)", made.get()));
    }
  }

  /// Adds the entries of a dict or a set in memory.
  void fill_table(int64_t header, const Type& entry, PyObject* table) {
    const ListElements elements(header);
    const std::span<const int64_t> outer = words_;
    const size_t at = at_;
    std::vector<DType> scalars;
    append_scalars(entry, scalars);
    std::vector<int64_t> words;
    for (int64_t k = 0; k < elements.count; ++k) {
      elements.read(k, scalars, words);
      if (words[0] < 0) continue;  // deleted
      words_ = words, at_ = 2;
      const Object key(read(entry->elements.at(1)));
      const Object value(entry->elements.size() > 2 ? read(entry->elements[2]) : nullptr);
      const int failed = value ? PyDict_SetItem(table, key.get(), value.get()) : PySet_Add(table, key.get());
      if (failed) throw ErrorAlreadySet();
    }
    words_ = outer, at_ = at;
  }

  PyObject* make_list(int64_t header, const Type& type) {
    const ListElements elements(header);
    Object list = owned(PyList_New(elements.count));
    // An element's words are those of a result.
    const std::span<const int64_t> outer = words_;
    const size_t at = at_;
    std::vector<DType> scalars;
    append_scalars(type, scalars);
    std::vector<int64_t> words;
    for (int64_t k = 0; k < elements.count; ++k) {
      elements.read(k, scalars, words);
      words_ = words, at_ = 0;
      PyList_SET_ITEM(list.get(), k, read(type));
    }
    words_ = outer, at_ = at;
    return list.release();
  }

  /// An argument, a view of one, or an array that the function has made.
  PyObject* read_array(const Type& type) {
    require<TypeError>(type->is_view || (!type->is_constant && type->id < given_.arrays.size()),
                       "a function cannot return an array outside of it: return a copy");
    if (!type->is_view && given_.arrays[type->id].within.empty()) return Py_NewRef(given_.arrays[type->id].array);
    if (!type->is_view)
      return numpy_over(given_.memory[type->id], given_.views[type->id], is_writeable(given_.arrays[type->id].array),
                        Py_NewRef(given_.arrays[type->id].array));
    const std::vector<Type> bases = kernel::alternatives(type);
    const size_t which = type->kind == TypeKind::choice ? static_cast<size_t>(next()) : 0;
    std::vector<int64_t> begins;
    for (size_t k = 0; k < bases.size(); ++k)
      for (int axis = 0; axis < bases[k]->base_axes; ++axis) {
        const int64_t begin = next();
        if (k == which) begins.push_back(begin);
      }
    std::vector<int64_t> steps, extents;
    for (int axis = 0; axis < type->axes; ++axis) steps.push_back(next());
    for (int axis = 0; axis < type->axes; ++axis) extents.push_back(next());
    const Type& base = bases[which];
    if (base->is_heap) return read_made(type->dtype, begins[0], steps, extents);
    require<TypeError>(!base->is_constant && base->id < given_.arrays.size(),
                       "a function cannot return an array outside of it: return a copy");
    return read_view(base, begins, steps, extents);
  }

  /// By name the array of each field of records that the function has made, of a text's bytes beside its dtype.
  Object read_fields(const Type& records) {
    Object fields = owned(PyDict_New());
    for (size_t k = 0; k < records->elements.size(); ++k) {
      const Type& type = records->elements[k];
      Object field = type->kind == TypeKind::record ? read_fields(type) : Object(read(type));
      if (type.is_bytes()) field = owned(Py_BuildValue("(Os)", field.get(), type->names[0].c_str()));
      if (PyDict_SetItemString(fields.get(), records->names[k].c_str(), field.get()) < 0) throw ErrorAlreadySet();
    }
    return fields;
  }

  /// An array of texts, whose bytes are along one axis more.
  PyObject* read_characters(const Type& type) {
    const Object bytes(read(type->elements.at(0)));
    static constinit Imported made("tessera.functions.records", "characters_of");
    return checked(PyObject_CallFunction(made, "Os", bytes.get(), type->elements[0]->names.at(0).c_str()));
  }

  /// A part of an array of records that was passed; of one record, a copy.
  PyObject* read_records(const Type& type) {
    size_t depth = 1;
    Type first = type->elements.at(0);
    for (; first->kind == TypeKind::record; ++depth) first = first->elements.at(0);
    if (first->is_heap) {
      static constinit Imported made("tessera.functions.records", "made");
      const Object fields = read_fields(type), axes = owned(PyLong_FromLong(type->axes)),
                   layout = owned(PyLong_FromUnsignedLong(type->id));
      return checked(PyObject_CallFunctionObjArgs(made, fields.get(), axes.get(), layout.get(), nullptr));
    }
    require<TypeError>(first->kind == TypeKind::buffer && first->id < given_.arrays.size() &&
                           given_.arrays[first->id].within.size() >= depth,
                       "a function returns records of its arguments only: return their fields");
    const CallArguments::Given& field = given_.arrays[first->id];
    const size_t end = at_ + 2 * count_scalars(type);
    View view = given_.views[first->id];
    char* data = given_.memory[first->id];
    if (first->is_view) {
      std::vector<int64_t> begins, steps, extents;
      for (int axis = 0; axis < first->base_axes; ++axis) begins.push_back(next());
      for (int axis = 0; axis < first->axes; ++axis) steps.push_back(next());
      for (int axis = 0; axis < first->axes; ++axis) extents.push_back(next());
      view = part_of(view, first, begins, steps, extents);
      data += view.offset;
    }
    at_ = end;
    return records_over(field, depth, data, view, type->axes);
  }

  /// What NumPy has returned as read-only, in memory that stays as long as that of what it is a view of.
  PyObject* read_only(uintptr_t address, const View& view, const Object& kept) {
    PyObject* owner = kept.get();
    for (size_t k = 0; k < given_.arrays.size(); ++k) {
      const auto begin = reinterpret_cast<uintptr_t>(given_.memory[k]);
      const auto [low, high] = given_.views[k].byte_range();
      const bool is_argument =
          address >= begin + static_cast<uintptr_t>(low) && address < begin + static_cast<uintptr_t>(high);
      if (is_argument) owner = given_.arrays[k].array;
    }
    for (const Array& array : made_.heap().arrays) {
      const auto data = reinterpret_cast<uintptr_t>(Engine::instance().read(array));
      const bool is_own =
          address >= data && address < data + static_cast<uintptr_t>(array.view.size() * array.view.itemsize());
      if (!is_own) continue;
      const Object made(bind::wrap(array)), numpy(checked(to_numpy(made.get())));
      return numpy_over(reinterpret_cast<char*>(address), view, false, Py_NewRef(numpy.get()));
    }
    return numpy_over(reinterpret_cast<char*>(address), view, false, Py_NewRef(owner));
  }

  /// A copy of an array in a block of several, which goes with the call.
  static PyObject* copied(uintptr_t address, const View& view, bool of_tessera) {
    const Array own = Engine::instance().empty(view.shape, view.dtype);
    std::memcpy(Engine::instance().write(own), reinterpret_cast<const char*>(address),
                static_cast<size_t>(view.size() * view.itemsize()));
    Object object(bind::wrap(own));
    return of_tessera ? object.release() : checked(to_numpy(object.get()));
  }

  /// An array in memory that the call has made, that an argument has, or that a function of NumPy has returned.
  PyObject* read_made(DType dtype, int64_t begin, std::span<const int64_t> steps, std::span<const int64_t> extents) {
    const int64_t size = itemsize(dtype);
    // A variable that no assignment has reached is an array without elements, in no memory.
    if (begin == 0) return checked(to_numpy(Object(bind::wrap(Engine::instance().empty(extents, dtype))).get()));
    const auto address = static_cast<uintptr_t>(begin * size);
    View view;
    view.dtype = dtype;
    view.shape = Dims(extents);
    std::vector<int64_t> strides;
    for (int64_t step : steps) strides.push_back(step * size);
    view.strides = Dims(std::span<const int64_t>(strides));
    const bool is_empty = std::ranges::find(extents, 0) != extents.end();
    const bool of_tessera = std::ranges::any_of(given_.arrays, &CallArguments::Given::is_tessera);
    const auto is_in = [&](const char* data, std::pair<int64_t, int64_t> range) {
      const auto base = reinterpret_cast<uintptr_t>(data);
      return address >= base + static_cast<uintptr_t>(range.first) &&
             address < base + static_cast<uintptr_t>(range.second);
    };
    for (const Object& kept : made_.heap().kept) {
      auto* array = reinterpret_cast<PyArrayObject*>(kept.get());
      const View whole = view_of_numpy(kept.get(), dtype);
      const bool is_this = PyArray_DATA(array) == reinterpret_cast<char*>(address) && whole.shape == view.shape &&
                           whole.strides == view.strides;
      if (is_this && !PyArray_ISWRITEABLE(array) && !of_tessera) return read_only(address, view, kept);
    }
    for (const Array& array : made_.heap().arrays) {
      const char* data = Engine::instance().read(array);
      if (!is_in(data, {0, array.view.size() * array.view.itemsize()})) continue;
      if (is_sole_ && array.view.dtype == ir::arena_dtype && view.is_c_contiguous())
        return copied(address, view, of_tessera);
      Array part = array;
      view.offset = array.view.offset + static_cast<int64_t>(address - reinterpret_cast<uintptr_t>(data));
      part.view = view;
      Object object(bind::wrap(std::move(part)));
      return of_tessera ? object.release() : checked(to_numpy(object.get()));
    }
    for (size_t k = 0; k < given_.arrays.size(); ++k) {
      const char* data = given_.memory[k];
      const CallArguments::Given& from = given_.arrays[k];
      if (!is_in(data, given_.views[k].byte_range())) continue;
      const View& own = given_.views[k];
      const bool is_whole = from.within.empty() && data == reinterpret_cast<char*>(address) && own.dtype == dtype &&
                            own.shape == view.shape && own.strides == view.strides;
      if (is_whole) return Py_NewRef(from.array);
      if (!from.is_tessera)
        return numpy_over(reinterpret_cast<char*>(address), view, is_writeable(from.array), Py_NewRef(from.array));
      view.offset =
          as_ndarray(from.array)->array.view.offset + static_cast<int64_t>(address - reinterpret_cast<uintptr_t>(data));
      return checked(wrap_view(as_ndarray(from.array), view));
    }
    if (PyObject* listed = read_listed(address, view)) return listed;
    for (const Object& kept : made_.heap().kept) {
      auto* array = reinterpret_cast<PyArrayObject*>(kept.get());
      const auto* data = static_cast<const char*>(PyArray_DATA(array));
      const View whole = view_of_numpy(kept.get(), dtype);
      if (!is_in(data, whole.byte_range()) && address != reinterpret_cast<uintptr_t>(data)) continue;
      Object made(numpy_over(reinterpret_cast<char*>(address), view, true, Py_NewRef(kept.get())));
      return of_tessera ? bind::wrap(copy_from_numpy(made.get(), dtype, Order::k)) : made.release();
    }
    const KeptMemory* kept = find_kept_memory(address, false);
    if (!kept) kept = find_kept_memory(address, true);
    if (kept && kept->array) {
      Array part = *kept->array;
      view.offset = part.view.offset + static_cast<int64_t>(address - kept->begin);
      part.view = view;
      return checked(to_numpy(Object(bind::wrap(std::move(part))).get()));
    } else if (kept) {
      auto* const array = reinterpret_cast<PyArrayObject*>(kept->object.get());
      return numpy_over(reinterpret_cast<char*>(address), view, PyArray_ISWRITEABLE(array),
                        Py_NewRef(kept->object.get()));
    }
    invariant(is_empty, "call of a function: it returns an array that it has not made");
    Object made(bind::wrap(Engine::instance().empty(extents, dtype)));
    return of_tessera ? made.release() : checked(to_numpy(made.get()));
  }

  /// An array in a list that was passed, or a part of one; null where none is there.
  PyObject* read_listed(uintptr_t address, const View& view) const {
    for (const ListMemory& list : given_.lists)
      for (PyObject* object : list.arrays) {
        const View whole = view_of_numpy(object, view.dtype);
        const auto data = reinterpret_cast<uintptr_t>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(object)));
        if (address == data && view.shape == whole.shape && view.strides == whole.strides) return Py_NewRef(object);
        const auto [begin, end] = whole.byte_range();
        const auto offset = static_cast<int64_t>(address - data);
        if (offset >= begin && offset < end)
          return numpy_over(reinterpret_cast<char*>(address), view, true, Py_NewRef(object));
      }
    return nullptr;
  }

  PyObject* read_view(const Type& base, std::span<const int64_t> begins, std::span<const int64_t> steps,
                      std::span<const int64_t> extents) const {
    const CallArguments::Given& from = given_.arrays[base->id];
    View view = part_of(given_.views[base->id], base, begins, steps, extents);
    if (!from.is_tessera)
      return numpy_over(given_.memory[base->id] + view.offset, view, is_writeable(from.array), Py_NewRef(from.array));
    view.offset += as_ndarray(from.array)->array.view.offset;
    return checked(wrap_view(as_ndarray(from.array), view));
  }

  static View part_of(const View& whole, const Type& base, std::span<const int64_t> begins,
                      std::span<const int64_t> steps, std::span<const int64_t> extents) {
    View view = whole;
    for (size_t axis = 0; axis < begins.size(); ++axis)
      view.offset += begins[axis] * whole.strides[static_cast<int>(axis)];
    std::vector<int64_t> strides;
    for (size_t k = 0; k < steps.size(); ++k)
      strides.push_back(base->kept[k] < 0 ? 0 : steps[k] * whole.strides[base->kept[k]]);
    view.shape = Dims(extents);
    view.strides = Dims(std::span<const int64_t>(strides));
    return view;
  }

  static size_t count_scalars(const Type& type) {
    std::vector<DType> scalars;
    append_scalars(type, scalars);
    return scalars.size();
  }

  std::span<const int64_t> words_;
  const CallArguments& given_;
  const HostCalls& made_;
  size_t at_ = 1;
  bool is_sole_ = false;
};

}  // namespace

PyObject* read_field(const Type& type, const int64_t* words) {
  if (type.is_scalar() && type->dtype == DType::float64)
    return checked(PyFloat_FromDouble(std::bit_cast<double>(*words)));
  if (type.is_scalar() && type->dtype == DType::int64) return checked(PyLong_FromLong(*words));
  const Type held = in_memory(type);
  std::vector<DType> scalars;
  append_scalars(held, scalars);
  std::vector<int64_t> own{1};
  for (DType scalar : scalars) {
    own.push_back(*words++);
    own.push_back(is_complex(scalar) ? *words++ : 0);
  }
  const CallArguments given;
  const HostCalls made{.shared = &memory_of_fields()};
  return ResultReader(own, given, made).read(held);
}

PyObject* read_items(const Type& type, int64_t header) {
  const CallArguments given;
  const HostCalls made{.shared = &memory_of_fields()};
  return ResultReader({}, given, made).read_items(type, header);
}

KeptMemory* memory_of_array(PyObject* object) {
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  const auto data = reinterpret_cast<uintptr_t>(PyArray_DATA(array));
  const auto [low, high] = view_of_numpy(object, DType::uint8).byte_range();
  const uintptr_t begin = data + static_cast<uintptr_t>(low),
                  end = data + static_cast<uintptr_t>(high + PyArray_ITEMSIZE(array) - 1);
  if (KeptMemory* const known = find_kept_memory(data, false); known && known->begin <= begin && known->end >= end)
    return known;
  return add_kept_memory({.begin = begin, .end = end, .array = {}, .object = Object(Py_NewRef(object))});
}

int64_t& parallel_chunk_size() {
  static thread_local int64_t size = 0;
  return size;
}

CompiledFunction::CompiledFunction(kernel::Compiled compiled, std::vector<Array> constants, bool unlocks)
    : compiled_(std::move(compiled)), constants_(std::move(constants)), unlocks_(unlocks) {
  std::vector<DType> scalars;
  append_scalars(compiled_.result, scalars);
  own_words_ = {compiled_.reports ? size_t{ReportLayout::size} : 0,
                compiled_.prints ? size_t{ReportLayout::line_words} : 0, 1 + 2 * scalars.size()};
  for (size_t words : own_words_)
    if (words > 0) own_views_.push_back(View::contiguous(std::array{static_cast<int64_t>(words)}, DType::int64));
  for (DType dtype : compiled_.heaps) own_views_.push_back(View::contiguous(std::array<int64_t, 1>{1}, dtype));
  for (const Array& constant : constants_) own_views_.push_back(constant.view);
  const auto asks = [](const ir::Instruction& i) {
    return i.op == ir::Opcode::call_host && i.imm == static_cast<uint32_t>(HostFunction::objects);
  };
  const ir::Kernel& kernel = *compiled_.kernel;
  has_objects_ =
      std::ranges::any_of(kernel.instructions, asks) || std::ranges::any_of(kernel.bodies, [&](const ir::Kernel& body) {
        return std::ranges::any_of(body.instructions, asks);
      });
}

bool CompiledFunction::is_plain() const { return compiled_.heaps.empty() && asks_nothing(); }

bool CompiledFunction::asks_nothing() const {
  return !unlocks_ && !compiled_.calls_host && !compiled_.prints && !compiled_.containers.are_changed &&
         compiled_.draws == kernel::Draws::none && compiled_.loops.parts.empty() && compiled_.accesses.empty() &&
         constants_.empty() && compiled_.arguments.unsigned_scalars.empty();
}

void CompiledFunction::settle(CallArguments& given) const {
  const ir::Kernel& kernel = *compiled_.kernel;
  for (size_t k = 0; k < given.arrays.size(); ++k) {
    const CallArguments::Given& array = given.arrays[k];
    const bool writes = kernel.buffers[k].writable;
    if (array.is_tessera) {
      NdArray* object = as_ndarray(array.array);
      require<ValueError>(!writes || object->writeable, "{}: the function writes an array that is read-only",
                          kernel.name);
      given.memory[k] = writes ? synchronise_to_write(object->array) : const_cast<char*>(synchronise(object->array));
    } else {
      require<ValueError>(!writes || is_writeable(array.array), "{}: the function writes an array that is read-only",
                          kernel.name);
    }
  }
}

bool CompiledFunction::overlap_matters(const CallArguments& given) const {
  if (!compiled_.assumes_distinct) return false;
  const ir::Kernel& kernel = *compiled_.kernel;
  // Arrays in lists may be any of these.
  const auto is_listed = [](const ListMemory& list) { return !list.arrays.empty(); };
  if (!given.arrays.empty() && (given.has_objects || std::ranges::any_of(given.lists, is_listed))) return true;
  const auto overlap = [&](size_t x, size_t y) {
    const auto [x_begin, x_end] = given.views[x].byte_range();
    const auto [y_begin, y_end] = given.views[y].byte_range();
    return given.memory[x] + x_begin < given.memory[y] + y_end && given.memory[y] + y_begin < given.memory[x] + x_end;
  };
  for (size_t i = 0; i < given.arrays.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if ((kernel.buffers[i].writable || kernel.buffers[k].writable) && overlap(i, k)) return true;
  return false;
}

std::span<const View> CompiledFunction::complete(CallArguments& given) const {
  const ir::Kernel& kernel = *compiled_.kernel;
  const auto [report_words, line_words, result_words] = own_words_;
  given.words.assign(report_words + line_words + result_words, 0);
  size_t first = 0;
  for (const size_t words : own_words_) {
    if (words > 0) given.memory.push_back(reinterpret_cast<char*>(given.words.data() + first));
    first += words;
  }
  given.memory.insert(given.memory.end(), compiled_.heaps.size(), nullptr);
  for (const Array& constant : constants_) given.memory.push_back(const_cast<char*>(Engine::instance().read(constant)));
  for (const size_t k : compiled_.arguments.unsigned_scalars)
    if (given.scalars[k].as_int() < 0)
      throw OverflowError(is_unsigned_integer(given.scalars[k].dtype) ? "int too big to convert"
                                                                      : "can't convert negative int to unsigned");
  for (size_t k = 0; k < given.scalars.size(); ++k)
    if (given.scalars[k].dtype != kernel.scalars[k]) given.scalars[k] = given.scalars[k].cast_to(kernel.scalars[k]);
  if (given.arrays.empty()) return own_views_;
  given.views.insert(given.views.end(), own_views_.begin(), own_views_.end());
  return given.views;
}

void CompiledFunction::run(CallArguments& given, std::span<const View> views, HostCalls& made, FunctionCode& code,
                           bool are_alike) const {
  const std::span<int64_t> report = std::span(given.words).first(own_words_[0]),
                           lines = std::span(given.words).subspan(own_words_[0], own_words_[1]);
  if (!compiled_.accesses.empty() && !made.races)
    made.races =
        std::make_unique<RaceCheck>(compiled_.accesses, [&made](uintptr_t address) { return made.position(address); });
  if (compiled_.draws != kernel::Draws::none)
    made.stream = std::make_unique<NumpyStream>(compiled_.draws == kernel::Draws::normal);
  const auto tell = [&] {
    if (compiled_.containers.are_changed) ResultReader({}, given, made).update_lists();
    if (compiled_.prints && report[ReportLayout::printed] > 0) {
      print_lines(compiled_.sites, lines, report[ReportLayout::printed], false);
      report[ReportLayout::printed] = 0;
    }
  };
  made.runs_parts = !compiled_.loops.parts.empty();
  try {
    Engine::instance().call_function(compiled_.kernel,
                                     {.memory = given.memory,
                                      .views = views,
                                      .scalars = given.scalars,
                                      .are_alike = are_alike && compiled_.loops.parts.empty(),
                                      .host = compiled_.calls_host ? serve : nullptr,
                                      .context = &made,
                                      .apart = static_cast<uint32_t>(HostFunction::linear_algebra),
                                      .packs_arrays = !made.races,
                                      .parts = compiled_.loops.parts,
                                      .first_part = kernel::first_part,
                                      .state = &made.state,
                                      .unlocks = unlocks_ && !compiled_.needs_lock},
                                     code);
  } catch (const ErrorAlreadySet&) {
    // What the function has done before a function of the host raised is seen.
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    made.python_stream.finish();
    tell();
    PyErr_Restore(kind, value, trace);
    throw;
  }
  if (made.stream) std::exchange(made.stream, nullptr)->finish();
  made.python_stream.finish();
  tell();
  throw_raised(given, made);
}

bool CompiledFunction::has_raised(const CallArguments& given) const {
  return compiled_.reports && given.words[ReportLayout::site] > 0;
}

const int64_t* CompiledFunction::raised_word(const CallArguments& given) const {
  static constexpr int64_t never = 0;
  return compiled_.reports ? &given.words[ReportLayout::site] : &never;
}

void CompiledFunction::throw_raised(CallArguments& given, const HostCalls& made) const {
  if (has_raised(given)) {
    const std::vector<int64_t> report(given.words.begin(), given.words.begin() + static_cast<int64_t>(own_words_[0]));
    std::fill_n(given.words.begin(), own_words_[0], 0);
    const auto site = static_cast<size_t>(report[ReportLayout::site] - 1);
    if (made.raised && compiled_.sites[site].exception == static_cast<int64_t>(kernel::ExceptionNumber::host)) {
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.raised.get())), made.raised.get());
      throw ErrorAlreadySet();
    }
    throw_report(compiled_.sites, report, false);
  }
  if (made.races && !made.races->races().empty()) throw_faults(compiled_.kernel->name, made.races->races());
}

PyObject* CompiledFunction::read_yielded(const int64_t* words, CallArguments& given, HostCalls& made) const {
  const Type& type = compiled_.generator->yielded;
  if (type == Type::scalar(DType::float64)) return checked(PyFloat_FromDouble(std::bit_cast<double>(*words)));
  if (type == Type::scalar(DType::int64)) return checked(PyLong_FromLong(*words));
  if (type.is_scalar() && !is_complex(type->dtype)) {
    const std::array<int64_t, 3> own{1, words[0], 0};
    return ResultReader(own, given, made).read(type);
  }
  std::vector<DType> scalars;
  append_scalars(type, scalars);
  std::vector<int64_t> own{1};
  for (DType scalar : scalars) {
    own.push_back(*words++);
    own.push_back(is_complex(scalar) ? *words++ : 0);
  }
  return ResultReader(own, given, made).read(type);
}

PyObject* CompiledFunction::call(CallArguments& given, PyObject* const* objects, Py_ssize_t count,
                                 uint64_t literals) const {
  invariant(!compiled_.generator, "call of {}: it is a generator", compiled_.kernel->name);
  const bool are_alike = given.arrays.empty();
  HostCalls made{.objects = compiled_.host_objects, .given = &given};
  const CallRoots roots(made);
  const ObjectsInUse in_use(&roots);
  if (compiled_.containers.are_in_fields) {
    made.shared = &memory_of_fields();
    given.move_to_fields(objects, count, literals);
  }
  const std::span<const View> views = complete(given);
  made.memory = given.memory;
  made.views = views;
  run(given, views, made, last_, are_alike);
  const std::span<const int64_t> results = std::span<const int64_t>(given.words).last(own_words_[2]);
  if (compiled_.result->kind == TypeKind::none || results[0] == 0) Py_RETURN_NONE;
  ResultReader reader(results, given, made);
  const bool may_share =
      compiled_.containers.are_changed || compiled_.containers.are_in_fields || has_objects() || given.has_objects;
  return may_share ? reader.read(compiled_.result) : reader.read_sole(compiled_.result);
}

}  // namespace tessera::bind
