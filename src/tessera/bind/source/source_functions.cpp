// CUDA C++ for tessera.cuda: compiling, loading, kernels, variables.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/convert/dtypes.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/source/planned_calls.h"
#include "tessera/bind/source/source_kernel.h"
#include "tessera/bind/source/untyped_memory.h"
#include "tessera/engine/source/compile_source.h"
#include "tessera/kernel/source/ptx.h"
#include "tessera/library/clang/clang.h"
#include "tessera/library/code_bundle.h"
#include "tessera/library/source_compiler.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

using kernel::DeclaredSource;

runtime::Device* device_of_sources() { return Engine::instance().devices().for_streams(); }

/// Opening the compiler takes the GIL under a lock that other threads wait for.
library::SourceCompiler& compiler_of_sources() {
  const runtime::Device* device = device_of_sources();
  const WithoutGil release;
  return library::source_compiler(device);
}

/// Keeps a module loaded as long as a variable of it is used.
struct HeldModule {
  std::shared_ptr<runtime::Module> module;
};

library::CodeKind code_kind(const std::string& word) {
  if (word == "ptx") return library::CodeKind::ptx;
  return word == "ltoir" ? library::CodeKind::for_linking : library::CodeKind::machine_code;
}

nb::dict compiler_facts() {
  const library::SourceCompiler& compiler = compiler_of_sources();
  nb::dict facts;
  facts["version"] = compiler.version();
  facts["path"] = compiler.path();
  facts["headers"] = compiler.header_folders();
  facts["capabilities"] = compiler.capabilities();
  return facts;
}

nb::tuple compile(const std::string& name, const std::string& text,
                  const std::vector<std::pair<std::string, std::string>>& headers,
                  const std::vector<std::string>& options, const std::vector<std::string>& expressions,
                  const std::string& kind, int capability, const std::string& suffix) {
  library::SourceRequest request{.source = {name, text},
                                 .headers = {},
                                 .options = options,
                                 .expressions = expressions,
                                 .kind = code_kind(kind),
                                 .capability = capability,
                                 .suffix = suffix};
  for (const auto& [header, content] : headers) request.headers.push_back({header, content});
  library::SourceCompiler& compiler = compiler_of_sources();
  const std::string folder = Engine::instance().settings().options().cache_folder;
  library::CompiledSource made;
  {
    const WithoutGil release;
    made = engine::compile_source(compiler, request, folder);
  }
  return nb::make_tuple(nb::bytes(made.code.data(), made.code.size()), made.log, made.lowered);
}

/// What clang makes of a source for the cores, and the symbols of the expressions. `command` runs it.
nb::tuple compile_for_cores(const std::string& name, const std::string& text, const std::vector<std::string>& options,
                            const std::vector<std::string>& expressions, const std::vector<std::string>& command,
                            const std::string& version, const std::string& headers, bool is_checked) {
  const library::SourceRequest request{
      .source = {name, text},
      .headers = {},
      .options = options,
      .expressions = expressions,
      .kind = is_checked ? library::CodeKind::for_checks : library::CodeKind::for_cores};
  const std::unique_ptr<library::SourceCompiler> clang =
      library::make_clang({.command = command, .version = version, .headers = headers});
  const std::string folder = Engine::instance().settings().options().cache_folder;
  library::CompiledSource made;
  {
    const WithoutGil release;
    made = engine::compile_source(*clang, request, folder);
  }
  return nb::make_tuple(nb::bytes(made.code.data(), made.code.size()), made.log, made.lowered);
}

LoadedModule load_on_cores(nb::bytes code, bool is_checked) {
  const std::string_view bytes(code.c_str(), code.size());
  return {.module = Engine::instance().load_on_cores(bytes, is_checked),
          .device = nullptr,
          .log = "",
          .prints = bytes.find("printf") != std::string_view::npos,
          .is_checked = is_checked};
}

/// Of pairs of code and architecture: "sm_90a" for machine code, "compute_90" for PTX.
nb::bytes bundle(const std::vector<std::pair<nb::bytes, std::string>>& parts) {
  std::vector<library::CodePart> given;
  for (const auto& [code, architecture] : parts)
    given.push_back({.code = {code.c_str(), code.size()},
                     .is_ptx = architecture.starts_with("compute_"),
                     .architecture = architecture.substr(architecture.find('_') + 1)});
  const std::string whole = library::bundle_code(given);
  return nb::bytes(whole.data(), whole.size());
}

