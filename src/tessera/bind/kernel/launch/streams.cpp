// Streams, events and pinned memory for tessera.cuda; nothing of them exists where kernels run on the host.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/kernel/launch/user_stream.h"
#include "tessera/runtime/buffer.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

/// Runs body without the GIL where other threads may wait for it; the simulated device runs its work under it.
template <class Body>
void waiting(runtime::Family family, Body&& body) {
  if (family != runtime::Family::cuda) return body();
  const WithoutGil release;
  body();
}

/// A point in the work of a stream or of a device.
struct RecordedEvent {
  std::shared_ptr<const runtime::Event> event;
  runtime::Family family;

  void synchronize() const {
    waiting(family, [&] { event->wait(); });
  }
};

/// Memory of the host that a device pinned.
struct PinnedMemory {
  Ref<runtime::Buffer> buffer;
};

/// An object's memory as one piece in C order.
class HostMemory {
 public:
  HostMemory(nb::handle object, bool is_written) {
    const int wanted = PyBUF_C_CONTIGUOUS | (is_written ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object.ptr(), &buffer_, wanted) != 0) throw nb::python_error();
  }
  ~HostMemory() { PyBuffer_Release(&buffer_); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  char* data() const { return static_cast<char*>(buffer_.buf); }
  int64_t nbytes() const { return buffer_.len; }

 private:
  Py_buffer buffer_{};
};

runtime::Device* device_for_streams() { return Engine::instance().devices().for_streams(); }

/// Null where kernels run on the host.
std::optional<UserStream> make_user_stream(uintptr_t handle) {
  runtime::Device* device = device_for_streams();
  if (!device || !device->user_streams()) return std::nullopt;
  return UserStream{device->user_streams()->make(reinterpret_cast<void*>(handle))};
}

std::optional<RecordedEvent> record(runtime::Stream& stream, runtime::Family family) {
  return RecordedEvent{stream.record_timed(), family};
}

const Array& given_array(nb::handle object) {
  require<TypeError>(is_ndarray(object.ptr()), "needs tessera's arrays, not {}", Py_TYPE(object.ptr())->tp_name);
  return as_ndarray(object.ptr())->array;
}

void check_bytes(const Array& array, const HostMemory& memory) {
  const int64_t nbytes = array.view.size() * array.view.itemsize();
  require<ValueError>(nbytes == memory.nbytes(), "a copy of {} bytes to {}", memory.nbytes(), nbytes);
}

View dense_view(nb::handle shape, nb::handle dtype, const HostMemory& memory) {
  const std::optional<DType> known = to_dtype(dtype.ptr());
  require<TypeError>(known.has_value(), "a stream copies numbers");
  View view = View::contiguous(to_dims(shape.ptr()), *known);
  require<ValueError>(view.size() * view.itemsize() == memory.nbytes(), "a copy of {} bytes to {}", memory.nbytes(),
                      view.size() * view.itemsize());
  return view;
}

nb::object copy_in(UserStream& self, nb::handle shape, nb::handle dtype, nb::handle from) {
  const HostMemory memory(from, false);
  const View view = dense_view(shape, dtype, memory);
  return nb::steal(wrap(Engine::instance().devices().copy_in(*self.stream, memory.data(), view)));
}

nb::object copy_in_by_device(nb::handle shape, nb::handle dtype, nb::handle from) {
  const HostMemory memory(from, false);
  Array array = Engine::instance().devices().copy_in(memory.data(), dense_view(shape, dtype, memory));
  return array ? nb::steal(wrap(std::move(array))) : nb::none();
}

/// Null where kernels run on the host, and for what is no number.
nb::object empty_on_device(nb::handle shape, nb::handle dtype, bool in_fortran_order) {
  const std::optional<DType> known = to_dtype(dtype.ptr());
  if (!known) return nb::none();
  const Dims extents = to_dims(shape.ptr());
  checked_size(extents, itemsize(*known));
  Array array =
      Engine::instance().devices().empty(View::contiguous(extents, *known, in_fortran_order ? Order::f : Order::c));
  return array ? nb::steal(wrap(std::move(array))) : nb::none();
}

bool copy_into(UserStream& self, nb::handle to, nb::handle from) {
  const HostMemory memory(from, false);
  check_bytes(given_array(to), memory);
  return Engine::instance().devices().copy_in(*self.stream, memory.data(), given_array(to));
}

bool copy_out(UserStream& self, nb::handle from, nb::handle to) {
  const HostMemory memory(to, true);
  check_bytes(given_array(from), memory);
  return Engine::instance().devices().copy_out(*self.stream, given_array(from), memory.data());
}

bool copy_into_by_device(nb::handle to, nb::handle from) {
  const HostMemory memory(from, false);
  check_bytes(given_array(to), memory);
  return Engine::instance().devices().copy_in(memory.data(), given_array(to));
}

