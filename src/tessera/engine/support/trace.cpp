#include "tessera/engine/support/trace.h"

#include <cmath>
#include <unordered_set>
#include <utility>

#include "tessera/base/format.h"
#include "tessera/eager/unsteady_sites.h"
#include "tessera/plan/planner.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/device.h"

namespace tessera::engine {

using profile::Counter;

void Trace::start() {
  eager::UnsteadySites::instance().clear();  // a trace shows what is recorded
  delete active_;
  active_ = new Trace;
}

Trace Trace::stop() {
  if (!active_) return {};
  Trace trace = std::move(*active_);
  trace.rows = profile::Account::own().rows() - trace.before_;
  trace.seconds = trace.now();
  delete active_;
  active_ = nullptr;
  return trace;
}

double Trace::now() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

int64_t Trace::number(const graph::Version* version, bool is_new) {
  const auto next = static_cast<int64_t>(nbytes.size());
  const auto [at, fresh] = numbers_.try_emplace(version, next);
  // Another version that was made where an earlier one had been.
  const bool differs = !fresh && version->nbytes > 0 && nbytes[static_cast<size_t>(at->second)] > 0 &&
                       nbytes[static_cast<size_t>(at->second)] != version->nbytes;
  if (is_new || differs) at->second = next;
  if (is_new || differs || fresh) nbytes.push_back(version->nbytes);
  return at->second;
}

void Trace::touch(TracedTouch::Kind kind, const graph::Version& version, uint64_t site) {
  if (running > 0) return;
  touches.push_back(
      {.kind = kind, .version = number(&version, kind == TracedTouch::Kind::made), .site = site, .runs = runs.size()});
}

int32_t Trace::text_of(const plan::Request& request, const plan::PlanOptions& options) {
  uint64_t key = request.key * static_cast<uint64_t>(options.places);
  for (int i = 0; i < request.size(); ++i) key = key * 0x9e3779b97f4a7c15 + request.node(i).site;
  const auto [at, fresh] = known_.try_emplace(key, static_cast<int32_t>(texts.size()));
  if (fresh) {
    texts.push_back({.text = plan::explain(request, options, plan::Bodies::left_out)});
    for (int i = 0; i < request.size(); ++i) texts.back().sites.push_back(request.node(i).site);
  }
  return at->second;
}

TraceRun::TraceRun(TracedRun::Kind kind, std::string_view name, uint64_t site) : trace_(Trace::active()) {
  if (!trace_) [[likely]]
    return;
  run_.kind = kind;
  run_.name = name;
  run_.site = site;
  to_device_ = profile::value(Counter::bytes_to_device);
  from_device_ = profile::value(Counter::bytes_from_device);
  ++trace_->running;
  before_ = profile::Account::own().rows();
  run_.begin = trace_->now();
}

TraceRun::TraceRun(const plan::Request& request, const plan::PlanOptions& options)
    : TraceRun(TracedRun::Kind::plan, {}, 0) {
  if (!trace_) [[likely]]
    return;
  run_.text = trace_->text_of(request, options);
  std::unordered_set<const graph::Version*> seen;
  const auto read = [&](const graph::Version* version) {
    if (version && request.producer(version) < 0 && seen.insert(version).second) reads(version);
  };
  for (int i = 0; i < request.size(); ++i) {
    const graph::Node& node = request.node(i);
    for (int k = 0; k < node.form->input_count; ++k) read(node.inputs[k].version.get());
    read(node.old.get());
  }
  for (int i = 0; i < request.size(); ++i) writes(request.node(i).out.get());
  before_ = profile::Account::own().rows();
  run_.begin = trace_->now();  // planning for the text takes no part
}

// A run that ends by an exception has no place; its numbers stay, as it may be run again.
TraceRun::~TraceRun() {
  if (!trace_ || trace_ != Trace::active()) [[likely]]
    return;
  --trace_->running;
  if (run_.end == 0) run_.end = trace_->now();
  trace_->runs.push_back(std::move(run_));
}

void TraceRun::reads(const graph::Version* version) {
  if (trace_) run_.reads.push_back(trace_->number(version));
}

void TraceRun::writes(const graph::Version* version) {
  if (!trace_) return;
  run_.writes.push_back(trace_->number(version, true));
  written_.push_back(version);
}

void TraceRun::estimate(double host_seconds, double device_seconds) {
  run_.host_model = run_.host_estimate = host_seconds;
  run_.device_model = run_.device_estimate = device_seconds;
}

void TraceRun::finish(runtime::Device* device) {
  if (!trace_) [[likely]]
    return;
  if (device) device->stream().synchronize();
  run_.where = runtime::device_name(device);
  if (const std::optional<plan::Placement> weighed = std::exchange(trace_->weighed, {})) {
    run_.host_estimate = weighed->reasons.host;
    run_.device_estimate = weighed->reasons.device;
    run_.weighed = describe(weighed->reasons);
    run_.set = weighed->set;
  }
  run_.end = trace_->now();
  run_.rows = profile::Account::own().rows() - before_;
  for (size_t k = 0; k < written_.size(); ++k) {
    const graph::Version& version = *written_[k];
    const bool is_stored = version.data || version.on_devices || version.tiles;
    trace_->nbytes[static_cast<size_t>(run_.writes[k])] = is_stored ? version.nbytes : 0;
  }
  run_.bytes_to_device = profile::value(Counter::bytes_to_device) - to_device_;
  run_.bytes_from_device = profile::value(Counter::bytes_from_device) - from_device_;
}

}  // namespace tessera::engine
