/// What the native code of a CUDA C++ module and the code that runs it share: records in the object, and the state of a
/// block. Fields are read by number (block_field) in code that is generated.
#pragma once

#include <cstdint>

#include "tessera/codegen/host_module.h"

namespace tessera::codegen::cuda_cpp {

/// Where threads stop and wait for others.
enum class Meeting : int32_t {
  none,           // a kernel's beginning
  block,          // __syncthreads
  block_vote,     // __syncthreads_count and its like: of what each thread has published
  warp,           // __syncwarp
  warp_exchange,  // shuffles: published words become visible
  warp_vote,      // ballots, and which threads are here (__activemask)
  grid,           // grid.sync()
  loop,  // the end of an iteration: nobody need wait, but threads are kept together, so that they run as vectors
};

inline constexpr int32_t done = -1, mixed = -2;
inline constexpr int warp_size = 32;

class BlockChecks;

/// A block while it runs. A thread's state is the region that it runs next, or `done`.
struct BlockState {
  uint32_t index[4];    // 0: blockIdx
  char* shared;         // 1: static shared memory, then dynamic
  char* context;        // 2: what threads keep across meetings, one array a value
  char* uniform;        // 3: the same of values that are equal for all threads
  int32_t* states;      // 4
  uint64_t* published;  // 5: a word of each thread
  uint64_t* visible;    // 6: words that were published before the last meeting of the warp
  uint32_t* masks;      // 7: which threads of the warp each one waits for
  uint32_t* votes;      // 8: of each warp
  int64_t count;        // 9: of the last vote of the block: how many said yes
  int64_t arrived;      // 10: and how many there were
  BlockChecks* checks;  // of kernels that are checked
};

/// The threads [first, last) of a block run from one meeting to the next. Returns the state that all of them have then,
/// or `mixed` where each one's is in `states`.
using RegionCode = int32_t(const HostLaunch* launch, BlockState* block, int64_t first, int64_t last);

struct RegionRecord {
  RegionCode* all;     // of threads that are all in this region
  RegionCode* chosen;  // of those whose state it is; null in kernels without meetings
  Meeting before;      // where threads wait before they run it
  const char* place;   // of the meeting in the source, where the kernel is checked
};

struct KernelRecord {
  const char* name;
  const int64_t* parameter_sizes;
  int64_t parameter_count;
  const RegionRecord* regions;
  int64_t region_count;
  int64_t static_shared_bytes;
  int64_t thread_bytes;
  int64_t uniform_bytes;
  int64_t most_threads;
  int64_t is_checked;
};

struct VariableRecord {
  const char* name;
  char* data;
  int64_t nbytes;
};

/// A name expression and the symbol that it stands for.
struct NameRecord {
  const char* name;
  const char* symbol;
};

struct ModuleRecord {
  const KernelRecord* kernels;
  int64_t kernel_count;
  const VariableRecord* variables;
  int64_t variable_count;
  const NameRecord* names;
  int64_t name_count;
  int64_t constant_bytes;
};

/// The symbol of the object's ModuleRecord.
inline constexpr const char* record_symbol = "tessera_module_record";

}  // namespace tessera::codegen::cuda_cpp
