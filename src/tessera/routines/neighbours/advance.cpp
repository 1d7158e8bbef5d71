#include "tessera/routines/neighbours/advance.h"

#include "tessera/routines/scan/scan.h"
#include "tessera/routines/search/kernels.h"

namespace tessera::routines {

using ir::Value;
using namespace steps;

FrontierArcs advance(Launcher& launcher, const DeviceRows& rows, int64_t count, const char* nodes) {
  const Ref<runtime::Buffer> degrees = launcher.allocate(count, whole), ends = launcher.allocate(count, whole);
  run_step(launcher, "degrees of frontier", count,
           {{nodes, whole}, {rows.offsets, whole}, {degrees->data(), whole, StepBuffer::written}}, {},
           [](const StepParts& s) {
             const Value node = s.load(0);
             s.store(2, s.b.sub(s.load(1, s.b.add(node, s.word(1))), s.load(1, node)));
           });
  scan_lanes(launcher, {library::ScanOp::add, whole, whole}, {1, count, 1}, degrees->data(), ends->data());
  FrontierArcs found;
  found.count = fetch_one<int64_t>(launcher, ends->data() + 8 * (count - 1));
  if (found.count == 0) return found;
  found.from = launcher.allocate(found.count, whole);
  found.arcs = launcher.allocate(found.count, whole);
  launcher.run({.name = "repeat_places",
                .make = [] { return repeat_places_kernel(); },
                .extents = {found.count},
                .buffers = {ends->data(), found.from->data()},
                .scalars = {count}});
  run_step(launcher, "arcs of frontier", found.count,
           {{found.from->data(), whole},
            {nodes, whole},
            {ends->data(), whole},
            {degrees->data(), whole},
            {rows.offsets, whole},
            {found.arcs->data(), whole, StepBuffer::written}},
           {}, [](const StepParts& s) {
             const Value from = s.load(0), first = s.b.sub(s.load(2, from), s.load(3, from));
             s.store(5, s.b.add(s.load(4, s.load(1, from)), s.b.sub(s.i, first)));
           });
  return found;
}

}  // namespace tessera::routines
