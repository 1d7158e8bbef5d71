/// CudaReplay: a driver's graph of launches that can be launched again with other parameters.
#pragma once

#include <utility>
#include <vector>

#include "tessera/runtime/cuda/driver.h"
#include "tessera/runtime/device.h"

namespace tessera::runtime::cuda {

/// A launch as a node of a graph: what it is asked for, and the graph's name of it.
struct LaunchNode {
  void* node = nullptr;
  void* function = nullptr;
  Grid grid;
  std::vector<char> parameters;
};

class CudaReplay final : public Replay {
 public:
  /// Nodes are known by the graph that `ready` was made of.
  CudaReplay(const Driver& driver, void* graph, void* ready, std::vector<LaunchNode> launches)
      : driver_(driver), graph_(graph), ready_(ready), launches_(std::move(launches)) {}
  ~CudaReplay() override {
    driver_.graph_exec_destroy(ready_);
    driver_.graph_destroy(graph_);
  }
  void* ready() const { return ready_; }

  /// Launches come again in the order in which they were captured, between a begin and an end. The end says whether all
  /// of them did, and each where it can be changed to what was asked for.
  void begin_rewrite() { rewritten_ = 0; }
  void rewrite(void* function, const Grid& grid, std::span<const char> parameters);
  bool end_rewrite() const { return rewritten_ == launches_.size(); }

 private:
  const Driver& driver_;
  void* graph_;
  void* ready_;
  std::vector<LaunchNode> launches_;
  size_t rewritten_ = 0;  // of them; what does not fit leaves it behind
};

}  // namespace tessera::runtime::cuda
