#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "tessera/engine/call/call.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/placement/credits.h"
#include "tessera/engine/device/placement/find_device.h"
#include "tessera/engine/device/placement/place.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/limits.h"
#include "tessera/engine/state.h"
#include "tessera/runtime/host/threads.h"
#include "tessera/runtime/user_streams.h"

namespace tessera {

engine::PlacedCall::PlacedCall() : PlacedCall(own_recorder.recorder) {}

engine::PlacedCall::PlacedCall(Recorder* window) : window_(window && window->choice ? window : nullptr) {
  if (!window_) return;
  outer_ = window_->call;
  window_->call = this;
}

void engine::PlacedCall::leave() {
  // Another thread that runs this window may have entered a call after this one.
  PlacedCall** at = &window_->call;
  while (*at && *at != this) at = &(*at)->outer_;
  if (*at) *at = outer_;
  if (!is_timed_ || std::uncaught_exceptions() > exceptions_) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  try {
    if (device_)
      engine_->calls.note_device(cost_, seconds, engine_->facts_of(device_));
    else
      engine_->calls.note_host(cost_, seconds);
  } catch (...) {
    // No memory for a record: this call stays unknown. A destructor called this.
  }
}

bool engine::is_small_call(int64_t nbytes, const engine::CallCost& cost) {
  return cost.host_steps < PlacementLimits::least_steps ||
         (nbytes < PlacementLimits::call_bytes && cost.host_steps < PlacementLimits::call_steps);
}

/// The first decision within a call by the user holds for all of it.
runtime::Device* engine::State::place_call(const engine::CallOperands& operands, const engine::CallCost& cost,
                                           engine::Recorder& window) {
  if (runtime::Device* device = window.target()) {
    const bool is_large = operands.nbytes > 0 && (!operands.is_on_host || !operands.are_any ||
                                                  operands.nbytes >= engine::PlacementLimits::call_bytes);
    // A library that takes matrices one by one is launched for each of them.
    const bool is_slow = operands.is_on_host && cost.launches > engine::PlacementLimits::many_launches &&
                         device_seconds(cost, facts_of(nullptr)) > host_seconds(cost);
    if (!is_large || is_slow) return nullptr;
    return window.has_several() ? choose_equal_for_call(operands.versions(), operands.nbytes, window) : device;
  }
  if (!window.choice || window.choice->is_missing()) return nullptr;
  engine::PlacedCall* call = window.call;
  if (call && call->engine_) return call->device_ && call->device_->is_usable() ? call->device_ : nullptr;
  if (engine::is_small_call(operands.nbytes, cost) && (!device_has_results || operands.is_on_host)) return nullptr;
  runtime::Device* open = window.choice->device();
  engine::OperandCredits stakes(origins, facts_of(open && open->is_usable() ? open : nullptr));
  const std::vector<Ref<graph::Version>> versions = operands.versions();
  for (const auto& version : versions) stakes.add(*version);
  engine::OperationRecord& operation = calls.operation(cost.op);
  const bool is_first = !operation.has_run_on_device, is_on_host = stakes.only_on_device() == 0;
  runtime::Device* device = choose_for_call(stakes, cost, window);
  if (!call) return device;
  call->engine_ = this, call->device_ = device, call->cost_ = cost;
  call->origin_ = stakes.origin(), call->was_moved_ = stakes.was_moved();
  call->stays_ = device && stakes.lender();
  call->credit_a_byte_ = device ? 0 : stakes.credit_a_byte();
  call->maker_ = device ? calls.calls_like(cost).maker : 0;
  call->is_timed_ = device ? !is_first && !device->takes_ir() : is_on_host;
  call->start_ = engine::PlacedCall::Clock::now();
  return device;
}

runtime::Device* engine::State::place_call(std::span<const Array* const> operands, const engine::CallCost& cost) {
  engine::CallOperands seen{.are_any = !operands.empty()};
  for (const Array* array : operands) {
    if (!engine::has_whole_steps(array->view)) return nullptr;
    seen.nbytes += array->view.size() * array->view.itemsize();
    seen.is_on_host &= array->storage->current->data != nullptr;
  }
  seen.versions = [&] {
    std::vector<Ref<graph::Version>> versions;
    for (const Array* array : operands) {
      versions.push_back(finished(*array->storage));
      if (array->storage->pins > 0) versions.back()->foreign = true;
    }
    return versions;
  };
  return place_call(seen, cost, recorder());
}

runtime::Device* engine::State::choose_equal_for_call(std::span<const Ref<graph::Version>> versions, int64_t nbytes,
                                                      engine::Recorder& window) {
  SmallVector<const graph::Version*, 16> operands;
  for (const Ref<graph::Version>& version : versions) operands.push_back(version.get());
  return window.target_for(operands, nbytes);
}

runtime::Device* engine::State::choose_for_call(engine::OperandCredits& stakes, const engine::CallCost& cost,
                                                engine::Recorder& window) {
  if (runtime::Device* lender = stakes.lender()) {
    if (!lender->is_usable()) return nullptr;
    ++calls.calls_like(cost).runs_on_device;
    return lender;
  }
  runtime::Device* device = window.choice->device();
  if (device && stakes.only_on_host() > device->capacity()) return nullptr;
  engine::CallRecord& record = calls.calls_like(cost);
  engine::OperationRecord& operation = calls.operation(cost.op);
  if (operation.is_missing) return nullptr;
  const engine::MachineFacts& facts = facts_of(device && device->is_usable() ? device : nullptr);
  const auto making = [&](runtime::Device* on) {
    const bool is_made = operation.has_run_on_device || (on && on->takes_ir()) ||
                         (!cost.library.empty() && calls.operation(cost.library).has_run_on_device);
    return (is_made ? 0 : cost.making) + (on ? 0 : facts.open);
  };
  device = choose({.operands = stakes,
                   .host = calls.host_time(cost),
                   .device = calls.device_time(cost, facts),
                   .regret = operation.regret,
                   .is_shared = true,
                   .makes_in_background = false,
                   .making = making,
                   .get_ready =
                       [&](runtime::Device* on) {
                         if (!on && kernels.opens_in_background()) window.choice->open(true);
                       }},
                  window);
  if (!device) {
    engine::forget_some(record.maker);
    return nullptr;
  }
  try {
    stakes.move(*device);
  } catch (const OutOfMemory&) {
    return nullptr;
  }
  const bool is_first = !std::exchange(operation.has_run_on_device, true);
  if (is_first && !cost.library.empty()) calls.operation(cost.library).has_run_on_device = true;
  if (++record.runs_on_device >= engine::PlacementLimits::remembered_runs)
    record.runs_on_device /= 2, engine::forget_half(record.maker);
  return device;
}

namespace {

/// What a launch costs if all its threads run the whole kernel; where loops end is not known, so each is taken to go
/// along the longest axis of an array. Measurements replace it.
engine::CallCost cost_of_launch(const engine::UserKernel& kernel, const LaunchShape& shape,
                                std::span<const Array> arrays) {
  constexpr double lanes_at_once = 1 << 14, nanoseconds_a_step = 0.25;
  int64_t longest = 1, nbytes = 0;
  for (const Array& array : arrays) {
    nbytes += array.view.size() * array.view.itemsize();
    for (const int64_t extent : array.view.shape) longest = std::max(longest, extent);
  }
  const auto lanes = static_cast<double>(shape.blocks() * shape.threads());
  const double steps = kernel.steps_a_lane(static_cast<double>(longest));
  return {.op = kernel.placed_as(),
          .host_steps = lanes * steps * nanoseconds_a_step / runtime::thread_count(),
          .device_bytes = static_cast<double>(nbytes),
          .device_operations = engine::PlacementLimits::operations_a_step * steps * std::max(lanes, lanes_at_once),
          .launches = 1};
}

}  // namespace

runtime::Device* engine::State::place_launch(const engine::UserKernel& kernel, const LaunchShape& shape,
                                             std::span<const Array> arrays, engine::Recorder& window) {
  if (shape.stream && shape.stream->device().is_usable()) return &shape.stream->device();
  runtime::Device* set = window.target();
  if (set && !window.has_several()) return set;
  if (!set && (!window.choice || window.choice->is_missing())) return nullptr;
  if (!set && !kernel.kernel().foreign.empty()) {  // its code is not for the cores
    window.choice->open(false);
    runtime::Device* device = window.choice->device();
    return device && device->is_usable() ? device : nullptr;
  }
  engine::CallOperands operands{.are_any = !arrays.empty()};
  for (const Array& array : arrays) {
    operands.nbytes += array.view.size() * array.view.itemsize();
    operands.is_on_host &= array.storage->current->data != nullptr;
  }
  operands.versions = [&] {
    std::vector<Ref<graph::Version>> versions;
    for (const Array& array : arrays) versions.push_back(finished(*array.storage));
    return versions;
  };
  if (set) return choose_equal_for_call(operands.versions(), operands.nbytes, window);
  return place_call(operands, cost_of_launch(kernel, shape, arrays), window);
}

runtime::Device* engine::State::device_here() {
  const engine::Recorder& window = recorder();
  if (runtime::Device* device = window.target()) return device;
  return window.call && window.call->device_ && window.call->device_->is_usable() ? window.call->device_ : nullptr;
}

void engine::State::enter(graph::Version& version, bool on_device) {
  engine::Recorder& window = recorder();
  if (!window.choice || window.choice->is_missing() ||
      (!on_device && version.nbytes < engine::PlacementLimits::call_bytes))
    return;
  if (const engine::PlacedCall* call = window.call; call && call->engine_) {
    version.origin = call->origin_, version.was_moved = call->was_moved_;
    version.credit = on_device ? 0.0F : static_cast<float>(call->credit_a_byte_ * static_cast<double>(version.nbytes));
    version.maker = on_device ? call->maker_ : 0;
    version.stays = on_device && call->stays_;
  } else if (!on_device) {
    version.origin = origins.enter(sites.current ? sites.current() : 0, version.nbytes);
  }
}

Ref<graph::Version> engine::State::enter_on_device(const char* data, int64_t nbytes) {
  const engine::Recorder& window = recorder();
  runtime::Device* device = window.choice && !window.call && nbytes >= engine::PlacementLimits::call_bytes
                                ? window.choice->device()
                                : nullptr;
  if (!device || !device->is_usable() || nbytes > device->capacity() ||
      engine::copy_guard().to_device == engine::CopyRule::error)
    return {};
  const uint16_t origin = origins.enter(sites.current ? sites.current() : 0, nbytes);
  const double moving = (facts_of(device).copy_start + static_cast<double>(nbytes) / facts_of(device).to_device) *
                        origins.moves_each(origin);
  // On the host they would have to be copied, too.
  engine::charge_copies_to_host([&](uint16_t payer, double seconds) { origins.earn(payer, -seconds); });
  const double expected = origins.expected(origin, nbytes), copying = copy_seconds_a_byte * static_cast<double>(nbytes);
  engine::Regret none;
  const engine::Question question{.saving = expected + copying, .moving = moving};
  if (expected <= 0 || decide({copying, moving, question}, none) != engine::Choice::device) {
    origins.leave(origin);
    return {};
  }
  Ref<graph::Version> version;
  try {
    version = engine::make_on_device(data, nbytes, *engine::prepared(*device));
  } catch (...) {
    origins.leave(origin);
    throw;
  }
  version->origin = origin, version->was_moved = true;
  origins.note_move(origin, true, nbytes);
  device_has_results = true;
  return version;
}

void engine::State::give_up_device(engine::Recorder& window, std::string_view for_good) {
  if (!for_good.empty()) calls.operation(for_good).is_missing = true;
  engine::PlacedCall* call = window.call;
  if (call && call->engine_) call->device_ = nullptr, call->is_timed_ = false;
}

bool engine::State::waits_to_time_call() {
  engine::PlacedCall* call = recorder().call;
  if (!call || !call->is_timed_) return false;
  call->is_timed_ = calls.calls_like(call->cost_).host_runs < engine::PlacementLimits::enough_runs;
  return call->is_timed_;
}

bool engine::State::is_chosen_for(const Array& array) {
  const engine::Recorder& window = recorder();
  return (window.target() || (window.choice && window.choice->device())) &&
         array.view.size() * array.view.itemsize() >= engine::PlacementLimits::array_bytes;
}

uint8_t Devices::count_element_write(const Array& array) {
  constexpr int64_t small_bytes = 4096;
  constexpr int most_writes = 32;
  const graph::Version& version = *array.storage->current;
  if (version.nbytes < small_bytes || !device_of(array) || version.element_writes == most_writes) return 0;
  return static_cast<uint8_t>(version.element_writes + 1);
}

}  // namespace tessera
