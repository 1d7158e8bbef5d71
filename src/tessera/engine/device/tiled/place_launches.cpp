#include "tessera/engine/device/tiled/place_launches.h"

#include <vector>

#include "tessera/engine/device/memory/plan_memory.h"
#include "tessera/engine/device/tiled/clip_boxes.h"
#include "tessera/engine/support/memory.h"

namespace tessera::engine {

PlaceLaunches::PlaceLaunches(DeviceRunner& runner, DevicePlan& bound, const plan::Plan& plan,
                             const plan::Request& request, const TiledSlots& slots, int place, RunWindow& window,
                             bool repeats)
    : runner_(runner),
      bound_(bound),
      plan_(plan),
      request_(request),
      slots_(slots),
      place_(place),
      run_(runner.begin_parts(plan, bound, request, window, repeats)) {
  runner.note_parts(request, window);
}

void PlaceLaunches::launch(const tile::Launch& part, bool is_repeated) const {
  std::vector<char*> addresses;
  for (const plan::Binding& binding : plan_.steps[static_cast<size_t>(part.step)].kernel.buffers)
    addresses.push_back(slots_.address(binding.slot, place_));
  runner_.launch_part(plan_, bound_, request_,
                      {.step = part.step,
                       .begin = part.begin,
                       .end = part.end,
                       .addresses = addresses,
                       .run = &run_,
                       .is_repeated = is_repeated});
}

void PlaceLaunches::move(const tile::PartMove& part) const {
  const plan::CopyStep& copy = plan_.steps[static_cast<size_t>(part.step)].copies[static_cast<size_t>(part.move)];
  runner_.copy_boxes(slots_.address(copy.from, place_), slots_.address(copy.to, place_),
                     clip_boxes(boxes_for(copy, request_), part.bytes));
}

}  // namespace tessera::engine
