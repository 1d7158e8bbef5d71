/// Engine: records operations, plans them and runs them. The public C++ API; the Python front end is one of its
/// callers.
#pragma once

#include <memory>

#include "tessera/base/error.h"
#include "tessera/eager/array_memory_error.h"
#include "tessera/engine/devices.h"
#include "tessera/engine/reading.h"
#include "tessera/engine/recording.h"
#include "tessera/engine/settings.h"

namespace tessera {

/// Arrays belong to the engine that made them. The caller serialises all calls; see Settings::set_lock_hooks.
class Engine : public Recording, public Reading {
 public:
  Engine();
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  /// The default engine.
  static Engine& instance();

  Devices& devices() { return devices_; }
  Settings& settings() { return settings_; }

 private:
  explicit Engine(std::unique_ptr<engine::State> state);

  Devices devices_;
  Settings settings_;
  std::unique_ptr<engine::State> owned_;
};

}  // namespace tessera
