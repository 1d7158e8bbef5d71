/// CopyGuard: per thread, whether copies of arrays between the host and a device, and between devices, are allowed,
/// logged or an error.
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
  CopyRule between_devices = CopyRule::allow;
};

/// The guard of this thread. The environment variable TESSERA_COPIES sets the default for all of them: allow, log
/// or error.
CopyGuard& copy_guard();

/// A copy that the guard forbids; thrown before any byte is copied.
class CopyForbidden : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// Callbacks of the front end; each may be null.
struct CopyHooks {
  std::string (*here)();                   // the source line that runs now: "prog.py:12"
  std::string (*describe)(uint64_t site);  // the source line that recorded a node
  void (*log)(const std::string& text);
};
void set_copy_hooks(const CopyHooks& hooks);

/// Called under the engine's lock before the bytes are copied: logs or throws CopyForbidden, as the guard requires.
/// `version` may be null when the bytes do not belong to an array yet.
void watch_copy_in(const graph::Version* version, int64_t nbytes, const runtime::Device& device);
void watch_copy_out(const graph::Version* version, int64_t nbytes, const runtime::Device& device);
void watch_copy_between(const graph::Version* version, int64_t nbytes, const runtime::Device& from,
                        const runtime::Device& to);

}  // namespace tessera::engine
