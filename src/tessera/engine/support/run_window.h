/// RunWindow: what those who run a window's plans say to the thread that recorded it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tessera/engine/support/context.h"
#include "tessera/graph/window.h"

namespace tessera::engine {

/// The op and site that a node's floating-point events are reported for.
struct Watch {
  const ops::Op* op;  // of the table: users' ops have no events
  uint32_t events;    // ir::FloatEvent bits
  uint64_t site;

  explicit Watch(const graph::Node& node) : op(node.form->op), events(node.form->events), site(node.site) {}
};

struct RunWindow : graph::Window {
  std::vector<FloatReport> reports;
  bool has_begun = false;                   // some step of the plan that ran last has run
  bool has_overwritten = false;             // and the plan writes over its operands
  std::shared_ptr<const std::string> task;  // of a scheduler, which its thread works for: errors name it

  /// Records floating-point events of a node for which they were requested.
  void report(const Watch& watch, uint32_t happened) {
    if (const uint32_t wanted = happened & watch.events) reports.push_back({watch.op->name, wanted, watch.site});
  }
};

}  // namespace tessera::engine
