/// Gate: any number of threads may be inside, or one thread closes it and waits until no other is inside.
#pragma once

#include <atomic>

#include "tessera/base/mutex.h"

namespace tessera::runtime {

/// Unlike a shared mutex it may be reopened by a forked child, whose thread has another identity.
class Gate {
 public:
  void enter() {
    while (true) {
      working_.fetch_add(1);
      if (!closed_.load()) return;
      leave();
      closed_.wait(1);
    }
  }
  void leave() {
    if (working_.fetch_sub(1) == 1 && closed_.load()) working_.notify_all();
  }
  void close() {
    closer_.lock();
    closed_ = 1;
    while (int working = working_.load()) working_.wait(working);
  }
  void open() {
    closed_ = 0;
    closed_.notify_all();
    closer_.unlock();
  }

 private:
  std::atomic<int> working_{0};
  std::atomic<int> closed_{0};
  Mutex closer_;
};

/// Enters the gate for a scope, unless constructed to skip it.
class GatePass {
 public:
  GatePass(Gate& gate, bool needed) : gate_(needed ? &gate : nullptr) {
    if (gate_) gate_->enter();
  }
  ~GatePass() {
    if (gate_) gate_->leave();
  }
  GatePass(const GatePass&) = delete;
  GatePass& operator=(const GatePass&) = delete;

 private:
  Gate* gate_;
};

}  // namespace tessera::runtime
