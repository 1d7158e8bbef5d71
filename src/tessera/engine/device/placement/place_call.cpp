#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "tessera/base/hash.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/placement/find_device.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/device/placement/placer.h"
#include "tessera/engine/support/calls.h"
#include "tessera/engine/support/limits.h"
#include "tessera/library/device_library.h"
#include "tessera/runtime/host/threads.h"
#include "tessera/runtime/user_streams.h"

namespace tessera::engine {

PlacedCall::PlacedCall(ThreadDevices* window) : window_(window && window->choice ? window : nullptr) {
  if (!window_) return;
  outer_ = window_->call;
  window_->call = this;
}

void PlacedCall::leave() {
  // Another thread that runs this window may have entered a call after this one.
  PlacedCall** at = &window_->call;
  while (*at && *at != this) at = &(*at)->outer_;
  if (*at) *at = outer_;
  if (!is_timed_ || !measured_ || std::uncaught_exceptions() > exceptions_) return;
  try {
    placer_->note_call(cost_, measured_->rows().of_work(), device_);
  } catch (...) {
    // No memory for a record: this call stays unknown. A destructor called this.
  }
}

bool is_small_call(int64_t nbytes, const plan::CallCost& cost) {
  return cost.host_steps < plan::PlacementLimits::least_steps ||
         (nbytes < plan::PlacementLimits::call_bytes && cost.host_steps < plan::PlacementLimits::call_steps);
}

namespace {

/// Of several equal devices that are set for the window.
runtime::Device* choose_equal(const CallOperands& operands, const ThreadDevices& window) {
  const std::vector<Ref<graph::Version>> versions = operands.versions();
  SmallVector<const graph::Version*, 16> seen;
  for (const Ref<graph::Version>& version : versions) seen.push_back(version.get());
  return window.target_for(seen, operands.nbytes);
}

}  // namespace

runtime::Device* Placer::place_launches(ThreadDevices& window) {
  if (window.devices || !window.may_choose()) return window.target();
  runtime::Device* device = nullptr;
  if (const PlacedCall* call = window.call; call && call->placer_) {
    device = call->device_;
  } else {
    window.choice->open(false);
    device = window.choice->device();
  }
  return device && device->is_usable() ? device : nullptr;
}

runtime::Device* Placer::place_launch(const CallOperands& operands, ThreadDevices& window) {
  runtime::Device* device = place_launches(window);
  return device && window.has_several() ? choose_equal(operands, window) : device;
}

bool Placer::is_for_device(const CallOperands& operands, const plan::CallCost& cost) {
  const bool is_large = operands.nbytes > 0 && (!operands.is_on_host || !operands.are_any ||
                                                operands.nbytes >= plan::PlacementLimits::call_bytes);
  // A library that takes matrices one by one is launched for each of them.
  const bool is_slow = operands.is_on_host && cost.launches > plan::PlacementLimits::many_launches &&
                       plan::device_seconds(cost, facts_of(nullptr)) > plan::host_seconds(cost);
  return is_large && !is_slow;
}

bool Placer::goes_to_device(const CallOperands& operands, const plan::CallCost& cost, ThreadDevices& window) {
  return window.target() ? is_for_device(operands, cost) : place_call(operands, cost, window) != nullptr;
}

runtime::Device* Placer::place_call(const CallOperands& operands, const plan::CallCost& cost, ThreadDevices& window) {
  if (runtime::Device* device = window.target()) {
    if (!is_for_device(operands, cost)) return nullptr;
    return window.has_several() ? choose_equal(operands, window) : device;
  }
  if (!window.may_choose()) return nullptr;
  PlacedCall* call = window.call;
  if (call && call->placer_) return call->device_ && call->device_->is_usable() ? call->device_ : nullptr;
  if (is_small_call(operands.nbytes, cost) && (!device_has_results_ || operands.is_on_host)) return nullptr;
  PlacedOperands used;
  const std::vector<Ref<graph::Version>> versions = operands.versions();
  for (const auto& version : versions) used.add(*version);
  OperationRecord& operation = calls_.operation(cost.op);
  const bool is_first = !operation.has_run_on_device, is_on_host = used.only_on_device() == 0;
  uint32_t working_set = 0;
  runtime::Device* device = choose_for_call(used, operands.nbytes, cost, window, working_set);
  if (!call) return device;
  call->placer_ = this, call->device_ = device, call->cost_ = cost;
  call->working_set_ = working_set;
  call->stays_ = device && used.lender();
  call->maker_ = device ? calls_.calls_like(cost).maker : 0;
  call->is_timed_ = device ? !is_first && !device->takes_ir() : is_on_host;
  if (call->is_timed_) call->measured_.emplace();
  return device;
}

namespace {

/// Whether a library is open, by a call or in the background.
bool is_there(const OperationRecord& library) {
  return library.has_run_on_device || (library.is_open && library.is_open->load(std::memory_order_acquire));
}

/// Opens it in the background, after the device where that is being opened.
void begin_opening(OperationRecord& library, std::string_view name, const Prospect& choice) {
  if (library.is_open) return;
  library.is_open = std::make_shared<std::atomic<bool>>(false);
  library::open_in_background([&choice] { return choice.device(); }, name,
                              [is_open = library.is_open] { is_open->store(true); });
}

}  // namespace

runtime::Device* Placer::choose_for_call(PlacedOperands& operands, int64_t nbytes, const plan::CallCost& cost,
                                         ThreadDevices& window, uint32_t& working_set) {
  if (runtime::Device* lender = operands.lender()) {
    if (!lender->is_usable()) return nullptr;
    ++calls_.calls_like(cost).runs_on_device;
    return lender;
  }
  DeviceSet* open = window.choice->devices();
  if (open && !open->usable()) return nullptr;
  const DeviceSet::Chosen chosen = open ? open->choose(operands.versions(), nbytes) : DeviceSet::Chosen();
  runtime::Device* device = chosen.device;
  if (device && operands.only_on_host() > device->capacity()) return nullptr;
  CallRecord& record = calls_.calls_like(cost);
  OperationRecord& operation = calls_.operation(cost.op);
  if (operation.is_missing) return nullptr;
  const plan::MachineFacts& facts = facts_of(device);
  OperationRecord* opened = cost.library.empty() ? nullptr : &calls_.operation(cost.library);
  // Work without operands has a working set of its own each time, so what it misses is counted here.
  if (device && operands.versions().empty())
    operation.missed += std::max(0.0, calls_.host_time(cost) - calls_.device_time(cost, facts));
  const bool is_made = operation.has_run_on_device || operation.missed >= cost.making ||
                       (device && device->takes_ir()) || (opened && is_there(*opened));
  const plan::Placement placed =
      choose({.key = Hash().add(cost.op).add(static_cast<uint64_t>(nbytes)).value(),
              .host = calls_.host_time(cost),
              .device = calls_.device_time(cost, facts),
              .host_error = plan::error_after(record.host_runs),
              .device_error = plan::error_after(record.device_runs),
              .making = (is_made ? 0 : cost.making) + (device ? 0 : facts.open),
              .in_background = (!device || opened) && kernels_.opens_in_background(),
              .result_bytes = std::clamp<int64_t>(static_cast<int64_t>(cost.device_bytes) - nbytes, 0, nbytes)},
             operands, device, window);
  working_set = placed.set;
  if (placed.gets_ready && kernels_.opens_in_background()) {
    if (!device) window.choice->open(true);
    if (opened && !is_made) begin_opening(*opened, cost.library, *window.choice);
  }
  device = placed.on_device ? open_for(window, device) : nullptr;
  if (!device) {
    forget_some(record.maker);
    return nullptr;
  }
  try {
    operands.move(*device);
  } catch (const OutOfMemory&) {
    return nullptr;
  }
  if (open) open->take_turn(chosen);
  const bool is_first = !std::exchange(operation.has_run_on_device, true);
  if (is_first && opened) opened->has_run_on_device = true;
  if (is_first && !device->takes_ir()) note_first_run(cost.making);
  if (++record.runs_on_device >= plan::PlacementLimits::remembered_runs)
    record.runs_on_device /= 2, forget_half(record.maker);
  return device;
}

void Placer::enter(graph::Version& version, bool on_device, const ThreadDevices& window) {
  if (!window.may_choose() || (!on_device && version.nbytes < plan::PlacementLimits::call_bytes)) return;
  if (const PlacedCall* call = window.call; call && call->placer_) {
    version.working_set = call->working_set_, version.was_placed = true;
    version.maker = on_device ? call->maker_ : 0;
    version.stays = on_device && call->stays_;
  } else if (!on_device) {
    version.working_set = sets_.made_by(site(), version.nbytes);
  }
}

Ref<graph::Version> Placer::enter_on_device(const char* data, int64_t nbytes, const ThreadDevices& window) {
  // What it is used with first says which of several devices it belongs on.
  if (window.has_several()) return {};
  runtime::Device* device =
      window.choice && !window.call && nbytes >= plan::PlacementLimits::call_bytes ? window.choice->device() : nullptr;
  if (!device || !device->is_usable() || nbytes > device->capacity() || copy_guard().to_device == CopyRule::error)
    return {};
  const uint32_t working_set = sets_.made_by(site(), nbytes);
  const plan::MachineFacts& facts = facts_of(device);
  const double host_copy = copy_seconds_a_byte_ > 0 ? copy_seconds_a_byte_ : 1 / facts.first_touch;
  if (!sets_.enters_device(working_set, nbytes, host_copy * static_cast<double>(nbytes), facts)) return {};
  Ref<graph::Version> version = make_on_device(data, nbytes, *prepared(*device));
  version->working_set = working_set, version->was_placed = true;
  device_has_results_ = true;
  return version;
}

void Placer::note_read(const graph::Version& version) {
  if (version.working_set && version.maker == 0 && machine_)
    sets_.note_read(version.working_set, version.nbytes, *machine_);
}

void Placer::expect_lent(const ThreadDevices& window) {
  device_has_results_ = true;
  if (Prospect* choice = window.choice) choice->open(false);
}

void Placer::give_up_device(ThreadDevices& window, std::string_view for_good) {
  if (!for_good.empty()) calls_.operation(for_good).is_missing = true;
  PlacedCall* call = window.call;
  if (call && call->placer_) call->device_ = nullptr, call->is_timed_ = false;
}

bool Placer::is_chosen_for(const Array& array, const ThreadDevices& window) {
  return (window.target() || (window.choice && window.choice->device())) &&
         array.view.size() * array.view.itemsize() >= plan::PlacementLimits::array_bytes;
}

}  // namespace tessera::engine
