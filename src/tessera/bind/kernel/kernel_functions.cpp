// Kernels for tessera.cuda: functions, their specialisations, launches.
#include "tessera/bind/kernel/host/host_call_counts.h"
#include "tessera/bind/kernel/kernel_function.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/convert/convert.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/kernel/calls/callback.h"
#include "tessera/bind/kernel/calls/compiled_function.h"
#include "tessera/bind/kernel/environment.h"
#include "tessera/bind/kernel/host/host_object.h"
#include "tessera/bind/kernel/launch/kernel_launch.h"
#include "tessera/bind/kernel/launch/launch_extents.h"
#include "tessera/bind/kernel/launch/user_stream.h"
#include "tessera/bind/kernel/objects/type_object.h"
#include "tessera/bind/kernel/overloads.h"
#include "tessera/bind/kernel/syntax_tree.h"
#include "tessera/engine/kernels/access_check.h"
#include "tessera/engine/kernels/kernel_text.h"
#include "tessera/engine/source/linked_code.h"
#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/desugar/desugar.h"
#include "tessera/kernel/infer/infer.h"
#include "tessera/kernel/passes/overwritten.h"
#include "tessera/kernel/typed/typed_text.h"
#include "tessera/library/code_linker.h"
#include "tessera/runtime/device.h"

