#include "tessera/bind/interop/dlpack.h"

#include <memory>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/arguments.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/index/store.h"
#include "tessera/bind/interop/dlpack_abi.h"
#include "tessera/bind/interop/foreign_device.h"
#include "tessera/bind/interop/pin.h"
#include "tessera/runtime/device.h"

namespace tessera::bind {

namespace {

using namespace dlpack;

constexpr const char* plain_name = "dltensor";
constexpr const char* versioned_name = "dltensor_versioned";

/// The data that an exported tensor points to. The consumer's deleter may run on any thread.
template <class Managed>
struct ExportedTensor {
  Managed managed{};
  Dims shape;
  Dims strides;
  Object pin;
  Object owner;

  static void free(Managed* managed) {
    if (!Py_IsInitialized()) return;
    const WithGil gil;
    std::unique_ptr<ExportedTensor>(static_cast<ExportedTensor*>(managed->context)).reset();
  }
};

DataType type_of(DType dtype) {
  auto bits = static_cast<uint8_t>(itemsize(dtype) * 8);
  if (is_boolean(dtype)) return {type_bool, bits, 1};
  if (dtype == DType::bfloat16) return {type_bfloat, bits, 1};
  if (is_signed_integer(dtype)) return {type_int, bits, 1};
  if (is_unsigned_integer(dtype)) return {type_uint, bits, 1};
  return {is_complex(dtype) ? type_complex : type_float, bits, 1};
}

Device device_id(const runtime::Device* device) {
  if (!device) return {device_cpu, 0};
  return {device->family() == runtime::Family::cuda ? device_cuda : device_extension, device->facts().number};
}

/// Exports from the device, or from the host when `device` is null.
template <class Managed>
std::unique_ptr<ExportedTensor<Managed>> make_export(const Array& array, PyObject* owner, runtime::Device* device) {
  auto exported = std::make_unique<ExportedTensor<Managed>>();
  exported->shape = array.shape();
  for (int64_t stride : array.view.strides) exported->strides.push_back(stride / array.view.itemsize());
  exported->pin = Object(device ? make_device_pin(array, *device) : make_pin(array));
  exported->owner = Object::borrowed(owner);
  Tensor& tensor = exported->managed.tensor;
  tensor.data = device ? Engine::instance().devices().on_device(array, *device)->data() + array.view.offset
                       : const_cast<char*>(synchronise(array));
  tensor.device = device_id(device);
  tensor.ndim = array.ndim();
  tensor.dtype = type_of(array.dtype());
  tensor.shape = exported->shape.data();
  tensor.strides = exported->strides.data();
  exported->managed.context = exported.get();
  exported->managed.deleter = ExportedTensor<Managed>::free;
  return exported;
}

/// A capsule that was not consumed still owns its tensor; a consumer renames the capsule.
template <class Managed>
void free_capsule(PyObject* capsule, const char* name) {
  if (!PyCapsule_IsValid(capsule, name)) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

template <class Managed>
PyObject* make_capsule(std::unique_ptr<ExportedTensor<Managed>> exported, const char* name,
                       PyCapsule_Destructor destructor) {
  PyObject* capsule = checked(PyCapsule_New(&exported->managed, name, destructor));
  exported.release();
  return capsule;
}

/// The device to export from: the array's device, unless the consumer requests the CPU. Sets `moved` when that needs a
/// copy.
runtime::Device* choose_device(const Array& array, PyObject* wanted_device, CopyChoice copy, bool& moved) {
  runtime::Device* device = Engine::instance().devices().device_of(array);
  if (is_none(wanted_device)) return device;
  const Dims wanted = to_dims(wanted_device);
  const Device have = device_id(device);
  if (wanted.size() == 2 && wanted[0] == have.type && wanted[1] == have.id) return device;
  const bool to_host = wanted.size() == 2 && wanted[0] == device_cpu && wanted[1] == 0;
  require<BufferError>(to_host && copy != CopyChoice::never, "unsupported device requested: the array lies on {}",
                       device ? "a device, and a copy was forbidden" : "the CPU");
  moved = true;
  return nullptr;
}

/// Makes the consumer's stream wait for the work that produces the elements; without a stream the host waits.
void order_consumer(runtime::Device& device, PyObject* stream) {
  if (void* other = to_stream(stream, "__dlpack__")) device.stream().let_other_wait(other);
}

}  // namespace

PyObject* export_dlpack(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
  return guarded([&] {
    Arguments arguments("__dlpack__", args, nargs, names);
    PyObject* stream = arguments.take("stream");
    PyObject* version = arguments.take("max_version");
    PyObject* wanted = arguments.take("dl_device");
    CopyChoice copy = to_copy_choice(arguments.take("copy"));
    arguments.finish(0);
    Array array = as_ndarray(self)->array;
    bool read_only = !as_ndarray(self)->writeable, moved = false;
    runtime::Device* device = choose_device(array, wanted, copy, moved);
    require<RuntimeError>(device || moved || is_none(stream), "NumPy only supports stream=None.");
    if (moved || copy == CopyChoice::always) {
      array = copy_array(array, array.dtype(), Order::k);
      read_only = false;
    }
    for (int axis = 0; axis < array.ndim(); ++axis) {
      require<BufferError>(array.shape()[axis] == 1 || array.view.strides[axis] % array.view.itemsize() == 0,
                           "DLPack needs strides that are a multiple of the element's size");
    }
    bool versioned = !is_none(version) && PyTuple_Check(version) && PyTuple_GET_SIZE(version) == 2 &&
                     to_int(PyTuple_GET_ITEM(version, 0)) >= 1;
    if (!versioned) {
      require<BufferError>(!read_only,
                           "Cannot export readonly array since signalling readonly is unsupported by DLPack "
                           "(supported by newer DLPack version).");
      auto exported = make_export<ManagedTensor>(array, self, device);
      if (device) order_consumer(*device, stream);
      return make_capsule(std::move(exported), plain_name,
                          [](PyObject* capsule) { free_capsule<ManagedTensor>(capsule, plain_name); });
    }
    auto exported = make_export<ManagedTensorVersioned>(array, self, device);
    if (device) order_consumer(*device, stream);
    exported->managed.version = {1, 0};
    exported->managed.flags =
        (read_only ? flag_read_only : 0) | (copy == CopyChoice::always || moved ? flag_is_copied : 0);
    return make_capsule(std::move(exported), versioned_name,
                        [](PyObject* capsule) { free_capsule<ManagedTensorVersioned>(capsule, versioned_name); });
  });
}

PyObject* dlpack_device(PyObject* self, PyObject*) {
  return guarded([&] {
    const Device id = device_id(Engine::instance().devices().device_of(as_ndarray(self)->array));
    deliver_reports();
    return Py_BuildValue("(ii)", id.type, id.id);
  });
}

}  // namespace tessera::bind
