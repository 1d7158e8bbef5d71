#include "tessera/codegen/cuda_cpp/block_checks.h"

#include <algorithm>
#include <cstring>

#include "tessera/base/format.h"

namespace tessera::codegen::cuda_cpp {

namespace {

constexpr size_t most_faults = 16;
// Nothing lies below: addresses there are those of members of what a null pointer points to.
constexpr uintptr_t first_address = 65536;

bool is_of_block(Meeting meeting) {
  return meeting == Meeting::block || meeting == Meeting::block_vote || meeting == Meeting::grid;
}

const char* verb_of(const CheckedAccess& access) {
  if (access.kind & is_atomic) return "atomic access";
  return access.kind & writes_memory ? "write" : "read";
}

}  // namespace

void LaunchChecks::add(const std::string& kind, const char* place, const char* other, const std::string& text) {
  if (faults_.size() >= most_faults || !known_.emplace(kind, place, other ? other : "").second) return;
  faults_.push_back(text);
}

BlockChecks::BlockChecks(const KernelRecord& kernel, const HostLaunch& launch, const BlockState& block)
    : kernel_(kernel), launch_(launch), block_(block), faults_(*launch.checks) {
  const auto threads = static_cast<size_t>(launch.threads());
  of_block_.resize(threads), of_warp_.resize(threads), fences_.resize(threads);
  known_.resize(threads), has_returned_.resize(threads);
  cells_.resize(static_cast<size_t>(shared_bytes()));
}

void BlockChecks::begin_block() {
  std::fill(of_block_.begin(), of_block_.end(), 0);
  std::fill(of_warp_.begin(), of_warp_.end(), 0);
  std::fill(fences_.begin(), fences_.end(), 0);
  std::fill(known_.begin(), known_.end(), std::array<uint32_t, warp_size>{});
  std::fill(has_returned_.begin(), has_returned_.end(), 0);
  ++blocks_;
}

int64_t BlockChecks::shared_bytes() const {
  return (kernel_.static_shared_bytes + 15) / 16 * 16 + launch_.shared_bytes;
}

BlockChecks::Cell& BlockChecks::cell_at(int64_t offset) {
  Cell& cell = cells_[static_cast<size_t>(offset)];
  if (cell.block != blocks_) cell = Cell{.block = blocks_};
  return cell;
}

std::string BlockChecks::name_of(int64_t thread) const {
  const int64_t nx = launch_.block[0], ny = launch_.block[1];
  return format("thread ({}, {}, {}) of block ({}, {}, {})", thread % nx, thread / nx % ny, thread / nx / ny,
                block_.index[0], block_.index[1], block_.index[2]);
}

std::string BlockChecks::element_of(const CheckedAccess& access) const {
  if (!access.base) return format("byte {}", access.address - block_.shared);
  const int64_t offset = access.address - access.base;
  if (access.nbytes > 0 && offset % access.nbytes == 0) return format("{}[{}]", access.name, offset / access.nbytes);
  return format("{} bytes at {} + {} bytes", access.nbytes, access.name, offset);
}

bool BlockChecks::is_inside(int64_t thread, const CheckedAccess& access) {
  const char *begin = access.base, *end = nullptr;
  if (access.length >= 0) {
    end = begin + access.length;
  } else if (access.length == dynamic_shared_length) {
    end = block_.shared + shared_bytes();
  } else if (access.length <= first_parameter_length) {
    const auto parameter = static_cast<size_t>(first_parameter_length - access.length);
    if (parameter < launch_.memory.size()) begin = launch_.memory[parameter].begin, end = launch_.memory[parameter].end;
  }
  const bool is_null = access.length <= first_parameter_length && access.base == nullptr;
  if (begin == nullptr || end == nullptr) {
    if (!is_null && reinterpret_cast<uintptr_t>(access.address) >= first_address) return true;
    faults_.add("null", access.place, nullptr,
                format("{} of {} bytes by a null pointer by {} in {}", verb_of(access), access.nbytes, name_of(thread),
                       access.place));
    return false;
  }
  if (access.address >= begin && access.address <= end && access.nbytes >= 0 && access.nbytes <= end - access.address)
    return true;
  faults_.add("outside", access.place, access.name,
              format("{} out of bounds: {} of {} bytes in {}, which has {}, by {} in {}", verb_of(access),
                     element_of(access), access.nbytes, access.name, end - access.base, name_of(thread), access.place));
  return false;
}

bool BlockChecks::access(int64_t thread, const CheckedAccess& access) {
  if (access.nbytes == 0) return true;
  if (!is_inside(thread, access)) return false;
  const int64_t offset = access.address - block_.shared;
  if (offset >= 0 && offset + access.nbytes <= shared_bytes()) check_shared(thread, access, offset);
  return true;
}

void BlockChecks::check_shared(int64_t thread, const CheckedAccess& access, int64_t offset) {
  const bool writes = access.kind & writes_memory, reads = access.kind & reads_memory;
  const auto t = static_cast<size_t>(thread);
  const Party own{.place = access.place,
                  .thread = static_cast<int32_t>(thread),
                  .of_block = of_block_[t],
                  .of_warp = of_warp_[t],
                  .fences = fences_[t],
                  .is_atomic = (access.kind & is_atomic) != 0};
  // A structure that is copied may have bytes between its members. A thread that was ended has not written its part.
  bool is_unwritten = false, is_any_written = false;
  for (int64_t k = 0; k < access.nbytes; ++k) (cell_at(offset + k).is_written ? is_any_written : is_unwritten) = true;
  if (reads && is_unwritten && !(is_any_written && (access.kind & copies_memory)) && faults_.is_sound())
    faults_.add("unwritten", access.place, access.name,
                format("read of what was never written: {} in shared memory by {} in {}", element_of(access),
                       name_of(thread), access.place));
  for (int64_t k = 0; k < access.nbytes; ++k) {
    Cell& cell = cell_at(offset + k);
    const bool is_same = writes && access.value && cell.is_written &&
                         access.address[k] == access.value[access.kind & fills_memory ? 0 : k];
    if (!is_same || own.is_atomic) check_race(thread, access, cell.writer, true);
    if (writes) {
      check_race(thread, access, cell.reader, false);
      check_race(thread, access, cell.other_reader, false);
      cell.writer = own;
      cell.is_written = true;
    }
    if (reads && !writes) {
      if (cell.reader.thread < 0 || cell.reader.thread == own.thread || is_after(thread, cell.reader))
        cell.reader = own;
      else
        cell.other_reader = own;
    }
  }
}

bool BlockChecks::is_after(int64_t thread, const Party& party) const {
  const auto own = static_cast<size_t>(thread), other = static_cast<size_t>(party.thread);
  if (own == other || party.of_block < of_block_[own] || party.fences < fences_[other]) return true;
  return own / warp_size == other / warp_size && party.of_warp < known_[own][other % warp_size];
}

void BlockChecks::check_race(int64_t thread, const CheckedAccess& access, const Party& earlier, bool earlier_writes) {
  if (earlier.thread < 0 || (earlier.is_atomic && (access.kind & is_atomic)) || is_after(thread, earlier)) return;
  const auto told = [](bool writes, bool is_atomic) {
    return is_atomic ? "changed by an atomic of" : writes ? "written by" : "read by";
  };
  faults_.add(
      "race", access.place, earlier.place,
      format("race on {} in shared memory: {} {} in {}, {} {} in {}, and no barrier is between them",
             element_of(access), told(earlier_writes, earlier.is_atomic), name_of(earlier.thread), earlier.place,
             told(access.kind & writes_memory, access.kind & is_atomic), name_of(thread), access.place));
}

void BlockChecks::divide_by_zero(int64_t thread, const char* place) {
  faults_.add("divisor", place, nullptr, format("division by zero by {} in {}", name_of(thread), place));
}

void BlockChecks::pass(int32_t state, int64_t first, int64_t last, bool is_of_all) {
  const Meeting meeting = kernel_.regions[state].before;
  if (meeting == Meeting::none || meeting == Meeting::loop) return;
  if (!is_of_block(meeting)) return pass_in_warp(state, first, last);
  for (int64_t t = first; t < last; ++t)
    if (is_of_all || block_.states[t] == state) ++of_block_[static_cast<size_t>(t)];
}

void BlockChecks::pass_in_warp(int32_t state, int64_t first, int64_t last) {
  for (int64_t t = first; t < last; ++t)
    if (block_.states[t] == state)
      known_[static_cast<size_t>(t)][static_cast<size_t>(t - first)] = ++of_warp_[static_cast<size_t>(t)];
  const std::vector<std::array<uint32_t, warp_size>> before(known_.begin() + first, known_.begin() + last);
  for (int64_t t = first; t < last; ++t)
    for (int64_t other = first; other < last; ++other) {
      const bool meet = block_.states[t] == state && block_.states[other] == state &&
                        (block_.masks[t] >> (other - first) & 1) && (block_.masks[other] >> (t - first) & 1);
      for (size_t k = 0; meet && k < warp_size; ++k)
        known_[static_cast<size_t>(t)][k] =
            std::max(known_[static_cast<size_t>(t)][k], before[static_cast<size_t>(other - first)][k]);
    }
}

void BlockChecks::miss_grid() {
  if (!faults_.is_sound() || std::ranges::all_of(has_returned_, [](uint8_t returned) { return returned != 0; })) return;
  faults_.add("grid", "", nullptr,
              format("missed barrier of the grid: block ({}, {}, {}) ends while others wait", block_.index[0],
                     block_.index[1], block_.index[2]));
}

void BlockChecks::open() {
  int64_t waiting = -1;
  for (int64_t t = 0; t < launch_.threads() && waiting < 0; ++t)
    if (block_.states[t] > 0 && is_of_block(kernel_.regions[block_.states[t]].before)) waiting = t;
  if (waiting < 0 || !faults_.is_sound()) return;
  const int32_t state = block_.states[waiting];
  const char* place = kernel_.regions[state].place;
  for (int64_t t = 0; t < launch_.threads(); ++t) {
    const int32_t other = block_.states[t];
    if (other == state || (other == done && has_returned_[static_cast<size_t>(t)])) continue;
    if (other == done)
      return faults_.add(
          "barrier", place, nullptr,
          format("missed barrier: {} waits in {}, where {} does not come", name_of(waiting), place, name_of(t)));
    if (other > 0 && is_of_block(kernel_.regions[other].before))
      return faults_.add("barriers", place, kernel_.regions[other].place,
                         format("different barriers: {} waits in {}, {} in {}", name_of(waiting), place, name_of(t),
                                kernel_.regions[other].place));
  }
}

void BlockChecks::open_in_warp(int32_t state, int64_t first, int64_t last) {
  if (!faults_.is_sound()) return;
  for (int64_t waiting = first; waiting < last; ++waiting)
    for (int64_t t = first; t < last && block_.states[waiting] == state; ++t) {
      const bool is_here = block_.states[t] == state;
      const bool is_gone = block_.states[t] == done && has_returned_[static_cast<size_t>(t)];
      if (is_here || is_gone || !(block_.masks[waiting] >> (t - first) & 1)) continue;
      return faults_.add("warp", kernel_.regions[state].place, nullptr,
                         format("missed barrier of a warp: {} waits in {} for {}, which does not come",
                                name_of(waiting), kernel_.regions[state].place, name_of(t)));
    }
}

}  // namespace tessera::codegen::cuda_cpp
