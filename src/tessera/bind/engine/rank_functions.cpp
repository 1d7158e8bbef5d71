// tessera.rank, size, is_leader, and what `tessera run` needs of a process that is a rank.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/bindings.h"
#include "tessera/engine/device/ranks/gather_on_ranks.h"
#include "tessera/engine/device/ranks/ranks.h"
#include "tessera/engine/device/tiled/forecast.h"
#include "tessera/engine/engine.h"

namespace nb = nanobind;

namespace tessera::bind {

using engine::Ranks;

namespace {

nb::list forecast() {
  nb::list entries;
  for (const engine::ForecastEntry& entry : Engine::instance().settings().forecast().entries()) {
    nb::dict one;
    one["what"] = entry.what;
    one["runs"] = entry.runs;
    one["touched"] = entry.touched;
    one["most_touched"] = entry.most_touched;
    one["messages"] = entry.messages;
    one["most_messages"] = entry.most_messages;
    one["bytes"] = entry.bytes;
    one["bytes_between"] = entry.bytes_between;
    one["most_bytes"] = entry.most_bytes;
    one["looks"] = entry.looks;
    one["look_bytes"] = entry.look_bytes;
    one["seconds"] = entry.seconds;
    one["ideal"] = entry.ideal;
    one["computing"] = entry.computing;
    one["exchanging"] = entry.exchanging;
    one["kinds"] = entry.kinds;
    entries.append(one);
  }
  return entries;
}

nb::dict unknown_shapes() {
  nb::dict found;
  for (const auto& [what, calls] : Engine::instance().settings().forecast().unknown_shapes())
    found[nb::str(what.c_str())] = calls;
  return found;
}

/// latency, overhead, bandwidth.
engine::LinkFacts link_of(nb::handle three) {
  return {nb::cast<double>(three[0]), nb::cast<double>(three[1]), nb::cast<double>(three[2])};
}

void bind_forecast(nb::module_& m) {
  m.def(
      "begin_forecast",
      [](int places, int per_node, double memory, double launch, double operations, nb::handle within,
         nb::handle between, bool computes) {
        Engine::instance().settings().begin_forecast({.places = places,
                                                      .per_node = per_node,
                                                      .memory = memory,
                                                      .launch = launch,
                                                      .operations = operations,
                                                      .within = link_of(within),
                                                      .between = link_of(between),
                                                      .computes = computes});
      },
      nb::arg("places"), nb::arg("per_node"), nb::arg("memory"), nb::arg("launch"), nb::arg("operations"),
      nb::arg("within"), nb::arg("between"), nb::arg("computes"),
      "From now on, what so many places would do with arrays that are cut is forecast; they are zeros, unless this "
      "process computes all by itself.");
  m.def("forecast", forecast, "What was forecast, for each line.");
  m.def("unknown_shapes", unknown_shapes,
        "Calls in a forecast whose results' shapes depend on zeros, and how many there were.");
}

}  // namespace

void bind_ranks(nb::module_& m) {
  bind_forecast(m);
  m.def(
      "rank", [] { return Ranks::active() ? Ranks::active()->rank() : 0; },
      "The number of this process among those that run the program; 0 where it runs alone.");
  m.def("size", [] { return Ranks::active() ? Ranks::active()->size() : 1; }, "How many processes run the program.");
  m.def(
      "is_leader", [] { return !Ranks::active() || Ranks::active()->rank() == 0; },
      "Whether this process is rank 0, which prints.");
  m.def(
      "join_ranks",
      [](const std::string& library, int size, double notice, double deadline, const std::string& processor) {
        Engine::instance().settings().join_ranks(library, size, notice, deadline, processor);
      },
      nb::arg("library"), nb::arg("size"), nb::arg("notice"), nb::arg("deadline"), nb::arg("processor"),
      "Makes this process one of the ranks that a launcher started.");
  m.def(
      "meet_ranks",
      [] {
        if (Ranks* ranks = Ranks::active()) engine::meet(*ranks);
      },
      "Returns once all ranks have called it.");
  m.def(
      "is_over_ranks",
      [](nb::handle array) {
        if (!Ranks::active() || !is_ndarray(array.ptr())) return false;
        const Array& known = as_ndarray(array.ptr())->array;
        Devices devices = Engine::instance().devices();
        devices.device_of(known);  // makes it
        for (const Devices::Held& held : devices.places(known))
          if (held.place.starts_with("rank ")) return true;
        return false;
      },
      nb::arg("array"), "Whether parts of the array are at several ranks.");
  m.def(
      "end_ranks",
      [](int code) {
        if (Ranks* ranks = Ranks::active()) ranks->end(code);
      },
      nb::arg("code"), "The program has ended here: waits for the other ranks' end.");
  m.def(
      "fail_ranks",
      [](const std::string& why) {
        if (Ranks* ranks = Ranks::active()) ranks->fail(why);
      },
      nb::arg("why"), "The program has failed here: tells the other ranks.");
  m.def(
      "failed_elsewhere", [] { return Ranks::active() && Ranks::active()->is_failed_elsewhere(); },
      "Whether another rank failed, which ends this one.");
}

}  // namespace tessera::bind
