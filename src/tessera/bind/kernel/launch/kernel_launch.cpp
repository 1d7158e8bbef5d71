#include "tessera/bind/kernel/launch/kernel_launch.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/kernel/launch/fault_text.h"
#include "tessera/bind/kernel/launch/launch_extents.h"
#include "tessera/bind/kernel/launch/user_stream.h"
#include "tessera/bind/kernel/type_words.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

std::string name_of(nb::handle kernel) { return LaunchName(kernel).get(); }

/// Those that are passed, and those that the kernel has besides.
std::vector<Array> all_arrays(const CompiledKernel& compiled, std::span<const Array> arrays) {
  std::vector<Array> all(arrays.begin(), arrays.end());
  if (compiled.report) compiled.report->append_to(all);
  all.insert(all.end(), compiled.constants.begin(), compiled.constants.end());
  return all;
}

/// Waits, and throws what the kernel has raised or done wrong.
void launch_checked(const CompiledKernel& compiled, LaunchShape shape, std::span<const Array> arrays,
                    std::span<const Scalar> scalars) {
  engine::AccessCheck check;
  shape.check = &check;
  Engine::instance().launch(compiled.kernel, shape, all_arrays(compiled, arrays), scalars);
  if (compiled.report) compiled.report->note_launch(compiled.report);
  std::vector<std::string> faults;
  for (const engine::AccessFault& fault : check.finish())
    faults.push_back(describe_fault(fault, *compiled.accesses, check.extents()));
  if (!faults.empty()) throw_faults(compiled.kernel->name, faults);
}

}  // namespace

bool GivenArguments::add(PyObject* object) {
  if (is_ndarray(object)) {
    const Array& array = as_ndarray(object)->array;
    types.push_back(type_word(ArgumentKind::array, array.view.dtype, static_cast<size_t>(array.view.ndim())));
    arrays.push_back(array);
    return true;
  }
  return add_without_array(*this, object);
}

const CompiledKernel* Specializations::find(const std::vector<uint32_t>& types) const {
  const auto known = std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.types == types; });
  return known == entries_.end() ? nullptr : &known->compiled;
}

const CompiledKernel& Specializations::add(std::vector<uint32_t> types, CompiledKernel compiled) {
  entries_.push_back({std::move(types), std::move(compiled)});
  return entries_.back().compiled;
}

KernelLaunch::KernelLaunch(nb::object kernel, Specializations& known, nb::handle configuration)
    : kernel_(std::move(kernel)), known_(known) {
  const size_t given = PyTuple_Check(configuration.ptr()) ? nb::len(configuration) : 0;
  require<ValueError>(given >= 2 && given <= 4,
                      "{}[...] takes a grid, a block and optionally a stream and bytes of shared memory",
                      name_of(kernel_));
  shape_.grid = extents_of(LaunchName(kernel_), configuration[0], "grid");
  shape_.block = extents_of(LaunchName(kernel_), configuration[1], "block");
  if (given >= 3 && !is_zero_or_none(configuration[2])) take_stream(configuration[2]);
  if (given == 4 && !is_zero_or_none(configuration[3]))
    shape_.shared_bytes =
        extent_of(LaunchName(kernel_), configuration[3], configuration[3], "size of the shared memory");
}

void KernelLaunch::take_stream(nb::handle stream) {
  const nb::object held = nb::getattr(stream, "_user_stream", nb::handle());
  require<TypeError>(held.is_valid() && (held.is_none() || nb::isinstance<UserStream>(held)),
                     "{}: {} is no stream; cuda.stream() makes one, and 0 is the default", name_of(kernel_),
                     nb::cast<std::string>(nb::repr(stream)));
  stream_ = held;
  if (!stream_.is_none()) shape_.stream = nb::cast<UserStream&>(stream_).stream.get();
}

void KernelLaunch::call(PyObject* given_arguments, PyObject* named) const {
  if (known_.is_stale()) kernel_.attr("_forget")();
  nb::tuple arguments = nb::borrow<nb::tuple>(given_arguments);
  const bool has_names = named && PyDict_GET_SIZE(named) > 0;
  if (has_names || PyTuple_GET_SIZE(given_arguments) != known_.positional()) {
    const nb::dict names = has_names ? nb::borrow<nb::dict>(named) : nb::dict();
    arguments = nb::cast<nb::tuple>(kernel_.attr("_arrange")(*arguments, **names));
  }
  GivenArguments given;
  given.types.reserve(arguments.size());
  given.arrays.reserve(arguments.size());
  for (nb::handle argument : arguments) {
    if (given.add(argument.ptr())) continue;
    kernel_.attr("_launch_copies")(nb::cast(*this), arguments);
    return;
  }
  const CompiledKernel* compiled = known_.find(given.types);
  if (!compiled) {
    const nb::object made = kernel_.attr("_compile_for")(arguments);
    compiled = &known_.add(std::move(given.types), nb::cast<CompiledKernel&>(made));
  }
  launch_kernel(*compiled, shape_, given.arrays, given.scalars);
}

void launch_kernel(const CompiledKernel& compiled, LaunchShape shape, std::span<const Array> arrays,
                   std::span<Scalar> scalars) {
  shape.names = &compiled.array_names;
  const std::vector<DType>& wanted = compiled.kernel->scalars;
  for (size_t k = 0; k < std::min(scalars.size(), wanted.size()); ++k)
    if (scalars[k].dtype != wanted[k]) scalars[k] = scalars[k].cast_to(wanted[k]);
  std::vector<Scalar> given;
  if (compiled.reads_shared_bytes) {
    given.assign(scalars.begin(), scalars.end());
    given.push_back(Scalar::of_int(DType::int64, shape.shared_bytes));
    scalars = given;
  }
  if (compiled.accesses) return launch_checked(compiled, shape, arrays, scalars);
  if (compiled.constants.empty() && !compiled.report)
    return Engine::instance().launch(compiled.kernel, shape, arrays, scalars);
  Engine::instance().launch(compiled.kernel, shape, all_arrays(compiled, arrays), scalars);
  if (compiled.report) compiled.report->note_launch(compiled.report);
}

}  // namespace tessera::bind
