/// RunWindow: what those who run a window's plans say to the thread that recorded it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/engine/support/context.h"
#include "tessera/graph/window.h"

namespace tessera::engine {

/// The op and site that a node's floating-point events are reported for.
struct Watch {
  std::string_view name;  // of an op or a routine of the tables, as warnings name it
  uint32_t events;        // ir::FloatEvent bits
  uint64_t site;

  Watch(std::string_view name, uint32_t events, uint64_t site) : name(name), events(events), site(site) {}
  explicit Watch(const graph::Node& node)
      : name(node.form->op ? node.form->op->name : ""), events(node.form->events), site(node.site) {}
};

struct RunWindow : graph::Window {
  std::vector<FloatReport> reports;
  bool has_begun = false;                   // some step of the plan that ran last has run
  bool has_overwritten = false;             // and the plan writes over its operands
  std::shared_ptr<const std::string> task;  // of a scheduler, which its thread works for: errors name it

  /// Records floating-point events of a node for which they were requested.
  void report(const Watch& watch, uint32_t happened) {
    if (const uint32_t wanted = happened & watch.events) reports.push_back({watch.name, wanted, watch.site});
  }
};

}  // namespace tessera::engine
