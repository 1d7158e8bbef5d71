#include <algorithm>
#include <exception>
#include <vector>

#include "tessera/engine/call/call.h"
#include "tessera/engine/device/memory/coherence.h"
#include "tessera/engine/device/memory/copy_guard.h"
#include "tessera/engine/device/placement/credits.h"
#include "tessera/engine/device/placement/find_device.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/limits.h"
#include "tessera/engine/state.h"

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

namespace {

/// Whether the call is too small to consider a device, unless a device has its operands.
bool is_small_call(std::span<const Array* const> operands, const engine::CallCost& cost, bool device_has_results) {
  int64_t nbytes = 0;
  for (const Array* array : operands) {
    nbytes += array->view.size() * array->view.itemsize();
    if (device_has_results && !array->storage->current->data) return false;
  }
  return nbytes < engine::PlacementLimits::call_bytes && cost.host_steps < engine::PlacementLimits::call_steps;
}

}  // namespace

/// The first decision within a call by the user holds for all of it.
runtime::Device* engine::State::place_call(std::span<const Array* const> operands, const engine::CallCost& cost) {
  engine::Recorder& window = recorder();
  if (!window.choice || window.choice->is_missing()) return nullptr;
  engine::PlacedCall* call = window.call;
  if (call && call->engine_) return call->device_ && call->device_->is_usable() ? call->device_ : nullptr;
  if (is_small_call(operands, cost, device_has_results)) return nullptr;
  std::vector<Ref<graph::Version>> versions;
  for (const Array* array : operands) {
    versions.push_back(finished(*array->storage));
    if (array->storage->pins > 0) versions.back()->foreign = true;
  }
  return place_call(versions, cost, window);
}

runtime::Device* engine::State::place_call(std::span<const Ref<graph::Version>> versions, const engine::CallCost& cost,
                                           engine::Recorder& window) {
  engine::PlacedCall* call = window.call;
  runtime::Device* open = window.choice->device();
  engine::OperandCredits stakes(origins, facts_of(open && open->is_usable() ? open : nullptr));
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

runtime::Device* engine::State::choose_for_call(engine::OperandCredits& stakes, const engine::CallCost& cost,
                                                engine::Recorder& window) {
  if (runtime::Device* lender = stakes.lender()) {
    if (!lender->is_usable()) return nullptr;
    ++calls.calls_like(cost).runs_on_device;
    return lender;
  }
  runtime::Device* device = window.choice->device();
  if (device && (!device->is_usable() || stakes.only_on_host() > device->capacity())) return nullptr;
  if (engine::copy_guard().to_device == engine::CopyRule::error && stakes.only_on_host() > 0) return nullptr;
  const engine::MachineFacts& facts = facts_of(device);
  engine::CallRecord& record = calls.calls_like(cost);
  engine::OperationRecord& operation = calls.operation(cost.op);
  if (operation.is_missing) return nullptr;
  engine::Question question{.saving = calls.host_time(cost) - calls.device_time(cost, facts)};
  question.moving = stakes.moving(), question.credit = stakes.credit(), question.expected = stakes.expected();
  question.copying_back = stakes.copying_back(), question.debt = stakes.debt();
  const bool is_ready = operation.has_run_on_device || (device && device->takes_ir());
  question.making = (is_ready ? 0 : cost.making) + (device ? 0 : facts.open);
  question.in_background = !device && kernels.opens_in_background();
  const engine::Choice choice = engine::choose_device(question, operation.regret);
  stakes.settle(choice == engine::Choice::device, question.saving);
  const bool opens = !device && (choice == engine::Choice::get_ready || opens_early(question.saving, *window.choice));
  if (opens && question.in_background) window.choice->open(true);
  if (choice != engine::Choice::device) return nullptr;
  if (!device) {
    window.choice->open(false);
    device = window.choice->device();
    if (!device) return nullptr;
  }
  try {
    stakes.move(*engine::prepared(*device));
  } catch (const OutOfMemory&) {
    return nullptr;
  }
  operation.has_run_on_device = true;
  if (++record.runs_on_device >= engine::PlacementLimits::remembered_runs)
    record.runs_on_device /= 2, engine::forget_half(record.maker);
  device_has_results = true;
  return device;
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
  if (expected <= 0 || expected + copying < moving) {
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

bool Devices::may_choose(const Array& array) {
  const engine::Prospect* choice = state_->recorder().choice;
  return choice && choice->device() &&
         array.view.size() * array.view.itemsize() >= engine::PlacementLimits::array_bytes;
}

bool Devices::would_choose(std::span<const Array* const> arrays, const ops::Cost& cost) {
  int64_t nbytes = 0;
  bool is_on_host = true;
  for (const Array* array : arrays) {
    if (!engine::has_whole_steps(array->view)) return false;
    is_on_host &= array->storage->current->data != nullptr;
    nbytes += array->view.size() * array->view.itemsize();
  }
  if (state_->recorder().target()) return engine::is_worth_a_device(nbytes, is_on_host);
  return state_->place_call(arrays, cost) != nullptr;
}

}  // namespace tessera
