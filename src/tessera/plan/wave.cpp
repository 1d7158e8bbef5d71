#include "tessera/plan/wave.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "tessera/plan/limits.h"
#include "tessera/plan/wave_parts.h"

namespace tessera::plan {

namespace {

/// A set of byte ranges in one memory.
class Ranges {
 public:
  void add(int64_t low, int64_t high) {
    auto first = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& r) { return r.high >= low; });
    auto last = first;
    for (; last != ranges_.end() && last->low <= high; ++last) {
      low = std::min(low, last->low);
      high = std::max(high, last->high);
    }
    ranges_.insert(ranges_.erase(first, last), {low, high});
  }
  int64_t size() const {
    int64_t bytes = 0;
    for (const Range& range : ranges_) bytes += range.high - range.low;
    return bytes;
  }
  int64_t count() const { return static_cast<int64_t>(ranges_.size()); }

 private:
  struct Range {
    int64_t low, high;
  };
  std::vector<Range> ranges_;  // sorted, disjoint
};

bool may_wave(const Step& step) { return !step.kernel.kernel || step.kernel.elementwise; }

class WaveFinder {
 public:
  WaveFinder(Plan& plan, int64_t wave_bytes) : plan_(plan), wave_bytes_(wave_bytes) {}

  void run() {
    const size_t count = plan_.steps.size();
    for (size_t first = 0; first < count;) {
      if (!may_wave(plan_.steps[first])) {
        ++first;
        continue;
      }
      size_t end = first + 1;
      while (end < count && may_wave(plan_.steps[end])) ++end;
      find_between(first, end);
      first = end;
    }
  }

 private:
  void find_between(size_t first, size_t end) {
    pitches_ = row_pitches(plan_, first, end);
    for (size_t step = first; step < end; ++step) {
      if (add(static_cast<int32_t>(step))) continue;
      close();
      if (!add(static_cast<int32_t>(step))) close();  // it belongs to no wave
    }
    close();
  }

  /// Adds the step to the wave; false when it does not fit, with the wave unchanged.
  bool add(int32_t step) {
    const size_t parts_before = parts_.size();
    const std::vector<Ranges> reach_before = reach_;
    const int64_t front_before = front_;
    if (parts_.empty()) reach_.assign(pitches_.size(), {});
    for (RowPart& part : row_parts(plan_, step, pitches_)) {
      if (!place(part)) break;
      widen(part);
      parts_.push_back(std::move(part));
      placed_ = step;
    }
    const bool complete = !parts_.empty() && placed_ == step && parts_in(step) == parts_.size() - parts_before;
    if (complete && bytes_in_use() <= wave_bytes_ / 4 * WaveLimits::quarters_in_use) return true;
    parts_.resize(parts_before);
    reach_ = reach_before;
    front_ = front_before;
    return false;
  }

  size_t parts_in(int32_t step) const {
    size_t count = plan_.steps[step].kernel.kernel != nullptr;
    for (const CopyStep& copy : plan_.steps[step].copies) count += copy.boxes.size();
    return count;
  }

  /// Computes when the part's first row may run and which rows of other parts it corresponds to; false when it comes
  /// after all of an earlier part.
  bool place(RowPart& row_part) {
    WavePart& part = row_part.part;
    for (size_t j = 0; j < parts_.size(); ++j) {
      const std::optional<RowDistance> distance = row_distance(parts_[j], row_part);
      if (!distance) continue;
      if (distance->all) return false;
      const WavePart& early = parts_[j].part;
      const int64_t start = early.start + distance->last;
      part.start = part.after.empty() ? start : std::max(part.start, start);
      if (early.rows > 1) part.origin = early.origin + (distance->first + distance->last) / 2;
      part.after.push_back({static_cast<int32_t>(j), distance->first, distance->last});
    }
    if (part.after.empty()) part.start = front_ + part.origin;
    if (part.rows > 1) front_ = part.start - part.origin;
    return true;
  }

  /// Adds the bytes of each memory that the part uses at one moment, relative to the row of that moment.
  void widen(const RowPart& row_part) {
    for (const RowAccess& access : row_part.accesses) {
      const int64_t pitch = pitches_[access.memory];
      if (pitch == 0 || (access.pitch == 0 && row_part.part.rows > 1)) continue;
      const int64_t shift = row_part.part.start * pitch;
      reach_[access.memory].add(access.low - shift, access.high - shift);
    }
  }

