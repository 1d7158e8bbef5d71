#include "tessera/engine/record/failed_nodes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/graph/dropped.h"

namespace tessera::engine {

using graph::CallOperand;
using graph::Node;
using graph::Version;

namespace {

/// Those of all engines of the process.
std::vector<FailedNodes*>& all_failed_nodes() {
  static std::vector<FailedNodes*> all;
  return all;
}

/// Runs body(reference) for every operand of the node, and for `old`.
template <class Body>
void each_operand(Node& node, Body&& body) {
  for (int k = 0; k < node.form->input_count; ++k)
    if (node.inputs[k].version) body(node.inputs[k].version);
  if (node.old) body(node.old);
  if (!node.call) return;
  for (CallOperand& operand : node.call->operands)
    if (operand.version) body(operand.version);
}

/// Runs body(version) for every result of the node.
template <class Body>
void each_result(const Node& node, Body&& body) {
  if (!node.call) return body(*node.out);
  for (const CallOperand& result : node.call->results) body(*result.version);
}

/// Ends the node's uses of its operands; `drops`: and its references to them.
void end_uses(Node& node, bool drops) {
  each_operand(node, [&](Ref<Version>& operand) {
    --operand->uses;
    if (drops) operand = nullptr;
  });
}

/// The address of the error, which is the same wherever it is caught.
const std::exception* address_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& caught) {
    return &caught;
  } catch (...) {
    return nullptr;
  }
}

/// A pending version that nobody has.
Ref<Version> make_unneeded(const Version& like, Recorder& window, int64_t number) {
  Ref<Version> version(Version::make());
  version->nbytes = like.nbytes;
  version->window = &window;
  version->producer = number;
  return version;
}

}  // namespace

FailedNodes::FailedNodes(uint64_t engine) : window_(engine) {
  all_failed_nodes().push_back(this);
  graph::watch_dropped.report = [](graph::Window& window) {
    for (FailedNodes* failed : all_failed_nodes())
      if (&failed->window_ == &window) failed->drop_unneeded();
  };
}

FailedNodes::~FailedNodes() {
  graph::watch_dropped.count -= static_cast<int>(nodes_.size());
  std::erase(all_failed_nodes(), this);
}

/// Only the count of all engines together matters: dropped arrays are reported while it is not 0.
void FailedNodes::note_count() {
  int count = 0;
  for (const FailedNodes* failed : all_failed_nodes()) count += static_cast<int>(failed->nodes_.size());
  graph::watch_dropped.count = count;
}

void FailedNodes::take(Recorder& window, int64_t number, const std::exception_ptr& error, bool is_final) {
  const Node& failed = window[number];
  const Raised origin{.error = address_of(error),
                      .form = failed.form,
                      .routine = failed.call ? failed.call->routine->name : std::string_view(),
                      .site = failed.site,
                      .task = window.task};
  take_one(window, number, error, is_final, origin);
  for (int64_t later = number + 1; later < window.end(); ++later)
    if (needs_failed(window[later])) take_one(window, later, error, is_final, origin);
  drop_unneeded();
}

bool FailedNodes::needs_failed(const Node& node) const {
  bool needs = node.old && holds(*node.old);
  graph::each_input(node, [&](const Version& operand, int64_t) { needs = needs || holds(operand); });
  return needs;
}

void FailedNodes::take_one(Recorder& window, int64_t number, const std::exception_ptr& error, bool is_final,
                           const Raised& origin) {
  Node& node = window[number];
  const int64_t own = ++last_;
  Entry& entry = nodes_[own];
  entry = {.node = {.form = node.form, .call = node.call, .offset = node.offset, .site = node.site},
           .before = node.form->pinned ? node.old : nullptr,
           .error = error,
           .is_final = is_final,
           .devices = window.devices,
           .choice = window.choice,
           .origin = origin};
  Node& kept = entry.node;
  for (int k = 0; k < node.form->input_count; ++k) kept.inputs[k] = std::move(node.inputs[k]);
  kept.old = std::move(node.old);
  kept.out = std::exchange(node.out, make_unneeded(*node.out, window, number));
  if (node.call) {
    node.call = Ref<graph::Call>(graph::Call::make());
    node.call->routine = kept.call->routine;
    node.call->arguments = kept.call->arguments;
    for (const CallOperand& result : kept.call->results)
      node.call->results.push_back(
          {result.version == kept.out ? node.out : make_unneeded(*result.version, window, number), result.view});
  }
  each_result(kept, [&](Version& result) {
    result.window = &window_;
    result.producer = own;
    result.last = {};
  });
  each_operand(kept, [&](const Ref<Version>& operand) {
    if (operand->user == &window) operand->user = nullptr;
  });
  if (is_final) {
    end_uses(kept, true);
    if (kept.call) kept.call->operands.clear();
  }
  note_count();
}