LoadedModule load(nb::bytes code, int max_registers, int optimization, bool has_debug_info, bool has_line_info) {
  runtime::Device* device = device_of_sources();
  require<RuntimeError>(device != nullptr, "loading CUDA C++: there is no GPU");
  const std::string_view bytes(code.c_str(), code.size());
  // PTX and machine code have the name of what printf calls, "vprintf".
  LoadedModule loaded{nullptr, device, "", bytes.find("printf") != std::string_view::npos};
  loaded.module = device->load_module(bytes,
                                      {.max_registers = max_registers,
                                       .optimization = optimization,
                                       .has_debug_info = has_debug_info,
                                       .has_line_info = has_line_info},
                                      loaded.log);
  return loaded;
}

/// The sizes of the parameters by the driver; nothing where it does not tell.
std::optional<std::vector<int64_t>> sizes_of(const runtime::Program& program) {
  const auto places = program.parameters();
  if (!places) return std::nullopt;
  std::vector<int64_t> sizes;
  for (const runtime::ParameterPlace& place : *places) sizes.push_back(place.nbytes);
  return sizes;
}

/// A kernel of loaded code; None if there is none of that symbol.
std::optional<SourceKernel> find_kernel(const LoadedModule& loaded, const std::string& symbol, const std::string& name,
                                        const DeclaredSource* source) {
  std::shared_ptr<runtime::Program> program = loaded.module->find(symbol.c_str());
  if (!program) return std::nullopt;
  kernel::KernelParameters parameters(name, source ? source->find(name) : std::nullopt, sizes_of(*program));
  return SourceKernel(std::move(parameters), std::move(program), &loaded);
}

/// The same of PTX that is not loaded: its arguments can be checked.
std::optional<SourceKernel> kernel_in_ptx(nb::bytes ptx, const std::string& symbol, const std::string& name,
                                          const DeclaredSource* source) {
  std::optional<std::vector<int64_t>> sizes = kernel::parameter_sizes({ptx.c_str(), ptx.size()}, symbol);
  if (!sizes) return std::nullopt;
  return SourceKernel({name, source ? source->find(name) : std::nullopt, std::move(sizes)}, nullptr, nullptr);
}

/// A variable of loaded code as an array; of another dtype and shape than bytes where they are given.
nb::object find_variable(const LoadedModule& loaded, const std::string& symbol, nb::handle shape, nb::handle dtype) {
  const std::optional<runtime::ModuleVariable> variable = loaded.module->find_variable(symbol.c_str());
  if (!variable) return nb::none();
  const DType element = dtype.is_none() ? DType::uint8 : to_dtype(dtype.ptr()).value();
  Dims extents{static_cast<int64_t>(variable->nbytes) / itemsize(element)};
  if (!shape.is_none()) extents = to_dims(shape.ptr());
  const View view = View::contiguous(extents, element);
  if (view.size() * itemsize(element) != static_cast<int64_t>(variable->nbytes)) return nb::none();
  auto held = std::make_shared<HeldModule>(HeldModule{loaded.module});
  if (!loaded.device)
    return nb::steal(wrap(Engine::instance().wrap(variable->data, static_cast<int64_t>(variable->nbytes), view, true,
                                                  [held] { held->module.reset(); })));
  return nb::steal(
      wrap(Engine::instance().devices().borrow(*loaded.device, variable->data, static_cast<int64_t>(variable->nbytes),
                                               view, true, [held] { held->module.reset(); })));
}

nb::object declared_variable(const DeclaredSource& source, const std::string& name) {
  const std::optional<kernel::DeclaredVariable> variable = source.find_variable(name);
  if (!variable || !variable->type.element || variable->type.is_pointer) return nb::none();
  std::vector<int64_t> extents = variable->extents;
  if (variable->type.lanes > 1) extents.push_back(variable->type.lanes);
  return nb::make_tuple(extents, nb::steal(from_dtype(*variable->type.element)));
}

runtime::ProgramAttribute attribute_of(int number) {
  require<ValueError>(number >= 0 && number <= 9, "there is no attribute {} of kernels", number);
  return static_cast<runtime::ProgramAttribute>(number);
}

const runtime::Program& program_of(const SourceKernel& self) {
  require<RuntimeError>(self.program() != nullptr, "{}: its attributes are known where there is a GPU",
                        self.parameters().kernel());
  return *self.program();
}

