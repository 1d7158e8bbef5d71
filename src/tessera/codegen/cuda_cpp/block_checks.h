/// What is checked while the blocks of a kernel run: accesses, races in shared memory, barriers, divisors.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tessera/codegen/cuda_cpp/module_record.h"

namespace tessera::codegen::cuda_cpp {

/// What an access does; bits.
enum AccessKind : int32_t { reads_memory = 1, writes_memory = 2, is_atomic = 4, copies_memory = 8, fills_memory = 16 };

/// In place of an object's length.
inline constexpr int64_t unknown_length = -1, dynamic_shared_length = -2, first_parameter_length = -16;

/// One access, as the code tells it: tessera_cuda_access.
struct CheckedAccess {
  const char* address;
  int64_t nbytes;
  const char* base;   // of the object that the address is computed from; null where there are several
  int64_t length;     // of the object; `first_parameter_length - k`: what parameter k points to
  int32_t kind;       // AccessKind
  const char* place;  // "line 7 of blur.cu"
  const char* name;   // of the object
  const char* value;  // that is stored, or the byte that is repeated; null where it is not known
};

/// The faults of a launch, each kind of each place once.
class LaunchChecks {
 public:
  void add(const std::string& kind, const char* place, const char* other, const std::string& text);
  bool is_sound() const { return faults_.empty(); }
  std::vector<std::string> take() { return std::move(faults_); }

 private:
  std::vector<std::string> faults_;
  std::set<std::tuple<std::string, std::string, std::string>> known_;
};

/// Of one block after the other. Threads are ordered by the barriers that both have passed.
class BlockChecks {
 public:
  BlockChecks(const KernelRecord& kernel, const HostLaunch& launch, const BlockState& block);

  void begin_block();
  /// Whether the access may be done; else the thread ends.
  bool access(int64_t thread, const CheckedAccess& access);
  void divide_by_zero(int64_t thread, const char* place);
  /// The thread has executed a return statement.
  void end_by_return(int64_t thread) { has_returned_[static_cast<size_t>(thread)] = 1; }
  /// What the thread has done is seen by others from now on, as far as a fence makes it so.
  void fence(int64_t thread) { ++fences_[static_cast<size_t>(thread)]; }
  /// Those of the threads [first, last) that are in this state, or all of them, go on from their meeting.
  void pass(int32_t state, int64_t first, int64_t last, bool is_of_all);
  /// A barrier of the block or the grid opens: all threads must be there, or have returned.
  void open();
  /// The block has ended, and others wait at a barrier of the grid.
  void miss_grid();
  /// A meeting of a warp opens: the threads that these wait for must be there, or have returned.
  void open_in_warp(int32_t state, int64_t first, int64_t last);

 private:
  /// Who accessed a byte of shared memory.
  struct Party {
    const char* place = nullptr;
    int32_t thread = -1;
    uint32_t of_block = 0, of_warp = 0, fences = 0;  // meetings and fences that the thread had passed
    bool is_atomic = false;
  };
  struct Cell {
    Party writer, reader, other_reader;
    bool is_written = false;
    uint32_t block = 0;  // whose memory it is of, counted
  };

  void pass_in_warp(int32_t state, int64_t first, int64_t last);
  std::string name_of(int64_t thread) const;
  std::string element_of(const CheckedAccess& access) const;
  bool is_inside(int64_t thread, const CheckedAccess& access);
  void check_shared(int64_t thread, const CheckedAccess& access, int64_t offset);
  void check_race(int64_t thread, const CheckedAccess& access, const Party& earlier, bool earlier_writes);
  /// Whether what this thread does now comes after what the party did.
  bool is_after(int64_t thread, const Party& party) const;
  int64_t shared_bytes() const;
  Cell& cell_at(int64_t offset);

  const KernelRecord& kernel_;
  const HostLaunch& launch_;
  const BlockState& block_;
  LaunchChecks& faults_;
  std::vector<Cell> cells_;  // of each byte of shared memory
  uint32_t blocks_ = 0;      // that have begun
  std::vector<uint32_t> of_block_, of_warp_, fences_;
  /// Which meetings of each other thread of its warp a thread knows of: what came before them came before it.
  std::vector<std::array<uint32_t, warp_size>> known_;
  std::vector<uint8_t> has_returned_;
};

}  // namespace tessera::codegen::cuda_cpp
