#include "tessera/engine/device/placement/find_device.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "tessera/base/error.h"
#include "tessera/engine/device/memory/spill.h"
#include "tessera/engine/device/run/simulated_device.h"

namespace tessera::engine {

runtime::Device* prepared(runtime::Device& device) {
  device.set_relief([&device](int64_t nbytes) { return make_room(device, nbytes); });
  return &device;
}

namespace {

/// The first and the last number.
struct Numbers {
  int first = 0, last = 0;
};

std::optional<int> number_in(std::string_view text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

/// "2" or "0-1"; nothing for other texts.
std::optional<Numbers> range_in(std::string_view text) {
  const size_t dash = text.find('-');
  const std::optional<int> first = number_in(text.substr(0, dash));
  const std::optional<int> last = dash == std::string_view::npos ? first : number_in(text.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return Numbers{*first, *last};
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Several places of one GPU, each with memory and a queue of its own: what several GPUs would do is tried on one.
std::vector<runtime::Device*> parts_of(const std::string& where, std::optional<int> number, std::optional<int> parts) {
  constexpr int most_parts = 16;
  require<ValueError>(number && parts && *parts >= 1 && *parts <= most_parts,
                      "device must be 'gpu:N*PARTS' with 1 to {} parts (got '{}')", most_parts, where);
  std::vector<runtime::Device*> devices;
  for (int part = 0; part < *parts; ++part) devices.push_back(prepared(runtime::device(*number, part)));
  return devices;
}

std::vector<runtime::Device*> devices_named(const std::string& where) {
  std::string_view rest = where;
  std::optional<Numbers> range;
  if (take_prefix(rest, "simulated")) {
    if (rest.empty()) range = Numbers{};
    if (take_prefix(rest, "@"))
      if (const std::optional<int> number = number_in(rest)) range = Numbers{*number, *number};
    if (take_prefix(rest, ":"))
      if (const std::optional<int> count = number_in(rest); count && *count > 0) range = Numbers{0, *count - 1};
    require<ValueError>(range && range->last < most_simulated,
                        "device must be 'simulated', 'simulated@N' or 'simulated:COUNT', of {} at most (got '{}')",
                        most_simulated, where);
    std::vector<runtime::Device*> devices;
    for (int number = range->first; number <= range->last; ++number)
      devices.push_back(prepared(simulated_device(number)));
    return devices;
  }
  if (take_prefix(rest, "gpu")) {
    if (rest.empty()) range = Numbers{};
    if (take_prefix(rest, ":")) {
      if (const size_t star = rest.find('*'); star != std::string_view::npos)
        return parts_of(where, number_in(rest.substr(0, star)), number_in(rest.substr(star + 1)));
      range = range_in(rest);
    }
  }
  require<ValueError>(range.has_value(),
                      "device must be 'cpu', 'gpu', 'gpu:N', 'gpu:FIRST-LAST', 'gpu:N*PARTS' or 'auto' (got '{}')",
                      where);
  require<RuntimeError>(range->last == 0 || range->last < runtime::device_count() || runtime::device_count() == 0,
                        "device {}: this machine has {} GPUs", where, runtime::device_count());
  std::vector<runtime::Device*> devices;
  for (int number = range->first; number <= range->last; ++number) devices.push_back(prepared(runtime::device(number)));
  return devices;
}

}  // namespace

DeviceSet* find_devices(const std::string& where) {
  if (where.empty() || where == "cpu" || find_choice(where)) return nullptr;
  // Never destroyed: windows refer to them until the process ends. The engine's lock guards it.
  static auto& known = *new std::map<std::string, std::unique_ptr<DeviceSet>>;
  std::unique_ptr<DeviceSet>& set = known[where];
  if (!set) {
    try {
      std::vector<runtime::Device*> devices = devices_named(where);
      const std::string name = devices.size() == 1 ? runtime::device_name(devices[0]) : where;
      set = std::make_unique<DeviceSet>(name, std::move(devices));
    } catch (...) {
      known.erase(where);
      throw;
    }
  }
  return set.get();
}

runtime::Device* find_device(const std::string& where) {
  DeviceSet* set = find_devices(where);
  if (!set) return nullptr;
  require<ValueError>(set->is_one(), "'{}' names {} devices where one is meant: '{}'", where, set->devices().size(),
                      runtime::device_name(set->devices()[0]));
  return set->devices()[0];
}

Prospect* find_choice(const std::string& where) {
  std::string_view rest = where;
  if (!take_prefix(rest, "auto")) return nullptr;
  const bool is_plain = rest.empty();
  if (!is_plain && !take_prefix(rest, ":")) return nullptr;
  // Never destroyed: a background thread may still be opening a device when the process ends. The engine's lock guards
  // it.
  static auto& known = *new std::map<std::string, std::unique_ptr<Prospect>>;
  std::unique_ptr<Prospect>& choice = known[where];
  if (choice) return choice.get();
  try {
    if (rest.starts_with("simulated")) {
      choice = std::make_unique<Prospect>(where, [devices = devices_named(std::string(rest))] { return devices; });
      choice->open(false);
    } else {
      const std::optional<Numbers> range = is_plain ? Numbers{} : range_in(rest);
      require<ValueError>(range.has_value(), "device must be 'auto' or 'auto:FIRST-LAST' (got '{}')", where);
      choice = std::make_unique<Prospect>(where, [range = *range] {
        std::vector<runtime::Device*> devices;
        for (int number = range.first; number <= std::min(range.last, runtime::device_count() - 1); ++number) try {
            devices.push_back(prepared(runtime::device(number)));
          } catch (const std::exception&) {  // the others go on; device_problem() has the reason
          }
        return devices;
      });
    }
  } catch (...) {
    known.erase(where);
    throw;
  }
  return choice.get();
}

}  // namespace tessera::engine
