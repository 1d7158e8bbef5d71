#include "tessera/engine/engine.h"

#include "tessera/engine/state.h"

namespace tessera {

Engine::Engine() : Engine(std::make_unique<engine::State>()) {}
Engine::Engine(std::unique_ptr<engine::State> state)
    : Recording(*state), Reading(*state), devices_(*state), settings_(*state), owned_(std::move(state)) {}
Engine::~Engine() = default;

Engine& Engine::instance() {
  // Never destroyed: arrays outlive static destructors.
  static auto& engine = *new Engine;
  return engine;
}

}  // namespace tessera
