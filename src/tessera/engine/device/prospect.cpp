#include "tessera/engine/device/prospect.h"

#include <exception>

#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

void Prospect::open(bool beside_the_program) {
  State expected = State::unknown;
  if (!state_.compare_exchange_strong(expected, State::opening)) {
    if (!beside_the_program && expected == State::opening) runtime::wait_for_background();
    return;
  }
  if (beside_the_program) return runtime::run_in_background([this] { find(); });
  find();
}

void Prospect::find() {
  try {
    device_ = runtime::device_count() > 0 ? &runtime::device(0) : nullptr;
  } catch (const std::exception&) {  // device_problem() says why
    device_ = nullptr;
  }
  state_.store(device_ ? State::open : State::missing, std::memory_order_release);
}

}  // namespace tessera::engine
