/// FailedNodes: nodes that could not run, and those that need what they make, apart from the windows that recorded
/// them.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/engine/record/recorder.h"
#include "tessera/graph/node.h"

namespace tessera::engine {

/// Their operands are kept, so that they can be tried again; they go when nobody has their results any more. Guarded by
/// the engine's lock, as windows are.
class FailedNodes {
 public:
  explicit FailedNodes(uint64_t engine);
  ~FailedNodes();
  FailedNodes(const FailedNodes&) = delete;
  FailedNodes& operator=(const FailedNodes&) = delete;

  bool is_empty() const { return nodes_.empty(); }
  /// Whether one of these nodes makes the version.
  bool holds(const graph::Version& version) const { return version.window == &window_; }
  /// Takes the pending node `number` out of the window, with all that need what it makes: nodes whose results nobody
  /// needs are left in their places. `is_final`: it had begun to overwrite its operands, so it is not tried again.
  void take(Recorder& window, int64_t number, const std::exception_ptr& error, bool is_final);
  /// Records again, in `window`, the nodes from which the version comes. Throws what failed for good.
  void record_again(const graph::Version& version, Recorder& window);
  /// Throws the error with which the node that makes the version failed last.
  [[noreturn]] void raise(const graph::Version& version);
  /// What the version's storage had before the node, a write of memory shared with other code.
  Ref<graph::Version> contents_before(const graph::Version& version) const;
  /// References to the version by operands of these nodes, as counted in Version::uses.
  int32_t uses_of(const graph::Version& version) const;
  /// Forgets the nodes whose results nobody has.
  void drop_unneeded();
  /// The node whose error was raised last and the address of that error; null when none was.
  struct Raised {
    const std::exception* error = nullptr;
    Ref<const graph::Form> form;
    std::string_view routine;  // of a call
    uint64_t site = 0;
    std::shared_ptr<const std::string> task;  // Recorder::task
  };
  const Raised& raised() const { return raised_; }

 private:
  struct Entry {
    graph::Node node;
    Ref<graph::Version> before;  // of a write of memory shared with other code
    std::exception_ptr error;
    bool is_final = false;
    DeviceSet* devices = nullptr;  // as set for the window that recorded it
    Prospect* choice = nullptr;
    Raised origin;  // what failed: this node or one that it needs
  };

  void take_one(Recorder& window, int64_t number, const std::exception_ptr& error, bool is_final, const Raised& origin);
  bool needs_failed(const graph::Node& node) const;
  bool is_needed(const Entry& entry) const;
  std::vector<int64_t> makers_of(int64_t number) const;
  std::vector<int64_t> in_order(int64_t last) const;
  void note_count();

  Recorder window_;  // marks what they make as pending; has no nodes of its own
  std::map<int64_t, Entry> nodes_;
  int64_t last_ = 0;
  Raised raised_;
  std::exception_ptr raised_error_;  // keeps the address from being used again
};

}  // namespace tessera::engine
