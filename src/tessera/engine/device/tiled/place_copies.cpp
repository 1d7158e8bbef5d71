#include "tessera/engine/device/tiled/place_copies.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "tessera/profile/account.h"

namespace tessera::engine {

using runtime::Device;

namespace {

bool is_between_devices(const PlaceCopy& copy) { return copy.other && copy.other != copy.device; }

/// What the device copies of others, by a kernel of its own that reads their memory: each copy by the driver would take
/// its 13 us behind the one before. False where that is not possible.
bool pull_together(Device& device, std::span<const PlaceCopy> copies, DeviceRunners& devices) {
  std::vector<BoxCopies::Pull> pulls;
  for (const PlaceCopy& copy : copies) {
    if (!is_between_devices(copy) || !device.reach(*copy.other)) return false;
    pulls.push_back({copy.from, copy.to, copy.nbytes});
  }
  return devices.of(device).pull(pulls);
}

void copy_by_driver(const PlaceCopy& copy) {
  if (copy.other)
    copy.device->stream().copy(copy.to, copy.from, static_cast<size_t>(copy.nbytes));
  else
    copy.device->stream().copy_in(copy.to, copy.from, static_cast<size_t>(copy.nbytes));
}

/// Points on devices' streams that others wait for.
class Points {
 public:
  /// To be recorded before anybody waits: later ones would come after those waits.
  void record(Device& device) {
    if (std::unique_ptr<runtime::Event>& point = points_[&device]; !point) point = device.stream().record();
  }
  void await(Device& waiting, Device& other) { waiting.stream().wait_for(*points_.at(&other)); }

 private:
  std::map<Device*, std::unique_ptr<runtime::Event>> points_;
};

}  // namespace

void copy_between(std::vector<PlaceCopy> copies, DeviceRunners& devices) {
  if (copies.empty()) return;
  const profile::InRow row(profile::Row::copying);
  std::vector<std::pair<Device*, Device*>> pairs;  // of which the first copies from the second
  for (const PlaceCopy& copy : copies)
    if (const std::pair pair(copy.device, copy.other);
        is_between_devices(copy) && std::ranges::find(pairs, pair) == pairs.end())
      pairs.push_back(pair);
  Points sending, received;
  for (const auto& [to, from] : pairs) sending.record(*from);
  for (const auto& [to, from] : pairs) {
    to->reach(*from);
    sending.await(*to, *from);
  }
  // Of each device in turn, by where it is first.
  std::vector<Device*> order;
  for (const PlaceCopy& copy : copies)
    if (std::ranges::find(order, copy.device) == order.end()) order.push_back(copy.device);
  const auto turn = [&](const PlaceCopy& copy) { return std::ranges::find(order, copy.device) - order.begin(); };
  std::ranges::stable_sort(copies, {}, turn);
  for (auto first = copies.begin(); first != copies.end();) {
    const auto next = std::find_if(first, copies.end(), [&](const PlaceCopy& c) { return c.device != first->device; });
    const auto others = std::stable_partition(first, next, [](const PlaceCopy& c) { return !is_between_devices(c); });
    std::for_each(first, others, copy_by_driver);
    if (others != next && !pull_together(*first->device, {others, next}, devices))
      std::for_each(others, next, copy_by_driver);
    first = next;
  }
  for (const auto& [to, from] : pairs) received.record(*to);
  for (const auto& [to, from] : pairs) received.await(*from, *to);
}

}  // namespace tessera::engine
