#include "tessera/engine/device/placement/prospect.h"

#include <exception>

#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

void Prospect::open(bool in_background) {
  State expected = State::unknown;
  if (!state_.compare_exchange_strong(expected, State::opening)) {
    if (!in_background && expected == State::opening) runtime::wait_for_background();
    return;
  }
  if (in_background) return runtime::run_in_background([this] { find(); });
  find();
}

void Prospect::find() {
  std::vector<runtime::Device*> found;
  try {
    found = find_();
  } catch (const std::exception&) {  // device_problem() has the reason
  }
  if (!found.empty()) devices_ = std::make_unique<DeviceSet>(name_, std::move(found));
  state_.store(devices_ ? State::open : State::missing, std::memory_order_release);
}

}  // namespace tessera::engine