namespace tessera::bind {

namespace nb = nanobind;

using kernel::CompileOptions;

namespace {

const PythonEnvironment environment;

/// The dtype of a number's type; nothing for others.
std::optional<DType> number_of(nb::handle type) {
  if (type.is_none() || !nb::cast<const TypeObject&>(type).type().is_scalar()) return std::nullopt;
  return nb::cast<const TypeObject&>(type).type()->dtype;
}

/// Of (types of the parameters, type of the result or None).
kernel::Signature to_signature(nb::handle described) {
  kernel::Signature signature;
  size_t place = 0;
  for (nb::handle parameter : described[0]) {
    signature.parameters.push_back(number_of(parameter));
    if (nb::hasattr(parameter, "nargs")) {
      const nb::object of = parameter.attr("signature");
      signature.functions[place] =
          std::make_shared<const kernel::Signature>(to_signature(nb::make_tuple(of.attr("args"), of.attr("result"))));
    }
    ++place;
  }
  signature.result = number_of(described[1]);
  return signature;
}

KernelFunction make_function(nb::handle tree, std::string file, std::vector<std::string> lines, int first_line,
                             nb::object resolve, nb::dict defaults, int rest, nb::handle signatures,
                             const std::vector<std::string>& converted) {
  auto function = std::make_shared<kernel::Function>();
  function->tree = tree_of(tree);
  function->file = std::move(file);
  function->lines = std::move(lines);
  function->first_line = first_line;
  for (auto [name, value] : defaults) function->defaults[nb::cast<std::string>(name)] = to_entity(value);
  function->rest = rest;
  for (nb::handle one : signatures) function->signatures.push_back(to_signature(one));
  function->globals = [resolve](const std::string& dotted) { return to_entity(resolve(dotted)); };
  kernel::desugar(*function, {converted.begin(), converted.end()});
  return {std::move(function)};
}

/// The elements of a constant array where the engine has them.
Array array_of(const kernel::ConstantArray& constant) {
  if (constant.held) return *static_cast<const Array*>(constant.held.get());
  Engine& engine = Engine::instance();
  Array array = engine.empty(constant.shape, constant.dtype);
  if (!constant.bytes.empty()) std::memcpy(engine.write(array), constant.bytes.data(), constant.bytes.size());
  return array;
}

/// Whether the kernel writes elements of each of its arrays, in order.
std::vector<bool> writes_of(const ir::Kernel& kernel) {
  std::vector<bool> writes;
  for (const ir::BufferParam& buffer : kernel.buffers) writes.push_back(buffer.writable);
  return writes;
}

/// Whether it repeats anything, or calls what may.
bool has_loops(const ir::Kernel& kernel) {
  return std::ranges::any_of(kernel.instructions, [](const ir::Instruction& i) {
    switch (i.op) {
      case ir::Opcode::for_:
      case ir::Opcode::while_:
      case ir::Opcode::reduce:
      case ir::Opcode::call:
      case ir::Opcode::call_host: return true;
      default: return false;
    }
  });
}

std::vector<bool> reads_of(const CompiledKernel& compiled) {
  std::vector<bool> reads;
  for (const ir::BufferParam& buffer : compiled.kernel->buffers) reads.push_back(buffer.readable);
  return reads;
}

/// The arrays that the threads of a block share.
int64_t shared_bytes_of(const CompiledKernel& compiled) {
  int64_t bytes = 0;
  for (const ir::ArrayDecl& array : compiled.kernel->arrays)
    if (array.shared) bytes += array.size * itemsize(array.dtype);
  return bytes;
}

/// The arrays that each thread has for itself.
int64_t local_bytes_of(const CompiledKernel& compiled) {
  int64_t bytes = 0;
  for (const ir::ArrayDecl& array : compiled.kernel->arrays)
    if (!array.shared) bytes += array.size * itemsize(array.dtype);
  return bytes;
}

/// What the driver says of the kernel's program, compiled for blocks of so many threads; None where there is no GPU.
nb::object attribute_of(const CompiledKernel& compiled, int number, int64_t threads) {
  const auto loaded = Engine::instance().devices().load_kernel(compiled.kernel, threads);
  if (!loaded.program) return nb::none();
  return nb::cast(loaded.program->attribute(static_cast<runtime::ProgramAttribute>(number)));
}

int64_t most_blocks(const CompiledKernel& compiled, nb::handle block, int64_t shared_bytes) {
  int64_t threads = 1;
  for (int64_t extent : extents_of(LaunchName(compiled.kernel->name), block, "block")) threads *= extent;
  return Engine::instance().devices().blocks_that_meet(compiled.kernel, threads, shared_bytes);
}

/// Options of a kernel's code on a device, by name.
ir::DeviceOptions device_options(nb::dict options) {
  const auto number = [&](const char* name, int otherwise) {
    return options.contains(name) ? static_cast<int16_t>(nb::cast<int>(options[name]))
                                  : static_cast<int16_t>(otherwise);
  };
  return {.max_registers = number("max_registers", 0),
          .max_threads = number("max_threads", 0),
          .min_blocks = number("min_blocks", 0),
          .max_cluster = number("max_cluster", 0),
          .carveout = number("carveout", -1),
          .optimization = static_cast<int8_t>(number("optimization", -1))};
}

void bind_options(nb::module_& kernels) {
  nb::class_<CompileOptions>(kernels, "CompileOptions", "How a function is compiled.")
      .def(
          "__init__",
          [](CompileOptions* self, bool is_function, bool is_device, bool is_parallel, bool may_overlap,
             bool checks_bounds, bool checks_accesses, bool has_lines, bool raises_on_zero, bool fast_math,
             bool contracts, nb::dict device) {
            new (self) CompileOptions{.is_function = is_function,
                                      .is_device = is_device,
                                      .is_parallel = is_parallel,
                                      .may_overlap = may_overlap,
                                      .checks_bounds = checks_bounds,
                                      .checks_accesses = checks_accesses,
                                      .ends_launch = checks_accesses,
                                      .checks_races = is_function && checks_bounds && is_parallel,
                                      .has_lines = has_lines,
                                      .raises_on_zero = raises_on_zero,
                                      .fast_math = fast_math,
                                      .device = device_options(std::move(device)),
                                      .contracts = contracts};
          },
          nb::kw_only(), nb::arg("is_function") = false, nb::arg("is_device") = false, nb::arg("is_parallel") = false,
          nb::arg("may_overlap") = false, nb::arg("checks_bounds") = false, nb::arg("checks_accesses") = false,
          nb::arg("has_lines") = false, nb::arg("raises_on_zero") = false, nb::arg("fast_math") = false,
          nb::arg("contracts") = true, nb::arg("device") = nb::dict());
}

/// The text of a function that other code on a device calls, and the dtype of its result, or None.
std::pair<std::string, nb::object> device_function(const KernelFunction& self, nb::handle types, nb::handle result,
                                                   std::string name, bool is_numbas, const CompileOptions& options,
                                                   int capability) {
  const std::string& own = self.function->name();
  const kernel::Compiled compiled = kernel::compile(*self.function, resolved_types(types), environment, options);
  require<NotImplementedError>(!compiled.reports && !compiled.prints && !compiled.calls_host && compiled.heaps.empty(),
                               "{}: device functions that raise, print, draw or make arrays have no code of their own",
                               own);
  const size_t buffers = compiled.kernel->buffers.size();
  require<NotImplementedError>(buffers == 1 && compiled.constants.empty(),
                               "{}: device functions whose code is their own take numbers and read no other arrays",
                               own);
  const bool has_result = compiled.result->kind != kernel::TypeKind::none;
  require<NotImplementedError>(!has_result || compiled.result.is_scalar(),
                               "{}: device functions whose code is their own return a number or nothing", own);
  CallConvention convention{.name = std::move(name), .is_numbas = is_numbas};
  if (has_result) {
    convention.result = result.is_none() ? compiled.result->dtype : needed_dtype(result);
    convention.computed = kernel::word_dtype(compiled.result->dtype);
    require<TypeError>(is_complex(*convention.result) || !is_complex(compiled.result->dtype),
                       "{}: it returns a complex number, its signature {}", own, tessera::name(*convention.result));
  }
  const std::string text = function_ptx_of(compiled.kernel, capability, convention);
  if (!has_result) return {text, nb::none()};
  return {text, nb::steal(from_dtype(*convention.result))};
}

/// The arrays outside the kernel that it reads.
int64_t constant_bytes_of(const CompiledKernel& compiled) {
  int64_t bytes = 0;
  for (const Array& array : compiled.constants) bytes += array.view.size() * array.view.itemsize();
  return bytes;
}

/// What Python declared the functions in other code by that the kernel calls.
nb::list foreign_of(const CompiledKernel& compiled) {
  nb::list all;
  for (const auto& called : compiled.foreign)
    all.append(nb::borrow(static_cast<const PythonFunction&>(*called->declared).function()));
  return all;
}

/// Has the kernel linked with code, given as (kind, name, bytes), when it is compiled for a device.
void link(CompiledKernel& compiled, const std::vector<std::tuple<std::string, std::string, nb::bytes>>& parts,
          bool has_debug_info, bool has_line_info) {
  engine::LinkedCode given{.has_debug_info = has_debug_info, .has_line_info = has_line_info};
  for (const auto& [kind, name, code] : parts)
    given.parts.push_back({.kind = library::link_kind(kind), .name = name, .code = {code.c_str(), code.size()}});
  ir::Kernel linked = *compiled.kernel;
  linked.linked = engine::keep_linked_code(std::move(given));
  compiled.kernel = std::make_shared<const ir::Kernel>(std::move(linked));
}

std::vector<DType> to_dtypes(nb::handle list) {
  std::vector<DType> dtypes;
  for (nb::handle one : list) dtypes.push_back(needed_dtype(one));
  return dtypes;
}

/// Arrays and scalars are flattened: tessera's arrays, in order, and numbers of exactly the parameters' types.
void launch(const CompiledKernel& compiled, const KernelLaunch& launch, nb::handle arrays, nb::handle scalars) {
  std::vector<Array> buffers;
  for (nb::handle array : arrays) {
    require<TypeError>(is_ndarray(array.ptr()), "{}: an array is not tessera's", compiled.kernel->name);
    buffers.push_back(as_ndarray(array.ptr())->array);
  }
  std::vector<Scalar> values;
  for (nb::handle scalar : scalars) {
    const std::optional<Scalar> value = python_scalar(scalar.ptr());
    require<TypeError>(value.has_value(), "{}: kernels take arrays, numbers, records and tuples of these, not {}: {}",
                       compiled.kernel->name, nb::type_name(scalar.type()).c_str(),
                       nb::cast<std::string>(nb::repr(scalar)));
    values.push_back(*value);
  }
  launch_kernel(compiled, launch.shape(), buffers, values);
}

// Names refer to modules, which refer to functions, which refer to their names: Python's collector follows them.
int visit_names(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<CapturedNames>(self)->traverse(visit, arg) : 0;
}

int clear_names(PyObject* self) {
  nb::inst_ptr<CapturedNames>(self)->clear();
  return 0;
}

int visit_versions(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Specializations>(self)->owner());
  return 0;
}

int visit_launch(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<KernelLaunch>(self)->traverse(visit, arg) : 0;
}

PyObject* call_launch(PyObject* self, PyObject* arguments, PyObject* named) {
  return guarded([&] {
    nb::inst_ptr<KernelLaunch>(self)->call(arguments, named);
    return Py_NewRef(Py_None);
  });
}

PyType_Slot slots_of_launches[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_launch)},
                                   {Py_tp_call, reinterpret_cast<void*>(call_launch)},
                                   {0, nullptr}};
