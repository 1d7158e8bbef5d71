// The trace for Python: what ran, as plain lists and tuples; the package's own modules make graphs and tables of it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tessera/bind/bindings.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/engine/support/trace.h"
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

/// (texts, runs): a text is (text, places of its nodes), a run (kind, text, name, place, begin, end, where,
/// host_estimate, device_estimate, bytes_to_device, bytes_from_device, reads, writes, weighed).
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
                               run.bytes_from_device, run.reads, run.writes, run.weighed));
  return nb::make_tuple(texts, runs);
}

/// (number, name, done, total, seconds) of what the host does now, or None.
nb::object progress() {
  const std::optional<profile::ProgressState> now = profile::progress();
  if (!now) return nb::none();
  return nb::make_tuple(now->number, now->name, now->done, now->total, now->seconds);
}

}  // namespace

void bind_trace(nb::module_& m) {
  m.def("start_trace", start_trace, nb::arg("runs_first"),
        "Notes what runs, until stop_trace(); before that runs what is recorded, if asked to.");
  m.def("count_progress", profile::set_counts_progress, nb::arg("counts"), "Whether progress() is known.");
  m.def("progress", progress, "What the host does now, and how much of it is done; None for nothing.");
  m.def("stop_trace", stop_trace, "Runs what is recorded; then the texts of plans, and what ran.");
}

}  // namespace tessera::bind
