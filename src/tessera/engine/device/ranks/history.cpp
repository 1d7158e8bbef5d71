#include "tessera/engine/device/ranks/history.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "tessera/base/hash.h"

namespace tessera::engine {

namespace {

void write_text(std::array<char, 152>& to, const std::string& text) {
  to.fill('\0');
  const size_t length = std::min(text.size(), to.size() - 1);
  // The end names the line.
  std::memcpy(to.data(), text.data() + (text.size() - length), length);
}

}  // namespace

void History::add(const HistoryEntry& entry, Describe describe) {
  rolling_ =
      Hash().add(rolling_).add(entry.op).add(entry.shape).add(entry.values).add(entry.held).add(entry.site).value();
  ++number_;
  entries_[number_ % entries_.size()] = {{number_, rolling_, entry, {}}, std::move(describe)};
}

std::string History::last() const {
  const Kept& entry = entries_[number_ % entries_.size()];
  return entry.describe ? entry.describe() : std::string();
}

ToldHistory History::tell() const {
  ToldHistory told;
  const uint64_t count = std::min<uint64_t>(number_, entries_.size());
  for (uint64_t number = number_ - count + 1; number <= number_; ++number) {
    const Kept& entry = entries_[number % entries_.size()];
    ToldEntry& next = told.entries[told.count++];
    next = entry.told;
    write_text(next.text, entry.describe());
  }
  return told;
}

std::optional<Difference> find_difference(const ToldHistory& mine, const ToldHistory& other) {
  bool has_equal = false;
  for (const ToldEntry& entry : mine.list()) {
    const auto at = std::ranges::find(other.list(), entry.number, &ToldEntry::number);
    if (at == other.list().end()) continue;
    if (at->rolling == entry.rolling)
      has_equal = true;
    else
      return Difference{entry, *at, has_equal || entry.number == 1};
  }
  return std::nullopt;
}

std::string describe_difference(const HistoryEntry& a, const HistoryEntry& b) {
  std::vector<std::string> parts;
  if (a.op != b.op) parts.emplace_back("the operation");
  if (a.shape != b.shape) parts.emplace_back("its shapes or data types");
  if (a.values != b.values) parts.emplace_back("its numbers");
  if (a.held != b.held) parts.emplace_back("which arrays are referenced");
  if (a.site != b.site) parts.emplace_back("the line");
  std::string text;
  for (size_t k = 0; k < parts.size(); ++k) text += (k == 0 ? "" : k + 1 == parts.size() ? " and " : ", ") + parts[k];
  return text.empty() ? "what came before" : text;
}

}  // namespace tessera::engine
