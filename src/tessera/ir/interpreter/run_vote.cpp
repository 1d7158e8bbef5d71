// Votes, shuffles and counts: what the lanes of a warp or of a block learn from each other.
#include <algorithm>
#include <cstring>
#include <vector>

#include "tessera/ir/interpreter/run.h"

namespace tessera::ir {

namespace {

constexpr int64_t warp_lanes = 32;

uint32_t word_at(Place place, int64_t lane) {
  uint32_t word;
  std::memcpy(&word, place.pointer + lane * place.stride, sizeof word);
  return word;
}

/// The lane of the warp that lane `own` reads, or `own` itself.
int64_t source_lane(ShuffleKind kind, int64_t own, int32_t which, int64_t width) {
  const int64_t first = own & ~(width - 1), last = first + width - 1, by = which & 31;
  switch (kind) {
    case ShuffleKind::index: return first | (by & (width - 1));
    case ShuffleKind::up: return own - by >= first ? own - by : own;
    case ShuffleKind::down: return own + by <= last ? own + by : own;
    case ShuffleKind::exchange: return (own ^ by) <= last ? own ^ by : own;
  }
  return own;
}

}  // namespace

void Run::put_words(const Step& step, int64_t first, int64_t last, const uint32_t* words) {
  const Place result = cells_[step.result];
  for (int64_t i = first; i < last; ++i)
    std::memcpy(result.pointer + i * result.stride, &words[i - first], sizeof *words);
}

// Inactive lanes vote false; without a condition all active lanes vote true.
void Run::ballot(const Step& step, int64_t n, Mask mask) {
  const CellId* cells = program_.operands.data() + step.first;
  for (int64_t first = 0; first < n; first += warp_lanes) {
    const int64_t last = std::min(first + warp_lanes, n);
    uint32_t votes = 0;
    for (int64_t i = first; i < last; ++i) {
      const bool holds = step.count == 0 || cells_[cells[0]].pointer[i * cells_[cells[0]].stride] != 0;
      votes |= uint32_t{holds && (mask == nullptr || mask[i])} << (i - first);
    }
    uint32_t seen[warp_lanes];
    for (int64_t i = first; i < last; ++i)
      seen[i - first] = step.count > 1 ? votes & word_at(cells_[cells[1]], i) : votes;
    put_words(step, first, last, seen);
  }
}

// The lowest byte of a value is the first one: memory is little-endian.
void Run::match_byte(const Step& step, int64_t n, Mask mask) {
  const Place value = cells_[program_.operands[step.first]];
  const auto byte = [&](int64_t i) { return static_cast<unsigned char>(value.pointer[i * value.stride]); };
  for (int64_t first = 0; first < n; first += warp_lanes) {
    const int64_t last = std::min(first + warp_lanes, n);
    uint32_t peers[256] = {};
    for (int64_t i = first; i < last; ++i) peers[byte(i)] |= uint32_t{mask == nullptr || mask[i]} << (i - first);
    uint32_t found[warp_lanes];
    for (int64_t i = first; i < last; ++i) found[i - first] = peers[byte(i)];
    put_words(step, first, last, found);
  }
}

void Run::match_any(const Step& step, int64_t n, Mask mask) {
  const Place value = cells_[program_.operands[step.first]], asked = cells_[program_.operands[step.first + 1]];
  const auto at = [&](int64_t i) { return value.pointer + i * value.stride; };
  for (int64_t first = 0; first < n; first += warp_lanes) {
    const int64_t last = std::min(first + warp_lanes, n);
    uint32_t found[warp_lanes] = {};
    for (int64_t i = first; i < last; ++i) {
      for (int64_t k = first; k < last; ++k)
        found[i - first] |= uint32_t{(mask == nullptr || mask[k]) && std::memcmp(at(i), at(k), step.size) == 0}
                            << (k - first);
      found[i - first] &= word_at(asked, i);
    }
    put_words(step, first, last, found);
  }
}

void Run::shuffle(const Step& step, int64_t n, Mask mask) {
  const Place value = cells_[program_.operands[step.first]], which = cells_[program_.operands[step.first + 1]];
  const Place result = cells_[step.result];
  char taken[warp_lanes][8];
  for (int64_t first = 0; first < n; first += warp_lanes) {
    const int64_t last = std::min(first + warp_lanes, n);
    for (int64_t i = first; i < last; ++i) {
      const auto kind = static_cast<ShuffleKind>(step.amount);
      const int64_t from = first + source_lane(kind, i - first, static_cast<int32_t>(word_at(which, i)), step.side);
      const bool runs = from < last && (mask == nullptr || mask[from]);
      std::memcpy(taken[i - first], value.pointer + (runs ? from : i) * value.stride, step.size);
    }
    for (int64_t i = first; i < last; ++i) std::memcpy(result.pointer + i * result.stride, taken[i - first], step.size);
  }
}

void Run::call_host(const Step& step, int64_t n, Mask mask) {
  const Place result = cells_[step.result];
  std::vector<int64_t> operands(step.count);
  for (int64_t i = 0; i < n; ++i) {
    if (mask != nullptr && !mask[i]) continue;
    for (size_t k = 0; k < operands.size(); ++k) {
      const Place operand = cells_[program_.operands[step.first + k]];
      std::memcpy(&operands[k], operand.pointer + i * operand.stride, sizeof operands[k]);
    }
    const int64_t given = arguments_.host(arguments_.host_context, step.side, operands.data());
    std::memcpy(result.pointer + i * result.stride, &given, sizeof given);
  }
}

void Run::barrier_count(const Step& step, int64_t n, Mask mask) {
  const Place condition = cells_[program_.operands[step.first]];
  int32_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += condition.pointer[i * condition.stride] != 0 && (mask == nullptr || mask[i]);
  std::memcpy(cells_[step.result].pointer, &count, sizeof count);
}

}  // namespace tessera::ir
