#include "tessera/bind/interop/arrow.h"

#include <memory>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/interop/arrow_abi.h"

namespace tessera::bind {

namespace {

const char* arrow_format(DType dtype) {
  switch (dtype) {
    case DType::boolean: return "b";
    case DType::int8: return "c";
    case DType::uint8: return "C";
    case DType::int16: return "s";
    case DType::uint16: return "S";
    case DType::int32: return "i";
    case DType::uint32: return "I";
    case DType::int64: return "l";
    case DType::uint64: return "L";
    case DType::float16: return "e";
    case DType::float32: return "f";
    case DType::float64: return "g";
    case DType::complex64:
    case DType::complex128:
    case DType::bfloat16: return nullptr;
  }
  std::unreachable();
}

/// The format, after what can be refused has been refused.
const char* checked_format(PyObject* self) {
  const Array& array = as_ndarray(self)->array;
  require<ValueError>(array.view.ndim() == 1, "Arrow's arrays have one axis; this one has {}: use a row, or ravel()",
                      array.view.ndim());
  const char* format = arrow_format(array.dtype());
  require<TypeError>(format != nullptr, "Arrow has no {}: use its parts, or another dtype", name(array.dtype()));
  return format;
}

arrow::Schema make_schema(const char* format) {
  return {.format = format, .name = "", .release = [](arrow::Schema* schema) { schema->release = nullptr; }};
}

/// The elements of an array that was handed over.
struct Elements {
  Object memory;                // NumPy's array, which keeps the engine's memory at its address
  std::vector<uint8_t> bits;    // of booleans
  const void* buffers[2] = {};  // validity, of which there is none, and elements
};

void release_array(arrow::Array* array) {
  auto* elements = static_cast<Elements*>(std::exchange(array->private_data, nullptr));
  array->release = nullptr;
  if (!Py_IsInitialized()) return;  // the memory goes with the process
  const WithGil gil;
  delete elements;
}

arrow::Array make_array(PyObject* self) {
  auto elements = std::make_unique<Elements>();
  const Object numpys = owned(to_numpy(self));
  elements->memory =
      owned(PyArray_FROM_OF(numpys.get(), NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED));
  auto* memory = reinterpret_cast<PyArrayObject*>(elements->memory.get());
  const int64_t length = PyArray_SIZE(memory);
  elements->buffers[1] = PyArray_DATA(memory);
  if (as_ndarray(self)->array.dtype() == DType::boolean) {
    const auto* bytes = static_cast<const uint8_t*>(elements->buffers[1]);
    elements->bits.resize(static_cast<size_t>(length + 7) / 8);
    for (int64_t k = 0; k < length; ++k)
      elements->bits[static_cast<size_t>(k / 8)] |= static_cast<uint8_t>(bytes[k] << k % 8);
    elements->buffers[1] = elements->bits.data();
    elements->memory = Object();
  }
  arrow::Array array{.length = length, .n_buffers = 2, .buffers = elements->buffers, .release = release_array};
  array.private_data = elements.release();
  return array;
}

/// A stream of one chunk.
struct Chunks {
  const char* format;
  arrow::Array array;
  bool is_taken = false;
};

arrow::Stream make_arrow_stream(PyObject* self, const char* format) {
  arrow::Stream stream;
  stream.private_data = new Chunks{format, make_array(self)};
  stream.get_schema = [](arrow::Stream* self, arrow::Schema* schema) {
    *schema = make_schema(static_cast<Chunks*>(self->private_data)->format);
    return 0;
  };
  stream.get_next = [](arrow::Stream* self, arrow::Array* array) {
    auto* chunks = static_cast<Chunks*>(self->private_data);
    *array = chunks->is_taken ? arrow::Array{} : chunks->array;  // the end: an array that is released already
    chunks->is_taken = true;
    return 0;
  };
  stream.get_last_error = [](arrow::Stream*) -> const char* { return nullptr; };
  stream.release = [](arrow::Stream* self) {
    auto* chunks = static_cast<Chunks*>(self->private_data);
    if (!chunks->is_taken) chunks->array.release(&chunks->array);
    delete chunks;
    self->release = nullptr;
  };
  return stream;
}

/// A capsule that owns the structure, and releases what nobody has taken over.
template <class Structure>
Object make_capsule(const char* name, Structure structure) {
  auto* held = new Structure(std::move(structure));
  PyObject* capsule = PyCapsule_New(held, name, [](PyObject* self) {
    auto* structure = static_cast<Structure*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self)));
    if (structure->release) structure->release(structure);
    delete structure;
  });
  if (!capsule) {
    held->release(held);
    delete held;
  }
  return owned(capsule);
}

/// The protocol lets producers ignore the schema that a consumer would like, which then casts.
void check_arguments(const char* method, Py_ssize_t nargs, PyObject* names) {
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  bool is_known = nargs + named <= 1;
  for (Py_ssize_t k = 0; k < named; ++k)
    is_known &= PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, k), "requested_schema") == 0;
  require<TypeError>(is_known, "{}() takes requested_schema only", method);
}

}  // namespace

PyObject* export_arrow_schema(PyObject* self, PyObject*) {
  return guarded([&] { return make_capsule("arrow_schema", make_schema(checked_format(self))).release(); });
}

PyObject* export_arrow_array(PyObject* self, PyObject* const*, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    check_arguments("__arrow_c_array__", nargs, names);
    const Object schema = make_capsule("arrow_schema", make_schema(checked_format(self)));
    const Object array = make_capsule("arrow_array", make_array(self));
    return PyTuple_Pack(2, schema.get(), array.get());
  });
}

PyObject* export_arrow_stream(PyObject* self, PyObject* const*, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    check_arguments("__arrow_c_stream__", nargs, names);
    return make_capsule("arrow_array_stream", make_arrow_stream(self, checked_format(self))).release();
  });
}

}  // namespace tessera::bind
