// The trace for Python: what ran, as plain lists and tuples; the package's own modules make graphs and tables of it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tessera/bind/bindings.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/engine/support/trace.h"
#include "tessera/profile/account.h"
#include "tessera/profile/progress.h"

namespace nb = nanobind;

namespace tessera::bind {

namespace {

nb::object place_of(uint64_t site) {
  const auto line = source_line(site);
  return line ? nb::object(nb::make_tuple(line->file, line->line)) : nb::none();
}

void start_trace(bool runs_first) {
  if (runs_first) Engine::instance().synchronize();
  engine::Trace::start();
}

nb::list seconds_of(const profile::Rows& rows) {
  nb::list seconds;
  for (const double row : rows) seconds.append(row);
  return seconds;
}

nb::dict facts_of(const plan::MachineFacts& facts) {
  nb::dict found;
  found["to_device"] = facts.to_device;
  found["to_host"] = facts.to_host;
  found["first_touch"] = facts.first_touch;
  found["launch"] = facts.launch;
  found["synchronise"] = facts.synchronise;
  found["copy_start"] = facts.copy_start;
  return found;
}

/// (texts, runs, touches, bytes of versions, facts, rows, seconds): a text is (text, places of its nodes), a run (kind,
/// text, name, place, begin, end, where, host_estimate, device_estimate, bytes_to_device, bytes_from_device, reads,
/// writes, weighed, host_model, device_model, set, rows), a touch (kind, version, site, number of runs before, place of
/// the site).
nb::tuple stop_trace() {
  Engine::instance().synchronize();
  const engine::Trace trace = engine::Trace::stop();
  constexpr const char* kinds[] = {"plan", "call", "launch"};
  nb::list texts, runs;
  for (const engine::TracedText& text : trace.texts) {
    nb::list places;
    for (const uint64_t site : text.sites) places.append(place_of(site));
    texts.append(nb::make_tuple(text.text, places));
  }
  for (const engine::TracedRun& run : trace.runs)
    runs.append(nb::make_tuple(kinds[static_cast<int>(run.kind)], run.text, run.name, place_of(run.site), run.begin,
                               run.end, run.where, run.host_estimate, run.device_estimate, run.bytes_to_device,
                               run.bytes_from_device, run.reads, run.writes, run.weighed, run.host_model,
                               run.device_model, run.set, seconds_of(run.rows)));
  nb::list touches;
  for (const engine::TracedTouch& touch : trace.touches)
    touches.append(nb::make_tuple(touch.kind == engine::TracedTouch::Kind::made ? "make" : "read", touch.version,
                                  touch.site, touch.runs, place_of(touch.site)));
  return nb::make_tuple(texts, runs, touches, trace.nbytes, facts_of(trace.facts), seconds_of(trace.rows),
                        trace.seconds);
}

/// (number, name, done, total, seconds) of what the host does now, or None.
nb::object progress() {
  const std::optional<profile::ProgressState> now = profile::progress();
  if (!now) return nb::none();
  return nb::make_tuple(now->number, now->name, now->done, now->total, now->seconds);
}

}  // namespace

void bind_trace(nb::module_& m) {
  m.def(
      "account_rows",
      [] {
        nb::list names;
        for (size_t k = 0; k < profile::row_count; ++k) {
          const std::string_view row = profile::name(static_cast<profile::Row>(k));
          names.append(nb::str(row.data(), row.size()));
        }
        return names;
      },
      "The names of an account's rows, in order.");
  m.def("start_trace", start_trace, nb::arg("runs_first"),
        "Notes what runs, until stop_trace(); before that runs what is recorded, if asked to.");
  m.def("count_progress", profile::set_counts_progress, nb::arg("counts"), "Whether progress() is known.");
  m.def("progress", progress, "What the host does now, and how much of it is done; None for nothing.");
  m.def("stop_trace", stop_trace, "Runs what is recorded; then the texts of plans, and what ran.");
}

}  // namespace tessera::bind
