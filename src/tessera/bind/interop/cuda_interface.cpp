#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/convert/numpy_api.h"
#include "tessera/bind/convert/numpy_copy.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/interop/foreign_device.h"
#include "tessera/bind/scalar/lazy_scalar.h"
#include "tessera/runtime/device.h"

namespace tessera::bind {

namespace {

Object interface_entry(PyObject* interface, const char* key) {
  PyObject* value = PyDict_GetItemString(interface, key);
  return Object::borrowed(value ? value : Py_None);
}

DType dtype_of_typestr(PyObject* typestr) {
  require<TypeError>(PyUnicode_Check(typestr), "__cuda_array_interface__: typestr must be a string");
  PyArray_Descr* descriptor = nullptr;
  if (!PyArray_DescrConverter(typestr, &descriptor)) throw ErrorAlreadySet();
  const Object keep(reinterpret_cast<PyObject*>(descriptor));
  const auto dtype = dtype_of_descriptor(keep.get());
  require<TypeError>(dtype && is_native(keep.get()),
                     "__cuda_array_interface__: the engine has no dtype for this typestr");
  return *dtype;
}

/// The device of an address. Where work runs on a simulated device, that one for addresses that are no device's.
runtime::Device& device_at(const void* address) {
  if (runtime::Device* simulated = Engine::instance().devices().simulated_device_at(address)) return *simulated;
  runtime::Device* device = runtime::device_of_address(address);
  require<BufferError>(device != nullptr, "__cuda_array_interface__: no GPU of this process has the address");
  return *device;
}

View view_of_interface(PyObject* interface, DType dtype) {
  const Dims shape = to_dims(interface_entry(interface, "shape").get());
  for (int64_t extent : shape)
    require<ValueError>(extent >= 0, "__cuda_array_interface__: no axis has {} elements", extent);
  View view = View::contiguous(shape, dtype);
  const Object strides = interface_entry(interface, "strides");
  if (strides.get() != Py_None) view.strides = to_dims(strides.get());
  require<ValueError>(view.strides.size() == view.shape.size(), "__cuda_array_interface__: {} strides for {} axes",
                      view.strides.size(), view.shape.size());
  return view;
}

}  // namespace

std::function<void()> dropping(PyObject* object) {
  PyObject* keep = Py_NewRef(object);
  return [keep] {
    if (!Py_IsInitialized()) return;
    const WithGil gil;
    Py_DECREF(keep);
  };
}

void* to_stream(PyObject* stream, const char* what) {
  constexpr int64_t legacy_default = 1;
  const int64_t number = is_none(stream) ? legacy_default : to_int(stream);
  require<ValueError>(number != 0,
                      "{}: stream 0 could mean two streams; 1 is the legacy default stream, 2 the one of the thread",
                      what);
  require<ValueError>(number >= -1, "{}: stream {} is none", what, number);
  return number == -1 ? nullptr : reinterpret_cast<void*>(number);
}

Array borrow_view(runtime::Device& device, char* first, View view, bool writable, std::function<void()> release) {
  auto [low, high] = view.byte_range();
  view.offset = -low;
  return Engine::instance().devices().borrow(device, first + low, high - low, std::move(view), writable,
                                             std::move(release));
}

std::optional<Array> share_cuda_array(PyObject* object) {
  static constinit Interned name("__cuda_array_interface__");
  if (PyArray_Check(object) || PyList_CheckExact(object) || PyTuple_CheckExact(object) || PyUnicode_Check(object) ||
      PyType_Check(object) || is_lazy(object)) {
    return std::nullopt;
  }
  const Object interface(PyObject_GetAttr(object, name));
  if (!interface) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw ErrorAlreadySet();
    PyErr_Clear();
    return std::nullopt;
  }
  if (!PyDict_Check(interface.get())) return std::nullopt;
  require<NotImplementedError>(interface_entry(interface.get(), "mask").get() == Py_None,
                               "__cuda_array_interface__: masked arrays are not known here");
  const View view =
      view_of_interface(interface.get(), dtype_of_typestr(interface_entry(interface.get(), "typestr").get()));
  const Object data = interface_entry(interface.get(), "data");
  require<TypeError>(PyTuple_Check(data.get()) && PyTuple_GET_SIZE(data.get()) == 2,
                     "__cuda_array_interface__: data must be a pair");
  if (view.size() == 0) return Engine::instance().empty(view.shape, view.dtype);
  auto* address = static_cast<char*>(PyLong_AsVoidPtr(PyTuple_GET_ITEM(data.get(), 0)));
  if (PyErr_Occurred()) throw ErrorAlreadySet();
  const int read_only = PyObject_IsTrue(PyTuple_GET_ITEM(data.get(), 1));
  if (read_only < 0) throw ErrorAlreadySet();
  runtime::Device& device = device_at(address);
  // Without a stream there is nothing to wait for.
  const Object stream = interface_entry(interface.get(), "stream");
  if (stream.get() != Py_None) device.stream().wait_for_other(to_stream(stream.get(), "__cuda_array_interface__"));
  return borrow_view(device, address, view, !read_only, dropping(object));
}

PyObject* cuda_array_interface(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    NdArray* ndarray = as_ndarray(self);
    const Array& array = ndarray->array;
    Engine& engine = Engine::instance();
    runtime::Device* device = engine.devices().device_of(array);
    if (!device && array.storage->pins == 0) device = engine.devices().chosen_device();
    if (!device || array.dtype() == DType::bfloat16) {
      PyErr_SetString(PyExc_AttributeError, device ? "the CUDA array interface cannot describe bfloat16"
                                                   : "the array is not on a GPU: it has no __cuda_array_interface__");
      throw ErrorAlreadySet();
    }
    // The consumer does not report when it stops using the address, so the memory stays at its address until it is
    // freed.
    if (!engine.devices().is_lent(array)) engine.devices().lend(array, *device);
    deliver_reports();
    const Ref<runtime::Buffer> buffer = engine.devices().on_device(array, *device);
    const View& view = array.view;
    const Object descriptor = owned(from_dtype(view.dtype));
    const Object typestr = owned(PyObject_GetAttrString(descriptor.get(), "str"));
    const Object strides = view.is_c_contiguous() ? Object::borrowed(Py_None) : owned(make_tuple(view.strides));
    const auto address = reinterpret_cast<unsigned long long>(buffer->data() + view.offset);
    const auto stream = reinterpret_cast<unsigned long long>(device->stream().lend());
    return Py_BuildValue("{s:N,s:O,s:(KO),s:O,s:K,s:i}", "shape", checked(make_tuple(view.shape)), "typestr",
                         typestr.get(), "data", view.size() ? address : 0ULL, ndarray->writeable ? Py_False : Py_True,
                         "strides", strides.get(), "stream", stream, "version", 3);
  });
}

}  // namespace tessera::bind
