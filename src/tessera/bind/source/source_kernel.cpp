#include "tessera/bind/source/source_kernel.h"

#include "tessera/base/error.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/kernel/launch/launch_extents.h"
#include "tessera/bind/kernel/launch/launch_report.h"
#include "tessera/bind/kernel/launch/user_stream.h"
#include "tessera/bind/source/source_arguments.h"
#include "tessera/engine/engine.h"
#include "tessera/engine/kernels/program_launch.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

/// False where some argument needs preparation.
bool add_all(SourceArguments& to, PyObject* arguments, Py_ssize_t count) {
  for (Py_ssize_t k = 0; k < count; ++k)
    if (!to.add(static_cast<size_t>(k), PySequence_Fast_GET_ITEM(arguments, k))) return false;
  return true;
}

Object sequence_of(const kernel::KernelParameters& parameters, nb::handle arguments) {
  require<TypeError>(PyTuple_Check(arguments.ptr()) || PyList_Check(arguments.ptr()),
                     "{}: the arguments are a tuple, not {}", parameters.kernel(), Py_TYPE(arguments.ptr())->tp_name);
  Object sequence = owned(PySequence_Fast(arguments.ptr(), "arguments"));
  parameters.check_count(static_cast<size_t>(PySequence_Fast_GET_SIZE(sequence.get())));
  return sequence;
}

}  // namespace

SourceKernel::SourceKernel(kernel::KernelParameters parameters, std::shared_ptr<runtime::Program> on_device,
                           const LoadedModule* loaded)
    : parameters_(std::move(parameters)), program_(std::move(on_device)) {
  if (!program_) return;
  device_ = loaded->device, prints_ = loaded->prints, is_checked_ = loaded->is_checked;
  most_threads_ = program_->attribute(runtime::ProgramAttribute::max_threads_per_block);
  static_shared_bytes_ = program_->attribute(runtime::ProgramAttribute::shared_bytes);
}

void SourceKernel::take_stream(LaunchShape& shape, nb::handle stream) const {
  if (is_zero_or_none(stream)) return;
  if (!nb::hasattr(stream, "_user_stream"))
    throw TypeError(format("{}: {} is no stream; cuda.stream() makes one, and None is the default",
                           parameters_.kernel(), nb::repr(stream).c_str()));
  const nb::object users = stream.attr("_user_stream");
  if (!users.is_none()) shape.stream = nb::cast<UserStream&>(users).stream.get();
}

SourceKernel::Outcome SourceKernel::launch(nb::handle grid, nb::handle block, nb::handle arguments,
                                           nb::handle shared_bytes, nb::handle stream, bool is_cooperative) const {
  if (!program_ || (!is_checked_ && Engine::instance().devices().for_streams() != device_))
    return Outcome::other_device;
  const LaunchName given_to(parameters_.kernel());
  LaunchShape shape{.grid = extents_of(given_to, grid, "grid"), .block = extents_of(given_to, block, "block")};
  if (!is_zero_or_none(shared_bytes))
    shape.shared_bytes = extent_of(given_to, shared_bytes, shared_bytes, "size of the shared memory");
  take_stream(shape, stream);
  const Object sequence = sequence_of(parameters_, arguments);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence.get());
  SourceArguments given(parameters_, static_cast<size_t>(count));
  if (!add_all(given, sequence.get(), count)) return Outcome::needs_preparation;
  launch(shape, given, is_cooperative);
  return Outcome::launched;
}

void SourceKernel::launch(const LaunchShape& shape, const SourceArguments& given, bool is_cooperative) const {
  if (prints_) begin_printing_launch();
  Engine::instance().launch_program({.name = parameters_.kernel(),
                                     .device = device_,
                                     .program = *program_,
                                     .shape = shape,
                                     .is_cooperative = is_cooperative,
                                     .most_threads = most_threads_,
                                     .static_shared_bytes = static_shared_bytes_,
                                     .arrays = given.arrays(),
                                     .writes = given.writes(),
                                     .values = given.values(),
                                     .pointers = given.pointers()});
  if (prints_) note_printing_launch();
}

bool SourceKernel::check(nb::handle arguments) const {
  const Object sequence = sequence_of(parameters_, arguments);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence.get());
  SourceArguments given(parameters_, static_cast<size_t>(count));
  return add_all(given, sequence.get(), count);
}

}  // namespace tessera::bind
