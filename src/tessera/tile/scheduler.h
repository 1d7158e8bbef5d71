/// Scheduler: what make_schedule keeps while it goes through the steps. Used by this room's sources alone.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tessera/tile/schedule.h"

namespace tessera::tile {

class Scheduler {
 public:
  Scheduler(const std::vector<SlotState>& slots, int places);

  void add(int32_t number, const Step& step);
  /// Adds these steps, of which `first` is the number of the first, so that places exchange before all of them and
  /// compute what they need of others' lanes beside their own; runs of them where that would be too much. A place's
  /// lanes grow by `most_extra` of its own at most.
  void add_together(int32_t first, std::span<const Step> steps, double most_extra);
  /// Whether the places' lanes of the step follow from what is cut, and each could run others', too.
  bool is_divisible(const Step& step) const;
  Schedule take();

 private:
  struct Shares;
  enum class Together : uint8_t { done, useless, too_much };

  size_t each() const { return static_cast<size_t>(places_); }
  SlotState& state(int32_t slot) { return states_[static_cast<size_t>(slot)]; }
  const SlotState& state(int32_t slot) const { return states_[static_cast<size_t>(slot)]; }
  void touch(int32_t slot, int place, const Range& bytes);
  void send(int32_t slot, int from, int to, const Range& bytes);
  void require(int32_t slot, int place, const Range& bytes);
  void bring_from(int32_t slot, int other, int place, const Range& bytes);
  const std::vector<int>& owners_in_order(int32_t slot);
  const Ranges& valid_anywhere(int32_t slot);
  void note_written(int32_t slot, const std::vector<Range>& by_place);
  void give(int32_t slot, std::vector<Range> owned);
  void set_owned(int32_t slot, std::vector<Range> owned);
  void cut(int32_t slot, int64_t row);
  void add_move(int32_t step, int32_t number, const Move& move);
  std::vector<Range> share_lanes(const Step& step);
  bool is_spread(const Access& access, int64_t lanes);
  void add_lanes(int32_t number, const Step& step);
  bool repeats(const Step& step) const;
  void add_repeated(int32_t number, const Step& step);
  bool needs_all(const Step& step) const;
  size_t home_of(const Step& step);
  int64_t bytes_joined_by(const Step& step) const;
  void own_written(const Access& access, const std::vector<Range>& lanes);

  Together try_together(int32_t first, std::span<const Step> steps, double most_extra);
  void add_shares(int32_t first, std::span<const Step> steps, const Shares& shares, const Scheduler& apart);

  std::vector<SlotState> states_;
  /// Of a slot, as far as they are known: the places that own something, in its order, and the bytes that are valid at
  /// any place.
  struct Index {
    std::optional<std::vector<int>> owners{};
    std::optional<Ranges> valid{};
  };
  std::vector<Index> indices_;
  int places_;
  Schedule result_;
  int64_t meeting_ = 0;  // bytes of a temporary slot up to which it has what places made for the step to join
  int64_t sent_ = 0;
};

}  // namespace tessera::tile
