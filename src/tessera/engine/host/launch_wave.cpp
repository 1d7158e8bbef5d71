// Runs a wave: each thread advances through its rows, each part some rows behind those it depends on; then the seams
// between the threads' rows run.
#include <algorithm>
#include <limits>

#include "tessera/engine/host/launch.h"
#include "tessera/engine/host/wave_rows.h"
#include "tessera/engine/support/copy_boxes.h"
#include "tessera/plan/wave.h"
#include "tessera/profile/counters.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::engine {

using plan::Wave;
using plan::WavePart;
using plan::WaveRows;
using plan::WaveShare;

void Launch::begin_waves() {
  struct Extent {
    const char *begin, *end;
  };
  std::vector<Extent> extents;
  for (const Ref<runtime::Buffer>& buffer : external_) {
    if (buffer) extents.push_back({buffer->data(), buffer->data() + buffer->nbytes()});
  }
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  as_planned_ = true;
  for (size_t k = 1; k < extents.size(); ++k) as_planned_ = as_planned_ && extents[k - 1].end <= extents[k].begin;
  constexpr int64_t unknown = std::numeric_limits<int64_t>::max();
  shifts_.assign(bound_->plan.slots.size() + bound_->plan.blocks.size(), unknown);
  for (const plan::Step& step : bound_->plan.steps) {
    for (const plan::CopyStep& copy : step.copies) {
      note_shift(copy.from, 0);
      note_shift(copy.to, 0);
    }
  }
}

void Launch::note_shift(int32_t slot, int64_t shift) {
  int64_t& known = shifts_[plan::memory_of(bound_->plan, slot)];
  if (known == std::numeric_limits<int64_t>::max()) known = shift;
  as_planned_ = as_planned_ && known == shift;
}

void Launch::run_wave(const Wave& wave) {
  std::vector<ir::KernelArguments> arguments;
  for (int32_t k = wave.first_step; k < wave.end_step; ++k) {
    arguments.push_back(this->arguments(k));
    count_run(k);
  }
  profile::add(profile::Counter::waves);
  auto visit = [&](size_t p, const WaveRows& rows) {
    const WavePart& part = wave.parts[p];
    const plan::Step& step = bound_->plan.steps[part.step];
    if (part.copy >= 0) {
      const plan::CopyStep& copy = step.copies[part.copy];
      return copy_box(data(copy.from), data(copy.to), box_rows(copy.boxes[part.box], part, rows));
    }
    Dims begin(step.kernel.extents.size(), 0);
    Dims end = step.kernel.extents;
    const WaveRows range = index_range(end[0], part, rows);
    begin[0] = range.begin;
    end[0] = range.end;
    run_kernel(part.step, arguments[part.step - wave.first_step], begin.data(), end.data());
  };
  const plan::WaveShares shares = plan::share_wave(wave, runtime::thread_count());
  const auto run = [&](const std::vector<WaveShare>& of) {
    auto body = [&](int64_t from, int64_t to) {
      for (int64_t s = from; s < to; ++s) march(wave, of[s], visit);
    };
    runtime::parallel_for(static_cast<int64_t>(of.size()), 1, body);
  };
  run(shares.apart);
  run(shares.seams);
}

}  // namespace tessera::engine
