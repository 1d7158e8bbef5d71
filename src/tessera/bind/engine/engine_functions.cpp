#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>

#include "tessera/base/error.h"
#include "tessera/base/faults.h"
#include "tessera/base/private_folder.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/library/blas/vendor_library.h"
#include "tessera/profile/counters.h"
#include "tessera/profile/ranges.h"
#include "tessera/runtime/host/task_library.h"
#include "tessera/runtime/host/threads.h"

namespace nb = nanobind;

namespace tessera::bind {

namespace {

PyObject* synchronize(PyObject*, PyObject*) {
  return guarded([] {
    Engine::instance().synchronize();
    finish_wait();
    return Py_NewRef(Py_None);
  });
}

PyObject* finish(PyObject*, PyObject*) {
  return guarded([] {
    Engine::instance().synchronize();
    deliver_reports();
    return Py_NewRef(Py_None);
  });
}

/// Called around every measured statement, so plain C functions keep the overhead low.
PyMethodDef waiting_functions[] = {
    {"synchronize", synchronize, METH_NOARGS,
     "synchronize()\n--\n\nRuns everything this thread has recorded and waits for it."},
    {"finish", finish, METH_NOARGS, "finish()\n--\n\nThe same, but leaves what kernels have raised for the next wait."},
    {},
};

nb::dict counters() {
  nb::dict result;
  for (int i = 0; i < static_cast<int>(profile::Counter::count); ++i) {
    auto counter = static_cast<profile::Counter>(i);
    std::string name(profile::name(counter));
    result[name.c_str()] = profile::value(counter);
  }
  return result;
}

constexpr std::array<std::pair<const char*, Settings::Compile>, 5> compile_names{
    {{"when_hot", Settings::Compile::when_hot},
     {"never", Settings::Compile::never},
     {"before_baseline", Settings::Compile::before_baseline},
     {"before_quick", Settings::Compile::before_quick},
     {"before_full", Settings::Compile::before_full}}};

Settings::Compile to_compile(const std::string& text) {
  for (const auto& [name, value] : compile_names) {
    if (text == name) return value;
  }
  throw ValueError(
      "options: compile must be 'when_hot', 'never', 'before_baseline', 'before_quick' or 'before_full' (got '" + text +
      "')");
}

/// Sets the given options and returns the current values of all options.
nb::dict options(nb::handle window_limit, nb::handle lazy, nb::handle compile, nb::handle cache_folder,
                 nb::handle wave_bytes) {
  Settings::Options& current = Engine::instance().settings().options();
  bool changes = !window_limit.is_none() || !lazy.is_none() || !compile.is_none() || !cache_folder.is_none() ||
                 !wave_bytes.is_none();
  if (!window_limit.is_none()) current.window_limit = nb::cast<int>(window_limit);
  if (!lazy.is_none()) current.lazy = nb::cast<bool>(lazy);
  if (!compile.is_none()) current.compile = to_compile(nb::cast<std::string>(compile));
  if (!cache_folder.is_none()) current.cache_folder = nb::cast<std::string>(cache_folder);
  if (!wave_bytes.is_none()) current.wave_bytes = nb::cast<int64_t>(wave_bytes);
  if (changes) Engine::instance().settings().apply_options();
  nb::dict result;
  result["window_limit"] = current.window_limit;
  result["lazy"] = current.lazy;
  for (const auto& [name, value] : compile_names) {
    if (value == current.compile) result["compile"] = name;
  }
  result["cache_folder"] = current.cache_folder;
  result["wave_bytes"] = current.wave_bytes;
  return result;
}

/// Releases the GIL while the engine works, and acquires it again.
void* release_gil() { return PyEval_SaveThread(); }
void take_gil(void* state) { take_gil_again(static_cast<PyThreadState*>(state)); }

}  // namespace

void bind_engine(nb::module_& m) {
  bind_trace(m);
  Engine::instance().settings().set_lock_hooks(release_gil, take_gil);
  Engine::instance().settings().set_site_hooks({.current = call_site, .describe = describe_site});
  nb::dict at_fork;
  at_fork["before"] = nb::cpp_function([] { Engine::instance().settings().prepare_fork(); });
  at_fork["after_in_parent"] = nb::cpp_function([] { Engine::instance().settings().resume_after_fork(false); });
  at_fork["after_in_child"] = nb::cpp_function([] { Engine::instance().settings().resume_after_fork(true); });
  nb::module_::import_("os").attr("register_at_fork")(**at_fork);
  // Stop compilation before the interpreter exits: otherwise kernels still compiling would use LLVM's static objects
  // while they are destroyed.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    nb::gil_scoped_release release;
    runtime::stop_background();
  }));
  Engine::instance().settings().expect_stop();
  checked(PyModule_AddFunctions(m.ptr(), waiting_functions));
  m.def(
      "set_warnings_raise", [](bool raise) { warnings_raise = raise; }, nb::arg("raise"),
      "Says that a RuntimeWarning would be raised: work that may warn then runs at once.");
  m.def(
      "ask_for_underflow", [] { underflow_was_asked_for = true; },
      "Says that an error state wants to hear of underflow.");
  m.def(
      "flush", [] { Engine::instance().flush(); },
      "Runs everything this thread has recorded; a GPU may still be at it on return.");
  m.def(
      "set_task", [](const std::string& task) { return Engine::instance().settings().set_task(task); }, nb::arg("task"),
      "Names what this thread works for, which errors met later in what it recorded name; empty for nothing. Returns "
      "what was set before.");
  m.def("finish_compiling", runtime::wait_for_background, nb::call_guard<nb::gil_scoped_release>(),
        "Waits for the kernels that are being compiled in the background; benchmarks measure what comes after.");
  m.def("cpus", runtime::thread_count, "How many threads parallel work uses.");
  m.def("set_cpus", runtime::set_thread_count, nb::arg("count"), "Sets how many threads parallel work uses.");
  m.def(
      "blas_threads", [] { return library::VendorLibrary::instance().threads(); },
      "How many threads the BLAS of the host uses; 0 where it does not say.");
  m.def(
      "set_blas_threads", [](int count) { library::VendorLibrary::instance().set_threads(count); }, nb::arg("count"),
      "Sets how many threads an OpenBLAS uses.");
  m.def(
      "inject_fault",
      [](const std::string& kind, int64_t number, bool lasting) {
        faults::inject(faults::fault_of(kind.c_str()), number, lasting);
      },
      nb::arg("kind"), nb::arg("number"), nb::arg("lasting") = false,
      "For tests: the number-th 'allocation', 'launch', 'copy', 'compilation' or access to a cache 'file' from now on "
      "fails, and all after it if `lasting`; 0 only counts them.");
  m.def("end_faults", faults::end, "Ends inject_fault(), and returns how many of the kind there were.");
  m.def("counters", counters, "What the engine did since the last reset, by name.");
  m.def("reset_counters", profile::reset, "Sets every counter to zero.");
  m.def("has_profiler", profile::has_listener, "Whether a profiler that shows ranges (NVTX) is attached.");
  m.def(
      "push_range",
      [](const std::string& name, std::optional<uint32_t> argb) {
        if (!profile::has_listener()) return;
        argb ? profile::push_range(name.c_str(), *argb) : profile::push_range(name.c_str());
      },
      nb::arg("name"), nb::arg("argb") = nb::none(), "Begins a range that a profiler shows, in a colour.");
  m.def(
      "pop_range",
      [] {
        if (profile::has_listener()) profile::pop_range();
      },
      "Ends the range that this thread began last.");
  m.def("options", options, nb::kw_only(), nb::arg("window_limit").none() = nb::none(),
        nb::arg("lazy").none() = nb::none(), nb::arg("compile").none() = nb::none(),
        nb::arg("cache_folder").none() = nb::none(), nb::arg("wave_bytes").none() = nb::none(),
        "Sets engine options and returns them all.");
  m.def(
      "compiler_problem", [] { return Engine::instance().settings().compiler_problem(); },
      "Why there is no native code on this machine; empty when there is.");
  m.def(
      "task_library",
      [] {
        const runtime::TaskLibrary library = runtime::task_library();
        return nb::make_tuple(library.version, library.file, library.is_linked_in);
      },
      "oneTBB's version, the file it is in, and whether that is the engine's own.");
  m.def(
      "cache_problem", [] { return PrivateFolder::problem(Engine::instance().settings().options().cache_folder); },
      "Why the folder of compiled kernels is not used, as others could write it; empty when nothing is wrong.");
  m.def(
      "explain", [] { return Engine::instance().settings().explain(); },
      "The pending work as text: its nodes, the kernels they become and why these are not fewer, and the plan.");
}

}  // namespace tessera::bind
