#include <nanobind/nanobind.h>

#include <memory>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/interop/dlpack_abi.h"
#include "tessera/bind/interop/foreign_device.h"
#include "tessera/runtime/device.h"

namespace nb = nanobind;

namespace tessera::bind {

namespace {

using namespace dlpack;

std::optional<DType> dtype_of_dlpack(DataType type) {
  if (type.lanes != 1) return std::nullopt;
  for (int i = 0; i < dtype_count; ++i) {
    auto dtype = static_cast<DType>(i);
    if (itemsize(dtype) * 8 != type.bits) continue;
    bool same = is_boolean(dtype)            ? type.code == type_bool
                : dtype == DType::bfloat16   ? type.code == type_bfloat
                : is_signed_integer(dtype)   ? type.code == type_int
                : is_unsigned_integer(dtype) ? type.code == type_uint
                : is_complex(dtype)          ? type.code == type_complex
                                             : type.code == type_float;
    if (same) return dtype;
  }
  return std::nullopt;
}

/// The device that owns the memory; null for the host.
runtime::Device* device_of(const Device& device) {
  switch (device.type) {
    case device_cpu:
    case device_cuda_host: return nullptr;
    case device_cuda:
    case device_cuda_managed: return &runtime::device(device.id);
    case device_extension: {
      if (runtime::Device* simulated = Engine::instance().devices().simulated_device(device.id)) return simulated;
    }
  }
  throw BufferError(format("Unsupported device in DLTensor: memory of kind {} is not known here", device.type));
}

/// An array over the tensor's memory; `release` runs when the last reference to the array is dropped.
nb::object adopt_tensor(const Tensor& tensor, bool read_only, std::function<void()> release) {
  auto dtype = dtype_of_dlpack(tensor.dtype);
  require<BufferError>(dtype.has_value(), "Unsupported dtype in DLTensor: code {}, {} bits, {} lanes",
                       int{tensor.dtype.code}, int{tensor.dtype.bits}, tensor.dtype.lanes);
  auto ndim = static_cast<size_t>(tensor.ndim);
  View view = View::contiguous({tensor.shape, ndim}, *dtype);
  if (tensor.strides) {
    for (size_t k = 0; k < ndim; ++k) view.strides[k] = tensor.strides[k] * itemsize(*dtype);
  }
  char* first = static_cast<char*>(tensor.data) + tensor.byte_offset;
  if (runtime::Device* device = device_of(tensor.device)) {
    return nb::steal(
        checked(wrap(borrow_view(*device, first, view, !read_only, std::move(release)), nullptr, !read_only)));
  }
  auto [low, high] = view.byte_range();
  view.offset = -low;
  char* start = first + low;
  Array array = Engine::instance().wrap(start, high - low, view, !read_only, std::move(release));
  return nb::steal(checked(wrap(std::move(array), nullptr, !read_only)));
}

template <class Managed>
nb::object consume(PyObject* capsule, const char* name, const char* used_name, bool read_only) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  if (!managed) throw ErrorAlreadySet();
  nb::object array = adopt_tensor(managed->tensor, read_only, [managed] {
    if (managed->deleter) managed->deleter(managed);
  });
  checked(PyCapsule_SetName(capsule, used_name));
  return array;
}

/// Requests a versioned capsule first; producers from before DLPack 1.0 do not accept these arguments.
nb::object ask(nb::handle x, nb::handle copy, bool on_cpu) {
  nb::object method = x.attr("__dlpack__");
  nb::dict options;
  // The producer makes our stream wait for the work it has queued on its device.
  if (nb::hasattr(x, "__dlpack_device__")) {
    const nb::tuple id = nb::borrow<nb::tuple>(x.attr("__dlpack_device__")());
    const Device where{nb::cast<int32_t>(nb::int_(id[0])), nb::cast<int32_t>(nb::int_(id[1]))};
    runtime::Device* device = device_of(where);
    if (device && on_cpu) options["dl_device"] = nb::make_tuple(device_cpu, 0);
    if (device && !on_cpu) options["stream"] = reinterpret_cast<uintptr_t>(device->stream().handle());
  }
  options["max_version"] = nb::make_tuple(1, 0);
  if (!copy.is_none()) options["copy"] = copy;
  nb::tuple none = nb::make_tuple();
  PyObject* capsule = PyObject_Call(method.ptr(), none.ptr(), options.ptr());
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    nb::dict plain;
    if (options.contains("stream")) plain["stream"] = options["stream"];
    capsule = PyObject_Call(method.ptr(), none.ptr(), plain.ptr());
  }
  return nb::steal(checked(capsule));
}

nb::object from_dlpack(nb::handle x, nb::handle device, nb::handle copy) {
  const bool cpu =
      !device.is_none() && PyUnicode_Check(device.ptr()) && PyUnicode_CompareWithASCIIString(device.ptr(), "cpu") == 0;
  if (!device.is_none() && !cpu) throw ValueError("from_dlpack: only device=\"cpu\" is known here");
  nb::object capsule = ask(x, copy, cpu);
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    auto* managed = static_cast<ManagedTensorVersioned*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    require<BufferError>(managed->version.major == 1, "DLPack version {}.{} is not known here", managed->version.major,
                         managed->version.minor);
    return consume<ManagedTensorVersioned>(capsule.ptr(), "dltensor_versioned", "used_dltensor_versioned",
                                           managed->flags & flag_read_only);
  }
  // An unversioned capsule does not tell whether the memory may be written.
  return consume<ManagedTensor>(capsule.ptr(), "dltensor", "used_dltensor", true);
}

}  // namespace

void bind_dlpack(nb::module_& m) {
  m.def("from_dlpack", from_dlpack, nb::arg("x"), nb::kw_only(), nb::arg("device").none() = nb::none(),
        nb::arg("copy").none() = nb::none(), "An array over the memory of an object that speaks DLPack.");
}

}  // namespace tessera::bind
