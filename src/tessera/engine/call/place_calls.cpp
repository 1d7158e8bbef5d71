#include "tessera/engine/call/place_calls.h"

#include <utility>
#include <vector>

#include "tessera/engine/devices.h"
#include "tessera/engine/support/calls.h"
#include "tessera/library/device_library.h"
#include "tessera/profile/account.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/host_pool.h"

namespace tessera::engine {

using routines::CallBase;
using routines::Elements;

namespace {

/// The host's copies of what a part of a call reads and writes on a device.
class HostCopies {
 public:
  HostCopies(const CallBase& part, runtime::Device& device) : part_(part), device_(device) {
    for (const Elements& operand : part.operands) operands_.push_back(copy_of(operand));
    for (const Elements& result : part.results) results_.push_back(copy_of(result));
    if (!part.part) return;
    part_of_call_ = *part.part;
    if (part.part->totals) part_of_call_.totals = copy_out(part.part->totals, part.part->totals_nbytes);
  }

  CallBase call() {
    return {part_.arguments, operands_, results_,
            [this](int k, std::span<const int64_t> shape, DType dtype) { make_result(k, shape, dtype); },
            part_.part ? &part_of_call_ : nullptr};
  }
  /// Copies back what may have been written.
  void settle() {
    for (const auto& [k, shape] : made_) {
      const DType dtype = results_[k].view.dtype;
      part_.make_result(static_cast<int>(k), shape, dtype);
      part_.results[k].view = results_[k].view;
    }
    for (size_t k = 0; k < results_.size(); ++k) copy_back(results_[k], part_.results[k]);
    if (part_.part && part_.part->totals) copy_in(part_.part->totals, part_of_call_.totals, part_.part->totals_nbytes);
  }

 private:
  char* copy_out(const char* data, int64_t nbytes) {
    char* const copy =
        memory_.emplace_back(runtime::HostPool::instance().allocate(static_cast<size_t>(nbytes)))->data();
    device_.stream().copy_out(copy, data, static_cast<size_t>(nbytes));
    profile::add(profile::Counter::copies_from_device);
    profile::add(profile::Counter::bytes_from_device, nbytes);
    return copy;
  }
  void copy_in(char* data, const char* copy, int64_t nbytes) {
    device_.stream().copy_in(data, copy, static_cast<size_t>(nbytes));
    profile::add(profile::Counter::copies_to_device);
    profile::add(profile::Counter::bytes_to_device, nbytes);
  }
  Elements copy_of(const Elements& there) {
    const auto [begin, end] = there.view.byte_range();
    if (!there.data || begin == end) return there;
    return {copy_out(there.data + begin, end - begin) - begin, there.view};
  }
  void copy_back(const Elements& here, const Elements& there) {
    const auto [begin, end] = there.view.byte_range();
    if (there.data && begin < end) copy_in(there.data + begin, here.data + begin, end - begin);
  }
  void make_result(int k, std::span<const int64_t> shape, DType dtype) {
    const View view = View::contiguous(shape, dtype);
    const auto nbytes = static_cast<size_t>(view.size() * view.itemsize());
    results_[static_cast<size_t>(k)] = {memory_.emplace_back(runtime::HostPool::instance().allocate(nbytes))->data(),
                                        view};
    made_.emplace_back(static_cast<size_t>(k), view.shape);
  }

  const CallBase& part_;
  runtime::Device& device_;
  std::vector<Elements> operands_, results_;
  std::vector<std::pair<size_t, Dims>> made_;  // results whose shapes depend on elements
  routines::PartOfCall part_of_call_;
  std::vector<Ref<runtime::Buffer>> memory_;
};

}  // namespace

PlaceCalls::PlaceCalls(State& state, const routines::Entry& entry, runtime::Device* device, Otherwise otherwise)
    : state_(state), entry_(entry), copies_(otherwise == Otherwise::runs_on_copies) {
  if (!device) return;
  state.devices.of(*device);  // whoever synchronises waits for its stream
  launcher_.emplace(Devices(state), *device);
}

routines::HostCall PlaceCalls::host_call(const CallBase& part) const {
  return {part,
          [this](const routines::KernelLaunch& launch, int64_t work) { Devices(state_).run_on_host(launch, work); }};
}

void PlaceCalls::run_on_host(const CallBase& part) const {
  const profile::InRow row(profile::Row::running);
  routines::HostCall call = host_call(part);
  entry_.on_host(call);
}

void PlaceCalls::run_on_copies(const CallBase& part) {
  launcher_->flush();
  HostCopies copies(part, launcher_->device());
  run_on_host(copies.call());
  copies.settle();
}

bool PlaceCalls::suits_device(const CallBase& part) const {
  if (!entry_.on_device) return false;
  SmallVector<const View*, 4> seen;
  for (const Elements& operand : part.operands) {
    if (!has_whole_steps(operand.view)) return false;
    seen.push_back(&operand.view);
  }
  return !entry_.suits_device || entry_.suits_device({seen, part.arguments});
}

void PlaceCalls::run(const CallBase& part) {
  if (!launcher_) return run_on_host(part);
  if (copies_ && !suits_device(part)) return run_on_copies(part);
  routines::DeviceCall call{part, *launcher_};
  try {
    return entry_.on_device(call);
  } catch (const routines::NoDeviceCode&) {
    if (!copies_) throw;
  } catch (const library::LibraryMissing&) {
    if (!copies_) throw;
  }
  run_on_copies(part);
}

void PlaceCalls::launch(const routines::KernelLaunch& launch, int64_t work) {
  launcher_ ? launcher_->run(launch) : Devices(state_).run_on_host(launch, work);
}

uint32_t PlaceCalls::events(const CallBase& part, uint32_t watched) const {
  return watched && entry_.events && is_on_host() ? entry_.events(host_call(part), watched) : 0;
}

void PlaceCalls::flush() {
  if (launcher_) launcher_->flush();
}

}  // namespace tessera::engine