  int64_t bytes_in_use() const {
    int64_t bytes = 0;
    for (const Ranges& ranges : reach_) bytes += ranges.size();
    return bytes;
  }

  int64_t bytes_a_row() const {
    int64_t bytes = 0;
    for (size_t m = 0; m < reach_.size(); ++m) bytes += reach_[m].count() * pitches_[m];
    return bytes;
  }

  /// Whether the wave amortises its cost: it touches more bytes than the caches hold, and touches them more than once.
  bool pays() const {
    if (parts_.empty() || parts_.front().part.step == parts_.back().part.step) return false;
    std::vector<Ranges> all(pitches_.size());
    int64_t moved = 0, rows = 0;
    int64_t earliest = std::numeric_limits<int64_t>::max(), latest = std::numeric_limits<int64_t>::min();
    for (size_t at = 0; at < parts_.size();) {
      const int32_t step = parts_[at].part.step;
      std::vector<Ranges> own(pitches_.size());
      for (; at < parts_.size() && parts_[at].part.step == step; ++at) {
        const WavePart& part = parts_[at].part;
        rows = std::max(rows, part.rows);
        if (part.rows > 1) {
          earliest = std::min(earliest, part.start - part.origin);
          latest = std::max(latest, part.start - part.origin);
        }
        for (const RowAccess& access : parts_[at].accesses) {
          const int64_t high = access.high + (part.rows - 1) * access.pitch;
          own[access.memory].add(access.low, high);
          all[access.memory].add(access.low, high);
        }
      }
      for (const Ranges& ranges : own) moved += ranges.size();
    }
    int64_t touched = 0;
    for (const Ranges& ranges : all) touched += ranges.size();
    return touched >= WaveLimits::least_caches * wave_bytes_ &&
           WaveLimits::reuse_touched * moved >= WaveLimits::reuse_moved * touched &&
           rows >= WaveLimits::least_rows_a_lag * (latest - earliest + 1);
  }

  void close() {
    if (pays()) {
      Wave wave{.first_step = parts_.front().part.step, .end_step = parts_.back().part.step + 1};
      const int64_t room = wave_bytes_ - bytes_in_use();
      wave.rows_at_once =
          std::clamp<int64_t>(room / std::max<int64_t>(1, bytes_a_row()), 1, WaveLimits::most_rows_at_once);
      keep_in_caches();
      for (RowPart& part : parts_) wave.parts.push_back(std::move(part.part));
      plan_.waves.push_back(std::move(wave));
    }
    parts_.clear();
    front_ = 0;
  }

  /// Memory that several parts of the wave touch is not written by non-temporal stores.
  void keep_in_caches() {
    std::vector<int> users(pitches_.size(), 0), last(pitches_.size(), -1);
    for (size_t k = 0; k < parts_.size(); ++k) {
      for (const RowAccess& access : parts_[k].accesses) {
        if (std::exchange(last[access.memory], static_cast<int>(k)) != static_cast<int>(k)) ++users[access.memory];
      }
    }
    for (const RowPart& row_part : parts_) {
      if (row_part.part.copy >= 0) continue;
      KernelStep& kernel = plan_.steps[row_part.part.step].kernel;
      ir::Kernel changed = *kernel.kernel;
      bool streams = false;
      for (size_t k = 0; k < changed.buffers.size(); ++k) {
        if (!changed.buffers[k].streaming || users[row_part.accesses[k].memory] == 1) continue;
        changed.buffers[k].streaming = false;
        streams = true;
      }
      if (!streams) continue;
      kernel.kernel = std::make_shared<ir::Kernel>(std::move(changed));
      kernel.kernel_hash = ir::structural_hash(*kernel.kernel);
    }
  }

  Plan& plan_;
  const int64_t wave_bytes_;
  std::vector<int64_t> pitches_;  // by memory
  // The wave under construction.
  std::vector<RowPart> parts_;
  std::vector<Ranges> reach_;  // by memory: bytes in use at row 0 of the wave
  int64_t front_ = 0;          // by how many rows the latest part lags behind the first one
  int32_t placed_ = -1;
};

}  // namespace

void find_waves(Plan& plan, int64_t wave_bytes) {
  if (wave_bytes > 0) WaveFinder(plan, wave_bytes).run();
}

}  // namespace tessera::plan
