/// Options: how an engine runs.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::engine {

/// When kernels are compiled: once they are hot, never, or before their first run in a given tier (tests).
enum class Compile : uint8_t { when_hot, never, before_baseline, before_quick, before_full };
struct Options {
  int window_limit = 512;
  bool lazy = true;  // false: every op runs as soon as it is recorded
  Compile compile = Compile::when_hot;
  std::string cache_folder;
  int64_t wave_bytes = 0;  // cache that one thread's part of a wave may use; 0: no waves
};

}  // namespace tessera::engine