PyType_Slot slots_of_names[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_names)},
                                {Py_tp_clear, reinterpret_cast<void*>(clear_names)},
                                {0, nullptr}};
PyType_Slot slots_of_versions[] = {{Py_tp_traverse, reinterpret_cast<void*>(visit_versions)}, {0, nullptr}};

/// Where work may run on several threads: (kind, line, text, what is joined).
nb::list notes_of(const CompiledFunction& compiled) {
  constexpr const char* kinds[] = {"loop", "in order", "whole array", "total", "race"};
  nb::list notes;
  for (const kernel::ParallelNote& note : compiled.parallel_notes())
    notes.append(nb::make_tuple(kinds[static_cast<int>(note.kind)], note.line, note.text, note.joined));
  return notes;
}

void bind_compiled_kernels(nb::module_& kernels) {
  nb::class_<CompiledKernel>(kernels, "CompiledKernel")
      .def_prop_ro("text", [](const CompiledKernel& compiled) { return ir::print(*compiled.kernel); })
      .def_ro("variables", &CompiledKernel::variables)
      .def_prop_ro("foreign", foreign_of)
      .def("link", link)
      .def_prop_ro("writes", [](const CompiledKernel& compiled) { return writes_of(*compiled.kernel); })
      .def_prop_ro("reads", reads_of)
      .def_prop_ro("shared_bytes", shared_bytes_of)
      .def_prop_ro("local_bytes", local_bytes_of)
      .def_prop_ro("reports", [](const CompiledKernel& compiled) { return compiled.report != nullptr; })
      .def_prop_ro(
          "cooperative",
          [](const CompiledKernel& compiled) { return compiled.has_grid_group || ir::meets_in_grid(*compiled.kernel); })
      .def("max_cooperative_grid_blocks", most_blocks, nb::arg("blockdim"), nb::arg("dynsmemsize") = 0,
           "The most blocks whose threads may wait for each other: on the cores enough to keep them busy.")
      .def("device_attribute", attribute_of)
      .def_prop_ro("constant_bytes", constant_bytes_of)
      .def("ptx", [](const CompiledKernel& compiled, int capability,
                     int threads) { return ptx_of(compiled.kernel, capability, threads); })
      .def("machine_code",
           [](const CompiledKernel& compiled, int capability, int threads) {
             const std::string code = machine_code_of(compiled.kernel, capability, threads);
             return nb::bytes(code.data(), code.size());
           })
      .def("llvm", [](const CompiledKernel& compiled) { return llvm_of(compiled.kernel); })
      .def("launch", launch)
      .def("check", [](const CompiledKernel& compiled) {
        if (compiled.report) compiled.report->check();
      });
  kernels.def(
      "compile_together",
      [](const std::vector<const CompiledKernel*>& compiled, int64_t threads) {
        std::vector<std::shared_ptr<const ir::Kernel>> wanted;
        for (const CompiledKernel* one : compiled) wanted.push_back(one->kernel);
        Engine::instance().devices().compile_kernels(wanted, threads);
      },
      "Compiles kernels in parallel where they would run on a device, for dense arrays that share no memory.");
}

