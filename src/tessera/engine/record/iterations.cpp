#include "tessera/engine/record/iterations.h"

#include <algorithm>

namespace tessera::engine {

void IterationsAtOnce::follow(uint64_t loop, int most) {
  if (loops_.size() >= WindowLimits::most_loops) loops_.clear();
  now_ = &loops_[loop];
  most_ = most;
  choose();
}

void IterationsAtOnce::fix(int iterations) {
  now_ = nullptr;
  iterations_ = iterations;
}

void IterationsAtOnce::note(bool found) {
  if (now_) ++(found ? now_->found : now_->made);
}

void IterationsAtOnce::choose() {
  if (!now_) return;
  Experience& now = *now_;
  if (now.iterations > 1 && now.made > WindowLimits::most_misses) {
    now = {.patience = now.patience * WindowLimits::growth};
  } else if (now.found >= now.patience && now.iterations < most_) {
    now = {.iterations = std::min(now.iterations * WindowLimits::growth, most_),
           .patience = now.patience * WindowLimits::growth};
  }
  iterations_ = std::min(now.iterations, most_);
}

}  // namespace tessera::engine
