/// Reading: the part of the engine that runs recorded work and gives access to elements on the host.
#pragma once

#include <string>
#include <vector>

#include "tessera/engine/support/context.h"
#include "tessera/graph/array.h"

namespace tessera {

namespace engine {
struct State;
}

/// Functions that settle an array run the work that makes it and wait for it.
class Reading {
 public:
  explicit Reading(engine::State& state) : state_(&state) {}

  /// Settles the array on the host and returns element (0, ..., 0) of its view. The pointer is valid while the storage
  /// exists and until the next write to it is recorded.
  const char* read(const Array& array);
  /// As read(), for host code that writes through the pointer: pending readers of the old contents run first.
  char* write(const Array& array);
  /// The storage's elements if the host may compute with them at once: they are settled there, and too few to ask a
  /// device about them. Null otherwise.
  const char* at_once(const Array& array);
  /// Runs what the array waits for, where this thread's work may run on the host; whether its elements are there now.
  bool finish_on_host(const Array& array);
  /// The array itself; or a host copy of its elements where they are only on a device and are a small part of the
  /// storage there.
  Array nearby(const Array& array);
  /// Settles the storage and marks it as shared: recorded ops never rename it, and recorded reads of it run at once.
  void pin(const Array& array);
  void unpin(const Array& array);
  /// Runs this thread's pending work; a device may still be running it on return.
  void flush();
  /// Runs this thread's pending work and waits for what the host does of it.
  void wait_for_host();
  /// Runs this thread's pending work and waits until it is done, on devices too.
  void synchronize();
  /// Floating-point events since the last call on this thread, in recording order, one entry for each op and site.
  std::vector<FloatReport> take_reports();
  /// Whether there are reports or notices.
  bool has_reports() const;
  /// Messages for the user since the last call.
  std::vector<std::string> take_notices();

 private:
  engine::State* state_;
};

}  // namespace tessera