void bind_captured_names(nb::module_& kernels) {
  nb::class_<CapturedNames>(kernels, "CapturedNames", nb::type_slots(slots_of_names))
      .def(nb::init<>())
      .def("refresh", &CapturedNames::refresh)
      .def(
          "add_global",
          [](CapturedNames& self, nb::handle dict, nb::handle name, nb::handle value) {
            self.add_global(dict.ptr(), name.ptr(), value.ptr());
          },
          nb::arg("dict"), nb::arg("name"), nb::arg("value").none())
      .def(
          "add_cell",
          [](CapturedNames& self, nb::handle cell, nb::handle value) { self.add_cell(cell.ptr(), value.ptr()); },
          nb::arg("cell"), nb::arg("value").none())
      .def(
          "add_attribute",
          [](CapturedNames& self, nb::handle object, nb::handle name, nb::handle value) {
            self.add_attribute(object.ptr(), name.ptr(), value.ptr());
          },
          nb::arg("object"), nb::arg("name"), nb::arg("value").none())
      .def("add_array", [](CapturedNames& self, nb::handle array) { self.add_array(array.ptr()); })
      .def("add_list", [](CapturedNames& self, nb::list list) { self.add_list(list.ptr()); })
      .def("add_function", [](CapturedNames& self, nb::handle called) {
        self.add_function(called.ptr(), nb::cast<CapturedNames&>(called));
      });
}

