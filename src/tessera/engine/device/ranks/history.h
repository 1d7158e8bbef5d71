/// History: what a rank did to arrays that are cut over ranks, as a rolling hash and its last entries, by which ranks
/// find where they differ. Free of addresses and clocks.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera::engine {

/// One operation, look or end, as hashes of what must be equal on all ranks.
struct HistoryEntry {
  uint64_t op = 0;      // which operation
  uint64_t shape = 0;   // of which shapes and data types
  uint64_t values = 0;  // with which numbers and contents
  uint64_t held = 0;    // with which of its results needed later
  uint64_t site = 0;    // on which line
  friend bool operator==(const HistoryEntry&, const HistoryEntry&) = default;
};

/// An entry as ranks tell it each other.
struct ToldEntry {
  uint64_t number = 0;   // of the entry; the first is 1
  uint64_t rolling = 0;  // hash of all entries up to it
  HistoryEntry entry;
  std::array<char, 152> text{};  // what and where
};

/// What ranks tell each other of the last entries, oldest first.
struct ToldHistory {
  static constexpr size_t most = 24;
  uint64_t count = 0;
  std::array<ToldEntry, most> entries{};
  std::span<const ToldEntry> list() const { return std::span(entries).first(count); }
};

class History {
 public:
  /// Makes the text of an entry, when it is told.
  using Describe = std::function<std::string()>;

  void add(const HistoryEntry& entry, Describe describe);
  uint64_t number() const { return number_; }
  uint64_t rolling() const { return rolling_; }
  /// "multiply of shape (3, 4), prog.py, line 5"; empty before the first.
  std::string last() const;
  ToldHistory tell() const;

 private:
  struct Kept {
    ToldEntry told;
    Describe describe;
  };
  uint64_t number_ = 0, rolling_ = 0;
  std::array<Kept, ToldHistory::most> entries_;  // by number
};

/// The first entries of two histories that differ, of those that both know.
struct Difference {
  ToldEntry mine, other;
  bool is_first = true;  // the ones before it are known and equal
};
std::optional<Difference> find_difference(const ToldHistory& mine, const ToldHistory& other);
/// "the operation and the line".
std::string describe_difference(const HistoryEntry& a, const HistoryEntry& b);

}  // namespace tessera::engine
