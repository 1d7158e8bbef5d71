#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "tessera/bind/bindings.h"
#include "tessera/bind/reports.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/host_pool.h"
#include "tessera/runtime/host/threads.h"

namespace nb = nanobind;

namespace tessera::bind {

namespace {

void synchronize() {
  {
    nb::gil_scoped_release release;
    Engine::instance().synchronize();
  }
  deliver_reports();
}

nb::dict counters() {
  nb::dict result;
  for (int i = 0; i < static_cast<int>(profile::Counter::count); ++i) {
    auto counter = static_cast<profile::Counter>(i);
    std::string name(profile::name(counter));
    result[name.c_str()] = profile::value(counter);
  }
  return result;
}

nb::dict memory_statistics() {
  runtime::PoolStatistics statistics = runtime::HostPool::instance().statistics();
  nb::dict result;
  result["bytes_in_use"] = statistics.bytes_in_use;
  result["bytes_cached"] = statistics.bytes_cached;
  result["peak_bytes_in_use"] = statistics.peak_bytes_in_use;
  result["allocations"] = statistics.allocations;
  result["reuses"] = statistics.reuses;
  return result;
}

/// Sets the options given and returns all of them as they are now.
nb::dict options(nb::handle window_limit, nb::handle lazy, nb::handle interpreter_only, nb::handle cache_folder) {
  Engine::Options& current = Engine::instance().options();
  if (!window_limit.is_none()) current.window_limit = nb::cast<int>(window_limit);
  if (!lazy.is_none()) current.lazy = nb::cast<bool>(lazy);
  if (!interpreter_only.is_none()) current.interpreter_only = nb::cast<int>(interpreter_only);
  if (!cache_folder.is_none()) current.cache_folder = nb::cast<std::string>(cache_folder);
  nb::dict result;
  result["window_limit"] = current.window_limit;
  result["lazy"] = current.lazy;
  result["interpreter_only"] = current.interpreter_only;
  result["cache_folder"] = current.cache_folder;
  return result;
}

}  // namespace

void bind_engine(nb::module_& m) {
  m.def("synchronize", synchronize, "Runs everything this thread has recorded and waits for it.");
  m.def("cpus", runtime::thread_count, "How many threads parallel work uses.");
  m.def("set_cpus", runtime::set_thread_count, nb::arg("count"), "Sets how many threads parallel work uses.");
  m.def("counters", counters, "What the engine did since the last reset, by name.");
  m.def("reset_counters", profile::reset, "Sets every counter to zero.");
  m.def("memory_statistics", memory_statistics, "What the memory pool holds and handed out.");
  m.def("trim_memory", [] { runtime::HostPool::instance().trim(); }, "Returns cached memory to the system.");
  m.def("set_memory_limit", [](int64_t bytes) { runtime::HostPool::instance().set_limit(bytes); }, nb::arg("bytes"),
        "The most bytes the memory pool may hand out; 0 lifts the limit.");
  m.def("options", options, nb::kw_only(), nb::arg("window_limit").none() = nb::none(), nb::arg("lazy").none() = nb::none(),
        nb::arg("interpreter_only").none() = nb::none(), nb::arg("cache_folder").none() = nb::none(),
        "Sets engine options and returns them all.");
  m.def("explain", [] { return Engine::instance().explain(); }, "The plan that the pending work would run by, as text.");
}

}  // namespace tessera::bind