void bind_compiled_functions(nb::module_& kernels) {
  nb::class_<CompiledFunction>(kernels, "CompiledFunction")
      .def_prop_ro("text", [](const CompiledFunction& compiled) { return ir::print(compiled.kernel()); })
      .def_prop_ro("variables", &CompiledFunction::variables)
      .def_prop_ro("result", &CompiledFunction::result_type)
      .def_prop_ro("parallel_notes", notes_of)
      .def_prop_ro("writes", [](const CompiledFunction& compiled) { return writes_of(compiled.kernel()); })
      .def_prop_ro("has_loops", [](const CompiledFunction& compiled) { return has_loops(compiled.kernel()); })
      .def(
          "overwritten",
          [](const CompiledFunction& compiled, const std::vector<kernel::AxisNames>& lengths) {
            return kernel::overwritten(compiled.kernel(), lengths);
          },
          "Of each of its arrays, whose axes' lengths have names, whether it stores all of it and reads nothing "
          "before.")
      .def("llvm", [](const CompiledFunction& compiled) { return llvm_of(compiled.shared_kernel()); })
      .def("assembly", [](const CompiledFunction& compiled) { return assembly_of(compiled.shared_kernel()); })
      .def_prop_ro("result_type",
                   [](const CompiledFunction& compiled) { return type_object(compiled.compiled().result); });
}

CompiledKernel compile_kernel(const KernelFunction& self, nb::handle types, const CompileOptions& options) {
  kernel::Compiled compiled = kernel::compile(*self.function, resolved_types(types), environment, options);
  CompiledKernel made{.kernel = std::move(compiled.kernel),
                      .array_names = std::move(compiled.arguments.array_names),
                      .variables = std::move(compiled.variables),
                      .foreign = std::move(compiled.foreign),
                      .has_grid_group = compiled.launch.has_grid_group,
                      .reads_shared_bytes = compiled.launch.reads_shared_bytes};
  if (compiled.reports)
    made.report = std::make_shared<LaunchReport>(std::move(compiled.sites), compiled.prints, options.checks_bounds);
  if (options.checks_accesses)
    made.accesses = std::make_shared<const std::vector<kernel::ReportSite>>(std::move(compiled.accesses));
  for (const auto& array : compiled.constants) made.constants.push_back(array_of(*array));
  return made;
}

