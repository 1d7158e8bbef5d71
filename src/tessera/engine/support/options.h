/// Options: how an engine runs.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::engine {

/// When kernels are compiled.
enum class Compile : uint8_t {
  when_hot,         // once a kernel has done enough work; after much work the full tier compiles it in the background
  never,            // interpreter only
  before_baseline,  // tests: native before the first run, by the baseline if it supports the kernel, else quick tier
  before_quick,     // tests: native before the first run, by the quick tier
  before_full,      // tests: native before the first run, by the full tier
};

struct Options {
  int window_limit = 512;
  bool lazy = true;  // false: every op runs as soon as it is recorded
  Compile compile = Compile::when_hot;
  std::string cache_folder;
  int64_t wave_bytes = 0;  // cache that one thread's part of a wave may use; 0: no waves
};

}  // namespace tessera::engine
