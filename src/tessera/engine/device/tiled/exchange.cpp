#include "tessera/engine/device/tiled/exchange.h"

#include <algorithm>
#include <utility>

#include "tessera/engine/device/tiled/place_copies.h"

namespace tessera::engine {

using tile::Message;

/// Several slots may share memory.
bool Exchange::is_after(const Message& message, const Message& before) const {
  const auto share = [&](int place, int other) {
    if (place != other || place == tile::host) return false;
    if (message.slot == before.slot) return !intersect(message.bytes, before.bytes).empty();
    return slots_.memory(message.slot, place) == slots_.memory(before.slot, place);
  };
  return share(message.from, before.to) || share(message.to, before.from) || share(message.to, before.to);
}

void Exchange::add(const Message& message) {
  if (std::ranges::any_of(messages_, [&](const Message& before) { return is_after(message, before); })) flush();
  messages_.push_back(message);
}

void Exchange::flush() {
  std::vector<PlaceCopy> copies;
  for (const Message& message : std::exchange(messages_, {})) {
    const bool is_of_host = message.from == tile::host;
    copies.push_back({.device = &slots_.device(message.to),
                      .other = is_of_host ? nullptr : &slots_.device(message.from),
                      .to = slots_.address(message.slot, message.to) + message.bytes.begin,
                      .from = (is_of_host ? slots_.on_host(message.slot) : slots_.address(message.slot, message.from)) +
                              message.bytes.begin,
                      .nbytes = message.bytes.size()});
  }
  copy_between(std::move(copies), devices_);
}

}  // namespace tessera::engine
