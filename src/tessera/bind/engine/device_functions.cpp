// Device selection and memory for Python: devices, pools, limits, copies.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tessera/base/error.h"
#include "tessera/bind/array/dims.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/bindings.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/memory/kept.h"
#include "tessera/engine/device/memory/tile_rules.h"
#include "tessera/engine/device/placement/find_device.h"
#include "tessera/library/device_library.h"
#include "tessera/runtime/device.h"
#include "tessera/runtime/host/host_pool.h"
#include "tessera/runtime/profiler.h"

namespace nb = nanobind;

namespace tessera::bind {

namespace {

void put_pool(nb::dict& entry, const runtime::PoolStatistics& statistics) {
  entry["bytes_in_use"] = statistics.bytes_in_use;
  entry["bytes_cached"] = statistics.bytes_cached;
  entry["peak_bytes_in_use"] = statistics.peak_bytes_in_use;
  entry["allocations"] = statistics.allocations;
  entry["reuses"] = statistics.reuses;
}

/// Statistics of the memory pool of the host ("cpu") or of a device.
nb::dict memory_statistics(const std::string& where) {
  nb::dict result;
  const runtime::Device* device = engine::find_device(where);
  put_pool(result, device ? device->statistics() : runtime::HostPool::instance().statistics());
  return result;
}

void trim_memory(const std::string& where) {
  if (runtime::Device* device = engine::find_device(where)) {
    engine::forget_kept(*device);
    return device->trim();
  }
  runtime::HostPool::instance().trim();
}

void set_memory_limit(int64_t bytes, const std::string& where) {
  require<ValueError>(bytes >= 0, "set_memory_limit: {} is no number of bytes; 0 takes the limit away", bytes);
  if (runtime::Device* device = engine::find_device(where)) return device->set_limit(bytes);
  runtime::HostPool::instance().set_limit(bytes);
}

nb::list largest_arrays(size_t count) {
  nb::list result;
  for (const LargeArray& array : Engine::instance().settings().largest_arrays(count)) {
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

void put_facts(nb::dict& entry, const runtime::Device& device) {
  const runtime::DeviceFacts& facts = device.facts();
  entry["name"] = facts.name;
  entry["capability"] = facts.capability;
  entry["multiprocessors"] = facts.multiprocessors;
  entry["memory"] = facts.memory;
  entry["cache"] = facts.cache;
  entry["driver_version"] = facts.driver_version;
  entry["shared_bytes"] = facts.shared_bytes;
  put_pool(entry, device.statistics());
}

/// The facts about every device, all of which are opened; for a device that cannot be opened, the reason.
nb::list devices() {
  nb::list result;
  for (int number = 0; number < runtime::device_count(); ++number) {
    nb::dict entry;
    try {
      put_facts(entry, runtime::device(number));
    } catch (const Error& error) {
      entry["problem"] = error.what();
    }
    result.append(entry);
  }
  return result;
}

runtime::Device& needed_device(const std::string& where) {
  runtime::Device* device = engine::find_device(where);
  require<ValueError>(device != nullptr, "{} is no device with attributes and limits: there is no GPU", where);
  return *device;
}

/// An attribute by the CUDA driver's number; None where it is not known.
std::optional<int> device_attribute(const std::string& where, int number) {
  return needed_device(where).attribute(number);
}

runtime::DeviceLimit limit_of(int number) {
  require<ValueError>(number >= 0 && number <= 2, "there is no limit {} of devices", number);
  return static_cast<runtime::DeviceLimit>(number);
}

int64_t device_limit(const std::string& where, int number) { return needed_device(where).limit_of(limit_of(number)); }

void set_device_limit(const std::string& where, int number, int64_t nbytes) {
  require<ValueError>(nbytes >= 0, "{} is no number of bytes", nbytes);
  needed_device(where).set_limit_of(limit_of(number), nbytes);
}

/// The libraries of this thread's device, or of the GPU with that number.
nb::list device_libraries(nb::handle number) {
  nb::list result;
  runtime::Device* device =
      number.is_none() ? Engine::instance().devices().chosen_device() : &runtime::device(nb::cast<int>(number));
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
  const WithGil gil;
  return nb::cast<std::vector<std::string>>(nb::module_::import_("tessera._toolkit").attr("folders")());
}

/// Without folders Python is asked again.
void set_toolkit_folders(nb::handle folders) {
  if (folders.is_none()) return library::set_package_folders(package_folders);
  library::set_package_folders([given = nb::cast<std::vector<std::string>>(folders)] { return given; });
}

void set_device(const std::string& where) {
  Engine::instance().settings().set_device(where);
  deliver_reports();
}

constexpr std::pair<const char*, engine::CopyRule> copy_rules[] = {
    {"allow", engine::CopyRule::allow}, {"log", engine::CopyRule::log}, {"error", engine::CopyRule::error}};

engine::CopyRule to_copy_rule(const std::string& name) {
  for (const auto& [known, rule] : copy_rules)
    if (name == known) return rule;
  throw ValueError(format("copy_guard: a rule must be 'allow', 'log' or 'error' (got '{}')", name));
}

nb::tuple tile_rules() {
  const engine::TileRules& rules = engine::tile_rules();
  std::string cut = rules.cut == engine::CutRule::always ? "always" : "auto";
  if (rules.cut == engine::CutRule::from_size) cut = std::to_string(rules.least_bytes);
  return nb::make_tuple(cut, rules.gather == engine::GatherRule::error ? "error" : "allow");
}

nb::tuple copy_guard() {
  const engine::CopyGuard& guard = engine::copy_guard();
  const auto name = [](engine::CopyRule rule) { return copy_rules[static_cast<int>(rule)].first; };
  return nb::make_tuple(name(guard.to_device), name(guard.from_device), name(guard.between_devices));
}

void set_copy_guard(const std::string& to_device, const std::string& from_device, const std::string& between_devices) {
  engine::copy_guard() = {.to_device = to_copy_rule(to_device),
                          .from_device = to_copy_rule(from_device),
                          .between_devices = to_copy_rule(between_devices)};
}

/// Logs to the logger "tessera.copies"; exceptions from logging propagate to the caller.
void log_copy(const std::string& text) {
  nb::module_::import_("logging").attr("getLogger")("tessera.copies").attr("warning")("%s", text);
}

nb::dict layout(nb::handle array) {
  require<TypeError>(is_ndarray(array.ptr()), "layout: not a tessera array but '{}'", Py_TYPE(array.ptr())->tp_name);
  const Array& found = as_ndarray(array.ptr())->array;
  nb::dict result;
  for (const auto& [place, nbytes] : Engine::instance().devices().places(found))
    result[place.c_str()] =
        result.contains(place.c_str()) ? nb::int_(nb::cast<int64_t>(result[place.c_str()]) + nbytes) : nb::int_(nbytes);
  return result;
}

void copy_to_device(nb::handle array) {
  require<TypeError>(is_ndarray(array.ptr()), "to_device: not a tessera array but '{}'", Py_TYPE(array.ptr())->tp_name);
  const Array& moved = as_ndarray(array.ptr())->array;
  if (runtime::Device* device = Engine::instance().devices().chosen_device_for(moved))
    Engine::instance().devices().on_device(moved, *device);
  deliver_reports();
}

void bind_tile_rules(nb::module_& m) {
  m.def("tile_rules", tile_rules,
        "Which arrays are cut over several devices, and whether they may be put together at one.");
  m.def("set_tile_rules", engine::set_tile_rules, nb::arg("cut"), nb::arg("gather"),
        "Sets both for the process: 'auto', 'always' or a number of bytes as text; 'allow' or 'error'.");
  m.def(
      "panel_bytes", [] { return engine::panel_bytes(); }, "How much of a factor of matrices places bring at a time.");
  m.def(
      "set_panel_bytes", [](int64_t nbytes) { engine::panel_bytes() = std::max<int64_t>(1, nbytes); },
      nb::arg("nbytes"), "Sets it for the process.");
}

}  // namespace

void bind_devices(nb::module_& m) {
  library::set_package_folders(package_folders);
  engine::set_copy_hooks(
      {.here = [] { return describe_site(call_site()); }, .describe = describe_site, .log = log_copy});
  m.def("set_toolkit_folders", set_toolkit_folders, nb::arg("folders").none(),
        "The folders that are searched for CUDA's libraries from now on; None: those of tessera._toolkit.folders().");
  m.def("memory_statistics", memory_statistics, nb::arg("where") = "cpu", "What a memory pool holds and handed out.");
  m.def("trim_memory", trim_memory, nb::arg("where") = "cpu",
        "Returns cached memory to the system or the GPU's driver.");
  m.def("set_memory_limit", set_memory_limit, nb::arg("bytes"), nb::arg("where") = "cpu",
        "The most bytes a memory pool may hand out; 0 lifts the limit.");
  m.def("largest_arrays", largest_arrays, nb::arg("count") = 10,
        "The largest arrays that live, but for those under 256 KiB.");
  m.def("copy_guard", copy_guard, "What this thread says of copies to a device, from one and between two.");
  m.def("set_copy_guard", set_copy_guard, nb::arg("to_device"), nb::arg("from_device"), nb::arg("between_devices"),
        "Says what copies to a device, from one and between two do on this thread: 'allow', 'log' or 'error'.");
  bind_tile_rules(m);
  m.def("to_device", copy_to_device, nb::arg("array"),
        "Copies an array's elements now to the device where this thread's work runs, if to one.");
  m.def("layout", layout, nb::arg("array"),
        "Where an array's memory is valid: the bytes at each place, \"cpu\", \"gpu:0\", ...");
  m.def("set_device", set_device, nb::arg("where"),
        "Where this thread's work runs from now on: 'cpu', 'gpu', 'gpu:N', 'gpu:FIRST-LAST', 'gpu:N*PARTS' or 'auto'.");
  m.def("device", [] { return Engine::instance().settings().device(); }, "Where this thread's work runs.");
  m.def(
      "is_on_device",
      [](nb::handle array) {
        require<TypeError>(is_ndarray(array.ptr()), "is_on_device: the array is not tessera's");
        return Engine::instance().devices().device_of(as_ndarray(array.ptr())->array) != nullptr;
      },
      nb::arg("array"), "Whether a device has the elements and the host has none that this thread would use.");
  m.def("device_attribute", device_attribute, nb::arg("where"), nb::arg("number"));
  m.def("device_limit", device_limit, nb::arg("where"), nb::arg("number"));
  m.def("set_device_limit", set_device_limit, nb::arg("where"), nb::arg("number"), nb::arg("nbytes"));
  m.def("devices", devices, "Facts about every GPU of this machine; opens them.");
  m.def(
      "device_problem", [] { return Engine::instance().settings().device_problem(); },
      "Why GPUs do less than they could, or why there are none; empty when all is well.");
  m.def(
      "peer_link",
      [](int from, int to) {
        constexpr const char* names[] = {"through the host", "direct", "NVLink"};
        return names[static_cast<int>(runtime::peer_link(from, to))];
      },
      nb::arg("from_gpu"), nb::arg("to_gpu"), "How one GPU reaches another's memory.");
  m.def("device_libraries", device_libraries, nb::arg("number").none() = nb::none(),
        "Where the libraries of a GPU were found; opens them.");
  m.def(
      "set_collecting",
      [](bool is_collecting) {
        Engine::instance().synchronize();
        if (runtime::Device* device = Engine::instance().devices().for_streams())
          runtime::set_collecting(*device, is_collecting);
      },
      nb::arg("is_collecting"), "Waits for all work, then lets a profiler of the GPU collect or no longer.");
  m.def("allow_tf32", library::allow_tf32, nb::arg("allow"),
        "Whether float32 products on a GPU may round their operands to TF32.");
  m.def("allows_tf32", library::allows_tf32);
}

}  // namespace tessera::bind
