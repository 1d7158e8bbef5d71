#include "tessera/base/format.h"
#include "tessera/tile/schedule.h"

namespace tessera::tile {

namespace {

std::string place_name(int place) { return place == host ? "host" : format("place {}", place); }

struct ActionText {
  std::string operator()(const Message& message) const {
    return format("slot {} {}: {} to {}", message.slot, print(message.bytes), place_name(message.from),
                  place_name(message.to));
  }
  std::string operator()(const PartMove& part) const {
    return format("step {} move {}: {} copies {}", part.step, part.move, place_name(part.place), print(part.bytes));
  }
  std::string operator()(const Launch& launch) const {
    return format("step {}: {} runs lanes [{}, {})", launch.step, place_name(launch.place), launch.begin, launch.end);
  }
};

}  // namespace

std::string print(const Schedule& schedule) {
  std::string text;
  for (const Action& action : schedule.actions) text += std::visit(ActionText{}, action) + "\n";
  for (size_t slot = 0; slot < schedule.slots.size(); ++slot) {
    const SlotResult& result = schedule.slots[slot];
    for (size_t place = 0; place < result.held.size(); ++place) {
      if (result.held[place].empty()) continue;
      text += format("slot {} at place {}: holds {}", slot, place, print(result.held[place]));
      if (!result.owned.empty()) text += ", owns " + print(result.owned[place]);
      text += ", has " + print(result.valid[place]) + "\n";
    }
  }
  return text;
}

}  // namespace tessera::tile
