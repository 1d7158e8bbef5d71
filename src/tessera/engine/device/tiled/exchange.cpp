#include "tessera/engine/device/tiled/exchange.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tessera/profile/account.h"

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

char* Exchange::target(const Message& message) const {
  return slots_.address(message.slot, message.to) + message.bytes.begin;
}

const char* Exchange::source(const Message& message) const {
  return slots_.address(message.slot, message.from) + message.bytes.begin;
}

/// What the place gets of others, by a kernel of its own that reads their memory: each copy by the driver would take
/// its 13 us behind the one before. False where that is not possible.
bool Exchange::pull_together(int place, std::span<const Message> messages) {
  std::vector<BoxCopies::Pull> pulls;
  for (const Message& message : messages) {
    if (message.from == tile::host || !slots_.device(place).reach(slots_.device(message.from))) return false;
    pulls.push_back({source(message), target(message), message.bytes.size()});
  }
  return devices_.of(slots_.device(place)).pull(pulls);
}

void Exchange::copy(const Message& message) {
  runtime::Device& device = slots_.device(message.to);
  char* to = target(message);
  const int64_t nbytes = message.bytes.size();
  if (message.from == tile::host) {
    device.stream().copy_in(to, slots_.on_host(message.slot) + message.bytes.begin, static_cast<size_t>(nbytes));
    return;
  }
  device.stream().copy(to, source(message), static_cast<size_t>(nbytes));
}

void Exchange::flush() {
  if (messages_.empty()) return;
  const profile::InRow row(profile::Row::copying);
  std::vector<Message> messages = std::exchange(messages_, {});
  // Which place waits for which.
  std::vector<std::pair<int, int>> pairs;
  for (const Message& message : messages) {
    const std::pair pair(message.from, message.to);
    if (message.from != tile::host && std::ranges::find(pairs, pair) == pairs.end()) pairs.push_back(pair);
  }
  const auto wait = [&](int place, int other, std::vector<std::unique_ptr<runtime::Event>>& points) {
    slots_.device(place).stream().wait_for(*points[static_cast<size_t>(other)]);
  };
  // Recorded before anybody waits: later ones would come after those waits.
  const auto record = [&](auto&& side) {
    std::vector<std::unique_ptr<runtime::Event>> points(static_cast<size_t>(slots_.places()));
    for (const auto& pair : pairs)
      if (auto& point = points[static_cast<size_t>(side(pair))]; !point)
        point = slots_.device(side(pair)).stream().record();
    return points;
  };
  auto sending = record([](const auto& pair) { return pair.first; });
  for (const auto& [from, to] : pairs) {
    slots_.device(to).reach(slots_.device(from));
    wait(to, from, sending);
  }
  std::ranges::stable_sort(messages, {}, &Message::to);
  for (auto first = messages.begin(); first != messages.end();) {
    const auto end = std::find_if(first, messages.end(), [&](const Message& other) { return other.to != first->to; });
    if (!pull_together(first->to, {first, end})) std::for_each(first, end, [&](const Message& one) { copy(one); });
    first = end;
  }
  auto received = record([](const auto& pair) { return pair.second; });
  for (const auto& [from, to] : pairs) wait(from, to, received);
}

}  // namespace tessera::engine
