/// CopyGuard: what a thread has to say on copies of arrays between the host and a device.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/base/error.h"

namespace tessera::graph {
class Version;
}  // namespace tessera::graph

namespace tessera::runtime {
class Device;
}  // namespace tessera::runtime

namespace tessera::engine {

enum class CopyRule : uint8_t { allow, log, error };

struct CopyGuard {
  CopyRule to_device = CopyRule::allow;
  CopyRule from_device = CopyRule::allow;
};

/// This thread's. At first what the environment variable TESSERA_COPIES says of both directions: allow, log or error.
CopyGuard& copy_guard();

/// A copy that the guard forbids: nothing has moved.
class CopyForbidden : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// What the caller makes of it; both may be null.
struct CopyHooks {
  std::string (*here)();                   // the line that runs now: "prog.py:12"
  std::string (*describe)(uint64_t site);  // a line that recorded something
  void (*log)(const std::string& text);
};
void set_copy_hooks(const CopyHooks& hooks);

/// Called before the bytes move, under the engine's lock: logs, or throws CopyForbidden, as the guard says. `version`
/// may be null where the bytes are no array yet.
void watch_copy_in(const graph::Version* version, int64_t nbytes, const runtime::Device& device);
void watch_copy_out(const graph::Version* version, int64_t nbytes, const runtime::Device& device);

}  // namespace tessera::engine