void bind_kernel(nb::module_& sources) {
  nb::class_<SourceKernel>(sources, "Kernel")
      .def(
          "launch",
          [](const SourceKernel& self, nb::handle grid, nb::handle block, nb::handle arguments, nb::handle shared_bytes,
             nb::handle stream, bool is_cooperative) {
            return static_cast<int>(self.launch(grid, block, arguments, shared_bytes, stream, is_cooperative));
          },
          nb::arg("grid"), nb::arg("block"), nb::arg("arguments"), nb::arg("shared_bytes").none(),
          nb::arg("stream").none(), nb::arg("is_cooperative"))
      .def("check", &SourceKernel::check)
      .def("attribute",
           [](const SourceKernel& self, int number) { return program_of(self).attribute(attribute_of(number)); })
      .def("set_attribute", [](const SourceKernel& self, int number,
                               int value) { program_of(self).set_attribute(attribute_of(number), value); })
      .def("occupancy",
           [](const SourceKernel& self, int threads, size_t shared_bytes) {
             return program_of(self).blocks_a_multiprocessor(threads, shared_bytes);
           })
      .def_prop_ro("is_loaded", [](const SourceKernel& self) { return self.program() != nullptr; })
      .def_prop_ro("is_known", [](const SourceKernel& self) { return self.parameters().is_known(); })
      .def_prop_ro("text",
                   [](const SourceKernel& self) {
                     return self.parameters().kernel() + "(" + self.parameters().describe_all() + ")";
                   })
      .def("writes", [](const SourceKernel& self, size_t k) { return self.parameters().writes(k); })
      .def("takes_address", [](const SourceKernel& self, size_t k) { return self.parameters().takes_address(k); })
      .def("refuse",
           [](const SourceKernel& self, size_t k, const std::string& what) { self.parameters().refuse(k, what); });
}

PyType_Slot slots_of_planned_kernels[] = {{Py_tp_call, reinterpret_cast<void*>(PlannedKernel::call)},
                                          {Py_tp_traverse, reinterpret_cast<void*>(PlannedKernel::traverse)},
                                          {0, nullptr}};

}  // namespace

void bind_sources(nb::module_& m) {
  nb::module_ sources = m.def_submodule("sources", "CUDA C++: what tessera.cuda's raw kernels are made of.");
  sources.def("compiler_facts", compiler_facts);
  sources.def("compile", compile);
  sources.def("bundle", bundle);
  sources.def("device", [] { return runtime::device_name(device_of_sources()); });
  sources.def("capability", []() -> int {
    const runtime::Device* device = device_of_sources();
    return device ? device->facts().capability : 0;
  });
  nb::class_<DeclaredSource>(sources, "DeclaredSource")
      .def(nb::init<const std::string&, const std::vector<std::string>&>())
      .def_prop_ro("kernels", &DeclaredSource::kernel_names)
      .def("variable", declared_variable);
  nb::class_<LoadedModule>(sources, "Module")
      .def_ro("log", &LoadedModule::log)
      .def("is_current", [](const LoadedModule& self) { return self.is_checked || device_of_sources() == self.device; })
      .def("kernel", find_kernel, nb::arg("symbol"), nb::arg("name"), nb::arg("source").none())
      .def("variable", find_variable, nb::arg("symbol"), nb::arg("shape").none(), nb::arg("dtype").none());
  nb::class_<UntypedMemory>(sources, "Memory").def("__init__", [](UntypedMemory* self, nb::handle array) {
    require<TypeError>(is_ndarray(array.ptr()), "memory of a kernel's argument is an array of tessera's");
    new (self) UntypedMemory{as_ndarray(array.ptr())->array};
  });
  bind_kernel(sources);
  nb::class_<PlannedCalls>(sources, "PlannedCalls")
      .def(nb::init<int64_t, bool, bool>())
      .def("call", &PlannedCalls::call, nb::arg("arguments"), nb::arg("variant").none(), nb::arg("block"),
           nb::arg("stream").none())
      .def("add", &PlannedCalls::add, nb::arg("arguments"), nb::arg("variant").none(), nb::arg("block"),
           nb::arg("kernel"), nb::arg("blocks"), nb::arg("outputs"), nb::arg("in_memory"), nb::arg("behind"))
      .def("__len__", &PlannedCalls::size);
  nb::class_<PlannedKernel>(sources, "PlannedKernel", nb::type_slots(slots_of_planned_kernels))
      .def(nb::init<>())
      .def("_set_plans", &PlannedKernel::set_plans, nb::arg("plans").none());
  sources.def("note_streams_in_use", &PlannedKernel::note_streams_in_use);
  sources.def("compile_for_cores", compile_for_cores);
  sources.def("load_on_cores", load_on_cores);
  sources.def("load", load);
  sources.def("kernel_in_ptx", kernel_in_ptx, nb::arg("ptx"), nb::arg("symbol"), nb::arg("name"),
              nb::arg("source").none());
}

}  // namespace tessera::bind