bool copy_out_by_device(nb::handle from, nb::handle to) {
  const HostMemory memory(to, true);
  check_bytes(given_array(from), memory);
  if (!Engine::instance().devices().copy_out(given_array(from), memory.data())) return false;
  finish_wait();
  return true;
}

/// The function's result.
nb::object call_together(nb::handle function, const std::string& name, nb::handle operands, double nanoseconds,
                         double operations) {
  std::vector<const Array*> arrays;
  double nbytes = 0;
  for (nb::handle operand : operands) {
    arrays.push_back(&given_array(operand));
    nbytes += static_cast<double>(arrays.back()->view.size() * arrays.back()->view.itemsize());
  }
  nb::object result;
  Engine::instance().call_together(arrays,
                                   {.op = name,
                                    .host_steps = nanoseconds / runtime::thread_count(),
                                    .device_bytes = nbytes,
                                    .device_operations = operations},
                                   [&] { result = function(); });
  return result;
}

void bind_user_stream(nb::module_& kernels) {
  nb::class_<UserStream>(kernels, "UserStream")
      .def_prop_ro("handle", [](UserStream& self) { return reinterpret_cast<uintptr_t>(self.stream->share()); })
      .def("synchronize",
           [](UserStream& self) {
             const std::shared_ptr<runtime::UserStream> held = self.stream;
             waiting(held->device().family(), [&] { held->stream().synchronize(); });
             held->release_done();
           })
      .def("record", [](UserStream& self) { return record(self.stream->stream(), self.stream->device().family()); })
      .def("wait_for",
           [](UserStream& self, const RecordedEvent& event) { self.stream->stream().wait_for(*event.event); })
      .def("copy_in", copy_in)
      .def("copy_into", copy_into)
      .def("copy_out", copy_out);
}

}  // namespace

void bind_streams(nb::module_& kernels) {
  bind_user_stream(kernels);
  nb::class_<RecordedEvent>(kernels, "RecordedEvent")
      .def("synchronize", &RecordedEvent::synchronize)
      .def("query", [](const RecordedEvent& self) { return self.event->is_done(); })
      .def("since", [](const RecordedEvent& self, const RecordedEvent& start) {
        require<ValueError>(self.family == start.family, "event_elapsed_time: the events are of different devices");
        return self.event->since(*start.event);
      });
  kernels.def(
      "runs_on_host", [] { return device_for_streams() == nullptr; },
      "Whether launches can run on the cores only; opens a device otherwise.");
  kernels.def(
      "call_together", call_together, nb::arg("function"), nb::arg("name"), nb::arg("operands"), nb::arg("nanoseconds"),
      nb::arg("operations"),
      "function()'s result. Where each operation may choose, all its launches run where one call on these arrays "
      "is done sooner; at first it is taken to need so many nanoseconds of one thread, or so many operations of a "
      "device.");
  kernels.def("make_stream", make_user_stream, nb::arg("handle") = 0);
  kernels.def("record", []() -> std::optional<RecordedEvent> {
    runtime::Device* device = device_for_streams();
    if (!device) return std::nullopt;
    Engine::instance().wait_for_host();  // launches of a block with another device may have run there
    return record(device->stream(), device->family());
  });
  kernels.def("wait_for", [](const RecordedEvent& event) {
    if (runtime::Device* device = device_for_streams()) device->stream().wait_for(*event.event);
  });
  kernels.def("empty", empty_on_device, nb::arg("shape"), nb::arg("dtype"), nb::arg("in_fortran_order") = false);
  kernels.def("copy_in", copy_in_by_device);
  kernels.def("copy_into", copy_into_by_device);
  kernels.def("copy_out", copy_out_by_device);
  nb::class_<PinnedMemory>(kernels, "PinnedMemory").def_prop_ro("address", [](const PinnedMemory& self) {
    return reinterpret_cast<uintptr_t>(self.buffer->data());
  });
  kernels.def("allocate_pinned", [](size_t nbytes) -> std::optional<PinnedMemory> {
    runtime::Device* device = device_for_streams();
    if (!device || !device->user_streams()) return std::nullopt;
    return PinnedMemory{device->user_streams()->allocate_pinned(nbytes)};
  });
  kernels.def("pin", [](uintptr_t address, size_t nbytes) {
    runtime::Device* device = device_for_streams();
    if (!device || !device->user_streams()) return false;
    device->user_streams()->pin(reinterpret_cast<char*>(address), nbytes);
    return true;
  });
  kernels.def("unpin", [](uintptr_t address) {
    runtime::Device* device = device_for_streams();
    if (device && device->user_streams()) device->user_streams()->unpin(reinterpret_cast<char*>(address));
  });
}

}  // namespace tessera::bind
