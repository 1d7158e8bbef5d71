#include "tessera/engine/turns.h"

#include <algorithm>

namespace tessera::engine {

void TurnsAtOnce::follow(uint64_t loop, int most) {
  if (loops_.size() >= most_loops) loops_.clear();
  now_ = &loops_[loop];
  most_ = most;
  choose();
}

void TurnsAtOnce::fix(int turns) {
  now_ = nullptr;
  turns_ = turns;
}

void TurnsAtOnce::note(bool found) {
  if (now_) ++(found ? now_->found : now_->made);
}

void TurnsAtOnce::choose() {
  if (!now_) return;
  Experience& now = *now_;
  if (now.turns > 1 && now.made > most_misses) {
    now = {.patience = now.patience * growth};
  } else if (now.found >= now.patience && now.turns < most_) {
    now = {.turns = std::min(now.turns * growth, most_), .patience = now.patience * growth};
  }
  turns_ = std::min(now.turns, most_);
}

}  // namespace tessera::engine
