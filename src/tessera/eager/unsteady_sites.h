/// UnsteadySites: call sites whose operations are planned anew each time, since lengths or distances differ from call
/// to call. What such a site asks for runs at once, up to some thousand elements: planning would cost more than
/// running.
#pragma once

#include <array>
#include <cstdint>

namespace tessera::eager {

class UnsteadySites {
 public:
  /// Elements up to which an operation of an unsteady site runs at once. Planning takes 1.5 to 3 us an operation, in
  /// which a core processes about so many.
  static constexpr int64_t most_elements = 16384;

  /// Those of the process; like all of the engine, used under the caller's lock.
  static UnsteadySites& instance();

  /// Whether operations of this site run at once now; uses up one of its turns. After the last one it is recorded
  /// again, since it may have become steady.
  bool take_turn(uint64_t site) {
    if (with_turns_ == 0) [[likely]]
      return false;
    Entry& entry = entry_of(site);
    if (entry.site != site || entry.turns == 0) return false;
    with_turns_ -= --entry.turns == 0;
    return true;
  }
  /// Whether some site may run at once now.
  bool any() const { return with_turns_ > 0; }
  /// Whether plans that are found need to be noted: new ones were not long ago.
  bool watches() { return watched_ > 0 && watched_-- > 0; }
  /// What is noted next is of another window: a site counts once in each.
  void begin_window() { ++window_; }
  /// No site is unsteady any more.
  void clear() { *this = {}; }
  /// An operation of the site was planned anew, or its plan was found again. `site` may be 0: unknown.
  void note(uint64_t site, bool found) {
    if (site == 0) return;
    Entry& entry = entry_of(site);
    found ? forget(entry, site) : suspect(entry, site);
  }

 private:
  /// So many windows with new plans in a row make a site unsteady for so many turns.
  static constexpr uint16_t patience = 8, turns = 1024;
  /// So many windows after a new plan those that are found are noted.
  static constexpr int watch = 64;

  struct Entry {
    uint64_t site = 0;
    uint64_t window = 0;  // in which it was suspected last
    uint16_t misses = 0, turns = 0;
  };
  Entry& entry_of(uint64_t site) { return entries_[(site ^ site >> 22) % entries_.size()]; }
  void forget(Entry& entry, uint64_t site) {
    if (entry.site == site) entry.misses = 0;
  }
  void suspect(Entry& entry, uint64_t site);

  std::array<Entry, 1024> entries_;  // a later site may take the place of another
  int64_t with_turns_ = 0;           // entries that have turns left
  int watched_ = 0;
  uint64_t window_ = 1;
};

}  // namespace tessera::eager