std::vector<int64_t> FailedNodes::makers_of(int64_t number) const {
  std::vector<int64_t> makers;
  const Node& node = nodes_.at(number).node;
  const auto add = [&](const Version& operand) {
    if (holds(operand)) makers.push_back(operand.producer);
  };
  graph::each_input(node, [&](const Version& operand, int64_t) { add(operand); });
  if (node.old) add(*node.old);
  return makers;
}

/// The nodes from which `last` comes, itself included, each behind those that it needs.
std::vector<int64_t> FailedNodes::in_order(int64_t last) const {
  std::vector<int64_t> order;
  std::set<int64_t> seen{last};
  struct Visit {
    int64_t number;
    std::vector<int64_t> left;
  };
  std::vector<Visit> path{{last, makers_of(last)}};
  while (!path.empty()) {
    Visit& visit = path.back();
    if (visit.left.empty()) {
      order.push_back(visit.number);
      path.pop_back();
      continue;
    }
    const int64_t next = visit.left.back();
    visit.left.pop_back();
    if (seen.insert(next).second) path.push_back({next, makers_of(next)});
  }
  return order;
}

void FailedNodes::record_again(const Version& version, Recorder& window) {
  const std::vector<int64_t> order = in_order(version.producer);
  for (const int64_t number : order)
    if (nodes_.at(number).is_final) raise(version);
  window.devices = nodes_.at(order.back()).devices;
  window.choice = nodes_.at(order.back()).choice;
  window.task = nodes_.at(order.back()).origin.task;
  for (const int64_t number : order) {
    Node kept = std::move(nodes_.extract(number).mapped().node);
    end_uses(kept, false);
    Node& node = window.next(*kept.form);
    for (int k = 0; k < kept.form->input_count; ++k) node.inputs[k] = std::move(kept.inputs[k]);
    node.call = std::move(kept.call);
    node.out = std::move(kept.out);
    node.old = std::move(kept.old);
    node.offset = kept.offset;
    node.site = kept.site;
    node.call ? window.commit_call(node) : window.commit(node);
  }
  note_count();
}

void FailedNodes::raise(const Version& version) {
  const Entry& entry = nodes_.at(version.producer);
  raised_ = entry.origin;
  raised_error_ = entry.error;
  std::rethrow_exception(raised_error_);
}

Ref<Version> FailedNodes::contents_before(const Version& version) const { return nodes_.at(version.producer).before; }

int32_t FailedNodes::uses_of(const Version& version) const {
  int32_t uses = 0;
  for (const auto& [number, entry] : nodes_) {
    graph::each_input(entry.node, [&](const Version& operand, int64_t) { uses += &operand == &version; });
    uses += entry.node.old.get() == &version;
  }
  return uses;
}

/// Whether anything but these nodes refers to a result.
bool FailedNodes::is_needed(const Entry& entry) const {
  bool needed = false;
  each_result(entry.node, [&](const Version& result) {
    const uint32_t own = entry.node.call && &result == entry.node.out.get() ? 2 : 1;
    needed |= result.references() > own + static_cast<uint32_t>(result.uses);
  });
  return needed;
}

void FailedNodes::drop_unneeded() {
  std::set<int64_t> needed;
  std::vector<int64_t> next;
  for (const auto& [number, entry] : nodes_)
    if (is_needed(entry) && needed.insert(number).second) next.push_back(number);
  while (!next.empty()) {
    const int64_t number = next.back();
    next.pop_back();
    for (const int64_t maker : makers_of(number))
      if (needed.insert(maker).second) next.push_back(maker);
  }
  std::vector<Entry> dropped;  // released when no node refers to another that is gone
  for (auto at = nodes_.begin(); at != nodes_.end();) {
    if (needed.contains(at->first)) {
      ++at;
      continue;
    }
    end_uses(at->second.node, false);
    dropped.push_back(std::move(at->second));
    at = nodes_.erase(at);
  }
  note_count();
}

}  // namespace tessera::engine
