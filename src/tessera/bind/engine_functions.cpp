#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>

#include "tessera/base/error.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/call_site.h"
#include "tessera/bind/dims.h"
#include "tessera/bind/error_state.h"
#include "tessera/bind/underflow.h"
#include "tessera/bind/errors.h"
#include "tessera/bind/reports.h"
#include "tessera/engine/device/placement.h"
#include "tessera/library/device_library.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/device.h"
#include "tessera/runtime/host/host_pool.h"
#include "tessera/runtime/host/threads.h"

namespace nb = nanobind;

namespace tessera::bind {

namespace {

PyObject* synchronize(PyObject*, PyObject*) {
  return guarded([] {
    Engine::instance().synchronize();
    deliver_reports();
    return Py_NewRef(Py_None);
  });
}

/// Called around every measured statement, so as short as a function can be.
PyMethodDef plain_functions[] = {
    {"synchronize", synchronize, METH_NOARGS, "synchronize()\n--\n\nRuns everything this thread has recorded and waits for it."},
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

void put_pool(nb::dict& entry, const runtime::PoolStatistics& statistics) {
  entry["bytes_in_use"] = statistics.bytes_in_use;
  entry["bytes_cached"] = statistics.bytes_cached;
  entry["peak_bytes_in_use"] = statistics.peak_bytes_in_use;
  entry["allocations"] = statistics.allocations;
  entry["reuses"] = statistics.reuses;
}

/// The pool of the host ("cpu") or of a device.
nb::dict memory_statistics(const std::string& where) {
  nb::dict result;
  const runtime::Device* device = engine::find_device(where);
  put_pool(result, device ? device->statistics() : runtime::HostPool::instance().statistics());
  return result;
}

void trim_memory(const std::string& where) {
  if (runtime::Device* device = engine::find_device(where)) return device->trim();
  runtime::HostPool::instance().trim();
}

void set_memory_limit(int64_t bytes, const std::string& where) {
  if (runtime::Device* device = engine::find_device(where)) return device->set_limit(bytes);
  runtime::HostPool::instance().set_limit(bytes);
}

nb::list largest_arrays(size_t count) {
  nb::list result;
  for (const LargeArray& array : Engine::instance().largest_arrays(count)) {
    nb::dict entry;
    entry["shape"] = nb::steal(make_tuple(array.shape));
    entry["dtype"] = std::string(name(array.dtype));
    entry["nbytes"] = array.nbytes;
    entry["where"] = array.where;
    entry["made_at"] = array.maker;
    result.append(entry);
  }
  return result;
}

/// Facts about every device, which opens them all.
nb::list devices() {
  nb::list result;
  for (int number = 0; number < runtime::device_count(); ++number) {
    const runtime::Device& device = runtime::device(number);
    const runtime::DeviceFacts& facts = device.facts();
    nb::dict entry;
    entry["name"] = facts.name;
    entry["capability"] = facts.capability;
    entry["multiprocessors"] = facts.multiprocessors;
    entry["memory"] = facts.memory;
    entry["cache"] = facts.cache;
    entry["driver_version"] = facts.driver_version;
    put_pool(entry, device.statistics());
    result.append(entry);
  }
  return result;
}

/// Of this thread's device, or of the GPU of that number.
nb::list device_libraries(nb::handle number) {
  nb::list result;
  runtime::Device* device = number.is_none() ? Engine::instance().chosen_device() : &runtime::device(nb::cast<int>(number));
  require<ValueError>(device != nullptr, "device_libraries: this thread's work runs on the host");
  for (const library::LibraryFacts& facts : library::device_libraries(*device)) {
    nb::dict entry;
    entry["title"] = facts.title;
    entry["path"] = facts.path;
    entry["origin"] = facts.origin;
    entry["version"] = facts.version;
    entry["problem"] = facts.problem;
    result.append(entry);
  }
  return result;
}

/// The folders of Python packages that hold CUDA's libraries.
std::vector<std::string> package_folders() {
  nb::gil_scoped_acquire gil;
  return nb::cast<std::vector<std::string>>(nb::module_::import_("tessera._toolkit").attr("folders")());
}

void set_device(const std::string& where) {
  Engine::instance().set_device(where);
  deliver_reports();
}

constexpr std::array<std::pair<const char*, Engine::Compile>, 5> compile_names{{{"when_hot", Engine::Compile::when_hot},
                                                                                {"never", Engine::Compile::never},
                                                                                {"before_baseline", Engine::Compile::before_baseline},
                                                                                {"before_quick", Engine::Compile::before_quick},
                                                                                {"before_full", Engine::Compile::before_full}}};

Engine::Compile to_compile(const std::string& text) {
  for (const auto& [name, value] : compile_names) {
    if (text == name) return value;
  }
  throw ValueError("options: compile must be 'when_hot', 'never', 'before_baseline', 'before_quick' or 'before_full' (got '" + text + "')");
}

/// Sets the options given and returns all of them as they are now.
nb::dict options(nb::handle window_limit, nb::handle lazy, nb::handle compile, nb::handle cache_folder,
                 nb::handle wave_bytes) {
  Engine::Options& current = Engine::instance().options();
  bool changes = !window_limit.is_none() || !lazy.is_none() || !compile.is_none() || !cache_folder.is_none() ||
                 !wave_bytes.is_none();
  if (!window_limit.is_none()) current.window_limit = nb::cast<int>(window_limit);
  if (!lazy.is_none()) current.lazy = nb::cast<bool>(lazy);
  if (!compile.is_none()) current.compile = to_compile(nb::cast<std::string>(compile));
  if (!cache_folder.is_none()) current.cache_folder = nb::cast<std::string>(cache_folder);
  if (!wave_bytes.is_none()) current.wave_bytes = nb::cast<int64_t>(wave_bytes);
  if (changes) Engine::instance().apply_options();
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

/// Lets other Python threads run while the engine works, and takes the GIL back.
void* release_gil() { return PyEval_SaveThread(); }
void take_gil(void* state) { PyEval_RestoreThread(static_cast<PyThreadState*>(state)); }

}  // namespace

void bind_engine(nb::module_& m) {
  Engine::instance().set_lock_hooks(release_gil, take_gil);
  Engine::instance().set_site_hooks({.current = call_site, .describe = [](uint64_t site) {
    const auto line = source_line(site);
    return line ? format("{}:{}", line->file, line->line) : std::string();
  }});
  nb::dict at_fork;
  at_fork["before"] = nb::cpp_function([] { Engine::instance().prepare_fork(); });
  at_fork["after_in_parent"] = nb::cpp_function([] { Engine::instance().resume_after_fork(false); });
  at_fork["after_in_child"] = nb::cpp_function([] { Engine::instance().resume_after_fork(true); });
  nb::module_::import_("os").attr("register_at_fork")(**at_fork);
  // Kernels still compiling when the interpreter leaves would meet LLVM's static objects half destroyed.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    nb::gil_scoped_release release;
    runtime::stop_background();
  }));
  Engine::instance().expect_stop();
  library::set_package_folders(package_folders);
  checked(PyModule_AddFunctions(m.ptr(), plain_functions));
  m.def("set_warnings_raise", [](bool raise) { warnings_raise = raise; }, nb::arg("raise"),
        "Says that a RuntimeWarning would be raised: work that may warn then runs at once.");
  m.def("ask_for_underflow", [] { underflow_was_asked_for = true; }, "Says that an error state wants to hear of underflow.");
  m.def("flush", [] { Engine::instance().flush(); }, "Runs everything this thread has recorded; a GPU may still be at it on return.");
  m.def("cpus", runtime::thread_count, "How many threads parallel work uses.");
  m.def("set_cpus", runtime::set_thread_count, nb::arg("count"), "Sets how many threads parallel work uses.");
  m.def("counters", counters, "What the engine did since the last reset, by name.");
  m.def("reset_counters", profile::reset, "Sets every counter to zero.");
  m.def("memory_statistics", memory_statistics, nb::arg("where") = "cpu", "What a memory pool holds and handed out.");
  m.def("trim_memory", trim_memory, nb::arg("where") = "cpu", "Returns cached memory to the system or the GPU's driver.");
  m.def("set_memory_limit", set_memory_limit, nb::arg("bytes"), nb::arg("where") = "cpu",
        "The most bytes a memory pool may hand out; 0 lifts the limit.");
  m.def("largest_arrays", largest_arrays, nb::arg("count") = 10, "The largest arrays that live, but for those under 256 KiB.");
  m.def("options", options, nb::kw_only(), nb::arg("window_limit").none() = nb::none(), nb::arg("lazy").none() = nb::none(),
        nb::arg("compile").none() = nb::none(), nb::arg("cache_folder").none() = nb::none(),
        nb::arg("wave_bytes").none() = nb::none(),
        "Sets engine options and returns them all.");
  m.def("compiler_problem", [] { return Engine::instance().compiler_problem(); },
        "Why there is no native code on this machine; empty when there is.");
  m.def("set_device", set_device, nb::arg("where"), "Where this thread's work runs from now on: 'cpu', 'gpu', 'gpu:N' or 'auto'.");
  m.def("device", [] { return Engine::instance().device(); }, "Where this thread's work runs.");
  m.def("devices", devices, "Facts about every GPU of this machine; opens them.");
  m.def("device_problem", [] { return Engine::instance().device_problem(); },
        "Why GPUs do less than they could, or why there are none; empty when all is well.");
  m.def("peer_link", [](int from, int to) {
    constexpr const char* names[] = {"through the host", "direct", "NVLink"};
    return names[static_cast<int>(runtime::peer_link(from, to))];
  }, nb::arg("from_gpu"), nb::arg("to_gpu"), "How one GPU reaches another's memory.");
  m.def("device_libraries", device_libraries, nb::arg("number").none() = nb::none(), "Where the libraries of a GPU were found; opens them.");
  m.def("allow_tf32", library::allow_tf32, nb::arg("allow"), "Whether float32 products on a GPU may round their operands to TF32.");
  m.def("allows_tf32", library::allows_tf32);
  m.def("explain", [] { return Engine::instance().explain(); }, "The plan that the pending work would run by, as text.");
}

}  // namespace tessera::bind
