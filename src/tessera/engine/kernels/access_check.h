/// AccessCheck: what the lanes of one launch do to memory, and which of it is a fault: races, reads of what was never
/// written, barriers that some lanes do not reach.
#pragma once

#include <csetjmp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/engine/kernels/launch_arguments.h"
#include "tessera/engine/kernels/shadow_cell.h"
#include "tessera/ir/checks.h"
#include "tessera/ir/kernel.h"

namespace tessera::engine {

enum class FaultKind : uint8_t { race, unwritten, barrier, barriers_differ };
enum class MemoryKind : uint8_t { global, shared, local };

/// One lane's part in a fault.
struct FaultParty {
  uint32_t lane = 0;  // ir::lane_bits
  uint32_t site = 0;  // a place in the source
  bool writes = false, is_atomic = false;
};

struct AccessFault {
  FaultKind kind;
  MemoryKind memory{};
  FaultParty first{}, second{};  // in the order in which they were noticed
  std::vector<int64_t> index{};  // of the element
};

/// A launch that is checked runs on the cores, block by block. The order between accesses comes from barriers of the
/// block, the warp and the grid, and from a fence of the first lane's block that the second's has seen by an atomic.
class AccessCheck {
 public:
  AccessCheck();
  ~AccessCheck();
  AccessCheck(const AccessCheck&) = delete;
  AccessCheck& operator=(const AccessCheck&) = delete;

  /// The launch begins.
  void begin(const ir::Kernel& kernel, const LaunchArguments& arguments);
  /// Runs the launch, compiled or not, until it is over or an exception ends it.
  void run(bool is_compiled, const std::function<void()>& body);
  /// KernelArguments::host, of this context.
  static int64_t answer(void* self, uint32_t function, const int64_t* operands);
  /// KernelArguments::host_context.
  void* context() { return &state_; }
  /// The launch has ended: its different faults.
  std::span<const AccessFault> finish();
  /// Of the launch's six axes.
  const std::array<int64_t, 6>& extents() const { return extents_; }

 private:
  /// A buffer, or the shared arrays of a block that are one memory.
  struct Memory {
    const char* data = nullptr;
    int64_t low = 0, high = 0;     // addresses, between which all elements are
    std::vector<int64_t> strides;  // in bytes
    int64_t offset = 0;            // from the region's begin
    int64_t bytes = 0;             // of an element
    int shift = 0;                 // 2^shift bytes a cell
    int64_t cells = 1;             // of an element
    size_t first_cell = 0;
    bool is_watched = false;  // some lane may write it
    bool is_local = false;
    /// Whether new memory still holds what set_unwritten left there.
    bool is_unset(int64_t offset) const;
  };
  using Lane = ir::CheckLane;
  using Arrival = ir::CheckArrival;
  struct Block {
    uint32_t number = 0, begin = 0;
    std::vector<Lane> lanes;
    std::vector<Arrival> arrivals;               // at the block's barriers
    std::vector<std::vector<Arrival>> of_warps;  // at the warps'
    ShadowCells shared;
    std::vector<uint32_t> local;  // when each lane's elements were written
  };

  void add_regions(const ir::Kernel& kernel, const LaunchArguments& arguments);
  void add_arrays(const ir::Kernel& kernel, int64_t shared_bytes);
  template <ir::CheckCall call>
  void access_buffer(uint32_t buffer, const int64_t* operands);
  template <ir::CheckCall call>
  void access_array(uint32_t array, const int64_t* operands);
  void read_settled(uint32_t array, const int64_t* operands);
  void access_local(bool writes, uint32_t array, const int64_t* operands);
  template <bool writes, bool is_atomic>
  void touch(ShadowCell& cell, const Touch& one);
  void clash(ShadowMark with, uint16_t site, bool writes, bool is_atomic, const Touch& one);
  void add_unwritten(MemoryKind memory, const Touch& one);
  [[noreturn]] void end();
  void meet(ir::CheckCall call, uint32_t lane, uint32_t site);
  void meet_block(uint32_t lane, uint32_t site);
  void meet_as_block(uint32_t first, uint32_t site);
  void meet_grid(uint32_t lane, uint32_t site);
  void meet_warp(uint32_t lane, uint32_t site);
  bool is_ordered(uint32_t lane, uint32_t time, uint32_t later) const;
  Block& block_of(uint32_t lane) {
    if (current_ && current_->number == lane >> ir::lane_bits) [[likely]]
      return *current_;
    return enter_block(lane >> ir::lane_bits);
  }
  Block& enter_block(uint32_t number);
  void show_block();
  void finish_block(const Block& block);
  void add_fault(AccessFault fault);

  static constexpr uint32_t lane_mask = (1u << ir::lane_bits) - 1;

  ir::CheckState state_;  // for compiled code
  const ir::Kernel* kernel_ = nullptr;
  std::array<int64_t, 6> extents_{};
  std::unique_ptr<Shadow> shadow_;  // of buffers
  uint32_t begin_ = 0;              // when the launch began
  std::vector<Memory> buffers_, arrays_;
  std::unique_ptr<bool[]> tells_;  // of each buffer
  std::vector<ir::CheckBuffer> for_code_;
  std::vector<int64_t> unset_, sizes_;  // of each array
  size_t dynamic_cells_ = 0;
  size_t shared_cells_ = 0, local_words_ = 0;  // of a block; of a lane
  bool has_blocks_ = false, keeps_blocks_ = false;
  Lane any_lane_;  // where lanes do not meet
  Block* current_ = nullptr;
  std::unordered_map<uint32_t, std::unique_ptr<Block>> blocks_;  // one, unless they wait for each other
  std::vector<Arrival> grid_arrivals_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> fences_;  // their times, by block
  std::unordered_map<uint32_t, uint32_t> acquired_;             // the last atomic's
  std::set<std::tuple<FaultKind, uint32_t, uint32_t>> known_;
  std::vector<AccessFault> faults_;
  Mutex mutex_;
  std::jmp_buf* caller_ = nullptr;  // of compiled code
  bool has_ended_ = false;
};

/// Sets memory to what counts as never written, as a checked program's new arrays are.
void set_unwritten(char* data, size_t bytes);

}  // namespace tessera::engine