void bind_functions(nb::module_& kernels) {
  nb::class_<KernelFunction>(kernels, "KernelFunction")
      .def_prop_ro("address",
                   [](const KernelFunction& self) { return reinterpret_cast<uintptr_t>(self.function.get()); })
      .def("__init__",
           [](KernelFunction* self, nb::handle tree, std::string file, std::vector<std::string> lines, int first_line,
              nb::object resolve, nb::dict defaults, int rest, nb::handle signatures,
              const std::vector<std::string>& converted) {
             new (self) KernelFunction(make_function(tree, std::move(file), std::move(lines), first_line, resolve,
                                                     defaults, rest, signatures, converted));
           })
      .def("compile", compile_kernel)
      .def(
          "typed_text",
          [](const KernelFunction& self, nb::handle types, nb::handle result, CompileOptions options) {
            kernel::Declared declared;
            if (!result.is_none()) declared.result = nb::cast<const TypeObject&>(result).resolved();
            options.records_types = true;
            const kernel::Function& function = *self.function;
            return kernel::print(function,
                                 kernel::infer(function, resolved_types(types), environment, options, declared));
          },
          nb::arg("types"), nb::arg("result").none(), nb::arg("options"))
      .def("compile_device", device_function, nb::arg("types"), nb::arg("result").none(), nb::arg("name"),
           nb::arg("is_numbas"), nb::arg("options"), nb::arg("capability"))
      .def(
          "compile_body",
          [](const KernelFunction& self, nb::handle in, nb::handle out, bool contracts) {
            const std::vector<DType> from = to_dtypes(in), to = to_dtypes(out);
            return OpBody{kernel::compile_body(*self.function, from, to, environment, contracts)};
          },
          nb::arg("in"), nb::arg("out"), nb::arg("contracts") = false)
      .def(
          "compile_function",
          [](const KernelFunction& self, nb::handle types, nb::handle parameters, nb::handle result,
             const CompileOptions& options, bool unlocks) -> nb::object {
            kernel::Declared declared{.parameters = resolved_types(parameters)};
            if (!result.is_none()) declared.result = nb::cast<const TypeObject&>(result).resolved();
            kernel::Compiled compiled;
            try {
              compiled = kernel::compile(*self.function, resolved_types(types), environment, options, declared);
            } catch (const kernel::LiteralRequest& request) {
              return nb::int_(request.number());
            }
            std::vector<Array> constants;
            for (const auto& array : compiled.constants) constants.push_back(array_of(*array));
            return nb::cast(std::make_shared<CompiledFunction>(std::move(compiled), std::move(constants), unlocks));
          },
          nb::arg("types"), nb::arg("parameters"), nb::arg("result").none(), nb::arg("options"), nb::arg("unlocks"));
}

}  // namespace

void bind_kernels(nb::module_& m) {
  nb::module_ kernels = m.def_submodule("kernels", "User kernels: what tessera.cuda is made of.");
  // isinstance() takes NumPy's arrays for tessera's, too.
  kernels.def("is_array", [](nb::handle object) { return is_ndarray(object.ptr()); }, nb::arg().none());
  kernels.def("check_launches", check_launches);
  kernels.def("set_unwritten", [](nb::handle object) {
    const Array& array = as_ndarray(object.ptr())->array;
    engine::set_unwritten(Engine::instance().write(array),
                          static_cast<size_t>(array.view.size() * array.view.itemsize()));
  });
  kernels.def("count_host_calls", &count_host_calls);
  kernels.def("host_call_counts", [] {
    nb::list found;
    for (const HostCallCount& one : host_call_counts())
      found.append(nb::make_tuple(one.file, one.line, one.name, one.calls, one.seconds));
    return found;
  });
  kernels.def("builtin_names", [](const std::string& prefix) {
    std::vector<std::string> names;
    for (std::string_view name : kernel::builtin_names(prefix)) names.emplace_back(name);
    return names;
  });
  bind_compiled_kernels(kernels);
  bind_captured_names(kernels);
  nb::class_<Specializations>(kernels, "Specializations", nb::type_slots(slots_of_versions))
      .def(nb::init<nb::object, int64_t>())
      .def("note_compiled", &Specializations::note_compiled)
      .def("clear", &Specializations::clear);
  nb::class_<KernelLaunch>(kernels, "Launch", nb::type_slots(slots_of_launches))
      .def(nb::init<nb::object, Specializations&, nb::handle>())
      .def_prop_ro("stream", &KernelLaunch::stream);
  bind_streams(kernels);
  nb::class_<Callback>(kernels, "Callback").def_prop_ro("address", &Callback::address);
  kernels.def(
      "make_callback",
      [](std::shared_ptr<CompiledFunction> function, nb::handle parameters, nb::handle result) {
        std::vector<DType> passed;
        for (nb::handle one : parameters) passed.push_back(needed_dtype(one));
        const std::optional<DType> returned = result.is_none() ? std::nullopt : std::optional(needed_dtype(result));
        return std::make_unique<Callback>(std::move(function), std::move(passed), returned);
      },
      nb::arg("function"), nb::arg("parameters"), nb::arg("result").none());
  bind_compiled_functions(kernels);
  kernels.def("parallel_chunk_size", [] { return parallel_chunk_size(); });
  kernels.def("set_parallel_chunk_size", [](int64_t size) { return std::exchange(parallel_chunk_size(), size); });
  bind_function_type(kernels);
  bind_user_ufuncs(kernels);
  bind_options(kernels);
  bind_functions(kernels);
}

}  // namespace tessera::bind
