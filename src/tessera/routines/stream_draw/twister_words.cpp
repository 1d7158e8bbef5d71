#include "tessera/routines/stream_draw/twister_words.h"

#include <algorithm>

#include "tessera/library/random/twister_jump.h"
#include "tessera/routines/stream_draw/twister_kernels.h"

namespace tessera::routines {

namespace {

static_assert(twister_size == library::Mt19937::size);
constexpr int least_log_length = 14, most_segments = 1024;

}  // namespace

TwisterWords::TwisterWords(Launcher& launcher, const library::Mt19937& bits) : launcher_(launcher) {
  const std::vector<uint64_t> state = bits.state();
  key_.assign(state.begin(), state.begin() + twister_size);
  position_ = static_cast<int64_t>(state[static_cast<size_t>(twister_size)]);
}

const char* TwisterWords::make(int64_t count, bool is_upper_first) {
  const int64_t words = 2 * count, skipped = position_ - 1;
  log_length_ = least_log_length;
  while ((skipped + words) >> log_length_ >= most_segments) ++log_length_;
  const int64_t segments = ((skipped + words - 1) >> log_length_) + 1;
  make_states(segments);
  words_ = launcher_.allocate(words, DType::uint32);
  launcher_.run({.name = "twister_words",
                 .make = twister_words_kernel,
                 .extents = {segments, twister_threads},
                 .buffers = {states_->data(), words_->data()},
                 .scalars = {int64_t{1} << log_length_, skipped, words, is_upper_first},
                 .is_block = true});
  return words_->data();
}

// The number of states doubles with each launch.
void TwisterWords::make_states(int64_t segments) {
  const std::vector<uint32_t> first = library::twister_window(key_);
  states_ = launcher_.allocate(segments * twister_size, DType::uint32);
  runtime::Stream& stream = launcher_.device().stream();
  stream.copy_in(states_->data(), reinterpret_cast<const char*>(first.data()), 4 * first.size());
  int power = log_length_;
  for (int64_t count = 1; count < segments; count *= 2, ++power) {
    const std::span<const uint32_t> jump = library::twister_jump(power);
    std::vector<int64_t> data(twister_chunks + 1 + (jump.size() + 1) / 2);
    for (int64_t chunk = 0; chunk <= twister_chunks; ++chunk)
      data[static_cast<size_t>(chunk)] = std::ranges::lower_bound(jump, chunk * twister_size) - jump.begin();
    std::ranges::copy(jump, reinterpret_cast<uint32_t*>(data.data() + twister_chunks + 1));
    const Ref<runtime::Buffer> uploaded = launcher_.allocate(static_cast<int64_t>(data.size()), DType::int64);
    stream.copy_in(uploaded->data(), reinterpret_cast<const char*>(data.data()), 8 * data.size());
    launcher_.run({.name = "twister_jump",
                   .make = twister_jump_kernel,
                   .extents = {std::min(count, segments - count), twister_threads},
                   .buffers = {states_->data(), uploaded->data() + 8 * (twister_chunks + 1), uploaded->data()},
                   .scalars = {count},
                   .is_block = true});
  }
}

library::Mt19937 TwisterWords::after(int64_t words) const {
  const int64_t end = position_ + words, refills = (end - 1) / twister_size;
  library::Mt19937 after;
  std::vector<uint64_t> state(static_cast<size_t>(twister_size) + 1);
  if (refills == 0) {
    std::ranges::copy(key_, state.begin());
  } else {
    // Words of segments are counted from the second of the key.
    const int64_t begin = refills * twister_size - 1, segment = begin >> log_length_;
    std::vector<uint32_t> window(static_cast<size_t>(twister_size));
    launcher_.fetch(window.data(), states_->data() + 4 * twister_size * segment, 4 * window.size());
    std::vector<uint64_t> known(window.begin(), window.end());
    known.push_back(0);
    after.set_state(known);
    int64_t passed = begin - (segment << log_length_);
    for (; passed > 0; passed -= std::min(passed, twister_size))
      after.fill_untempered(std::span(window).first(static_cast<size_t>(std::min(passed, twister_size))));
    after.fill_untempered(window);
    std::ranges::copy(window, state.begin());
  }
  state.back() = static_cast<uint64_t>(end - refills * twister_size);
  after.set_state(state);
  return after;
}

}  // namespace tessera::routines
