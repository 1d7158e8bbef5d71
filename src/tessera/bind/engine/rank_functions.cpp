// tessera.rank, size, is_leader, and what `tessera run` needs of a process that is a rank.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "tessera/bind/bindings.h"
#include "tessera/engine/device/ranks/ranks.h"
#include "tessera/engine/engine.h"

namespace nb = nanobind;

namespace tessera::bind {

using engine::Ranks;

void bind_ranks(nb::module_& m) {
  m.def(
      "rank", [] { return Ranks::active() ? Ranks::active()->rank() : 0; },
      "The number of this process among those that run the program; 0 where it runs alone.");
  m.def("size", [] { return Ranks::active() ? Ranks::active()->size() : 1; }, "How many processes run the program.");
  m.def(
      "is_leader", [] { return !Ranks::active() || Ranks::active()->rank() == 0; },
      "Whether this process is rank 0, which prints.");
  m.def(
      "join_ranks",
      [](const std::string& library, int size, double notice, double deadline) {
        Engine::instance().settings().join_ranks(library, size, notice, deadline);
      },
      nb::arg("library"), nb::arg("size"), nb::arg("notice"), nb::arg("deadline"),
      "Makes this process one of the ranks that a launcher started.");
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
