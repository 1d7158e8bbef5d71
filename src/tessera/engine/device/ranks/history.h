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
struct Deed {
  uint64_t op = 0;      // which operation
  uint64_t shape = 0;   // of which shapes and data types
  uint64_t values = 0;  // with which numbers and contents
  uint64_t held = 0;    // with which of its results needed later
  uint64_t site = 0;    // on which line
  friend bool operator==(const Deed&, const Deed&) = default;
};

/// An entry as ranks tell it each other.
struct ToldDeed {
  uint64_t number = 0;   // of the deed; the first is 1
  uint64_t rolling = 0;  // hash of all deeds up to it
  Deed deed;
  std::array<char, 152> text{};  // what and where
};

/// What ranks tell each other of the last deeds, oldest first.
struct ToldHistory {
  static constexpr size_t most = 24;
  uint64_t count = 0;
  std::array<ToldDeed, most> deeds{};
  std::span<const ToldDeed> list() const { return std::span(deeds).first(count); }
};

class History {
 public:
  /// Makes the text of an entry, when it is told.
  using Describe = std::function<std::string()>;

  void add(const Deed& deed, Describe describe);
  uint64_t number() const { return number_; }
  uint64_t rolling() const { return rolling_; }
  /// "multiply of shape (3, 4), prog.py, line 5"; empty before the first.
  std::string last() const;
  ToldHistory tell() const;

 private:
  struct Entry {
    ToldDeed told;
    Describe describe;
  };
  uint64_t number_ = 0, rolling_ = 0;
  std::array<Entry, ToldHistory::most> entries_;  // by number
};

/// The first deeds of two histories that differ, of those that both know.
struct Difference {
  ToldDeed mine, other;
  bool is_first = true;  // the ones before it are known and equal
};
std::optional<Difference> find_difference(const ToldHistory& mine, const ToldHistory& other);
/// "the operation and the line".
std::string describe_difference(const Deed& a, const Deed& b);

}  // namespace tessera::engine
