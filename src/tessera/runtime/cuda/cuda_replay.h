/// CudaReplay: an instantiated CUDA graph of launches that can be launched again with other parameters.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "tessera/runtime/cuda/driver.h"
#include "tessera/runtime/device.h"

namespace tessera::runtime::cuda {

/// A kernel launch as a node of a graph: its parameters and the node's handle.
struct LaunchNode {
  void* node = nullptr;
  void* function = nullptr;
  Grid grid;
  std::vector<char> parameters;
};

class CudaStream;

class CudaReplay final : public Replay {
 public:
  /// `launches` are nodes of `graph`, from which `ready` was instantiated. `beside`: other devices' streams with work
  /// in it.
  CudaReplay(const Driver& driver, void* graph, void* ready, std::vector<LaunchNode> launches,
             std::vector<CudaStream*> beside)
      : driver_(driver), graph_(graph), ready_(ready), launches_(std::move(launches)), beside_(std::move(beside)) {}
  ~CudaReplay() override {
    driver_.graph_exec_destroy(ready_);
    driver_.graph_destroy(graph_);
  }
  void* ready() const { return ready_; }
  std::span<CudaStream* const> beside() const { return beside_; }

  /// Launches are repeated in the order of their capture, between begin_rewrite() and end_rewrite(). end_rewrite()
  /// returns whether all of them were repeated and could be changed to their new parameters.
  void begin_rewrite() { rewritten_ = 0; }
  void rewrite(void* function, const Grid& grid, std::span<const char> parameters);
  bool end_rewrite() const { return rewritten_ == launches_.size(); }

 private:
  const Driver& driver_;
  void* graph_;
  void* ready_;
  std::vector<LaunchNode> launches_;
  std::vector<CudaStream*> beside_;
  size_t rewritten_ = 0;  // number of launches rewritten so far; stays behind when one does not fit
};

}  // namespace tessera::runtime::cuda
