// Cooperative groups: the block, tiles of a warp, the threads of a warp that are here, the grid.
#pragma once

namespace cooperative_groups {

class grid_group {
 public:
  TESSERA_FUNCTION_MEMBER void sync() const {
    __threadfence();
    __tessera_meet(6, 0);
  }
  TESSERA_FUNCTION_MEMBER bool is_valid() const { return true; }
  TESSERA_FUNCTION_MEMBER unsigned long long size() const { return num_blocks() * block_size(); }
  TESSERA_FUNCTION_MEMBER unsigned long long num_threads() const { return size(); }
  TESSERA_FUNCTION_MEMBER unsigned long long thread_rank() const {
    return block_rank() * block_size() + __tessera_linear_thread();
  }
  TESSERA_FUNCTION_MEMBER unsigned long long num_blocks() const {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  TESSERA_FUNCTION_MEMBER unsigned long long block_rank() const {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  TESSERA_FUNCTION_MEMBER dim3 group_dim() const { return gridDim; }
  TESSERA_FUNCTION_MEMBER dim3 block_index() const { return blockIdx; }

 private:
  TESSERA_FUNCTION_MEMBER unsigned long long block_size() const {
    return (unsigned long long)blockDim.x * blockDim.y * blockDim.z;
  }
};
TESSERA_FUNCTION grid_group this_grid() { return {}; }

class thread_block {
 public:
  static TESSERA_FUNCTION_MEMBER void sync() { __syncthreads(); }
  static TESSERA_FUNCTION_MEMBER unsigned thread_rank() { return __tessera_linear_thread(); }
  static TESSERA_FUNCTION_MEMBER unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static TESSERA_FUNCTION_MEMBER unsigned num_threads() { return size(); }
  static TESSERA_FUNCTION_MEMBER dim3 group_index() { return blockIdx; }
  static TESSERA_FUNCTION_MEMBER dim3 thread_index() { return threadIdx; }
  static TESSERA_FUNCTION_MEMBER dim3 group_dim() { return blockDim; }
  static TESSERA_FUNCTION_MEMBER dim3 dim_threads() { return blockDim; }
};
TESSERA_FUNCTION thread_block this_thread_block() { return {}; }

// Threads of one warp, by their mask; `first` lanes are before a tile's.
class __tessera_lanes {
 public:
  __tessera_lanes() = default;
  TESSERA_FUNCTION_MEMBER __tessera_lanes(unsigned mask) : mask_(mask) {}
  TESSERA_FUNCTION_MEMBER void sync() const { __syncwarp(mask_); }
  TESSERA_FUNCTION_MEMBER unsigned size() const { return __popc(mask_); }
  TESSERA_FUNCTION_MEMBER unsigned num_threads() const { return size(); }
  TESSERA_FUNCTION_MEMBER unsigned thread_rank() const { return __popc(mask_ & ((1u << __tessera_lane()) - 1)); }
  template <class T>
  TESSERA_FUNCTION_MEMBER T shfl(T value, int from) const {
    return __shfl_sync(mask_, value, lane_of(from));
  }
  template <class T>
  TESSERA_FUNCTION_MEMBER T shfl_down(T value, unsigned n) const {
    int rank = thread_rank() + n;
    return __shfl_sync(mask_, value, rank < (int)size() ? lane_of(rank) : __tessera_lane());
  }
  template <class T>
  TESSERA_FUNCTION_MEMBER T shfl_up(T value, unsigned n) const {
    int rank = (int)thread_rank() - (int)n;
    return __shfl_sync(mask_, value, rank >= 0 ? lane_of(rank) : __tessera_lane());
  }
  template <class T>
  TESSERA_FUNCTION_MEMBER T shfl_xor(T value, unsigned n) const {
    int rank = thread_rank() ^ n;
    return __shfl_sync(mask_, value, rank < (int)size() ? lane_of(rank) : __tessera_lane());
  }
  TESSERA_FUNCTION_MEMBER int any(int predicate) const { return __any_sync(mask_, predicate); }
  TESSERA_FUNCTION_MEMBER int all(int predicate) const { return __all_sync(mask_, predicate); }
  TESSERA_FUNCTION_MEMBER unsigned ballot(int predicate) const { return packed(__ballot_sync(mask_, predicate)); }
  template <class T>
  TESSERA_FUNCTION_MEMBER unsigned match_any(T value) const {
    return packed(__match_any_sync(mask_, value));
  }

 protected:
  // The lane of the k-th of these threads.
  TESSERA_FUNCTION_MEMBER unsigned lane_of(int k) const {
    unsigned rest = mask_;
    for (; k > 0; --k) rest &= rest - 1;
    return __ffs(rest) - 1;
  }
  // A mask of lanes as one of ranks.
  TESSERA_FUNCTION_MEMBER unsigned packed(unsigned lanes) const {
    unsigned made = 0, rank = 0;
    for (int lane = 0; lane < 32; ++lane)
      if (mask_ >> lane & 1) made |= (lanes >> lane & 1) << rank++;
    return made;
  }
  unsigned mask_;
};

class coalesced_group : public __tessera_lanes {
 public:
  using __tessera_lanes::__tessera_lanes;
};
TESSERA_FUNCTION coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned n, class Parent = thread_block>
class thread_block_tile {
 public:
  static_assert(n > 0 && n <= 32 && (n & (n - 1)) == 0, "on the cores a tile has 1, 2, 4, 8, 16 or 32 threads");
  static TESSERA_FUNCTION_MEMBER void sync() { __syncwarp(mask()); }
  static TESSERA_FUNCTION_MEMBER unsigned thread_rank() { return __tessera_lane() & (n - 1); }
  static TESSERA_FUNCTION_MEMBER constexpr unsigned size() { return n; }
  static TESSERA_FUNCTION_MEMBER constexpr unsigned num_threads() { return n; }
  static TESSERA_FUNCTION_MEMBER unsigned meta_group_rank() { return __tessera_linear_thread() / n; }
  static TESSERA_FUNCTION_MEMBER unsigned meta_group_size() { return (thread_block::size() + n - 1) / n; }
  template <class T>
  static TESSERA_FUNCTION_MEMBER T shfl(T value, int from) {
    return __shfl_sync(mask(), value, from, n);
  }
  template <class T>
  static TESSERA_FUNCTION_MEMBER T shfl_down(T value, unsigned k) {
    return __shfl_down_sync(mask(), value, k, n);
  }
  template <class T>
  static TESSERA_FUNCTION_MEMBER T shfl_up(T value, unsigned k) {
    return __shfl_up_sync(mask(), value, k, n);
  }
  template <class T>
  static TESSERA_FUNCTION_MEMBER T shfl_xor(T value, unsigned k) {
    return __shfl_xor_sync(mask(), value, k, n);
  }
  static TESSERA_FUNCTION_MEMBER int any(int predicate) { return __any_sync(mask(), predicate); }
  static TESSERA_FUNCTION_MEMBER int all(int predicate) { return __all_sync(mask(), predicate); }
  static TESSERA_FUNCTION_MEMBER unsigned ballot(int predicate) { return __ballot_sync(mask(), predicate) >> first(); }
  template <class T>
  static TESSERA_FUNCTION_MEMBER unsigned match_any(T value) {
    return __match_any_sync(mask(), value) >> first();
  }

 private:
  static TESSERA_FUNCTION_MEMBER unsigned first() { return __tessera_lane() & ~(n - 1); }
  // Of the threads that the block has.
  static TESSERA_FUNCTION_MEMBER unsigned mask() { return (n == 32 ? 0xffffffffu : (1u << (n & 31)) - 1) << first(); }
};
template <unsigned n, class Parent>
TESSERA_FUNCTION thread_block_tile<n, Parent> tiled_partition(const Parent&) {
  return {};
}

template <class Group>
TESSERA_FUNCTION void sync(const Group& group) {
  group.sync();
}
template <class Group>
TESSERA_FUNCTION unsigned thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
TESSERA_FUNCTION unsigned group_size(const Group& group) {
  return group.size();
}

template <class T = void>
struct plus {
  TESSERA_FUNCTION_MEMBER T operator()(T a, T b) const { return a + b; }
};
template <class T = void>
struct less {
  TESSERA_FUNCTION_MEMBER T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  TESSERA_FUNCTION_MEMBER T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
  TESSERA_FUNCTION_MEMBER T operator()(T a, T b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  TESSERA_FUNCTION_MEMBER T operator()(T a, T b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  TESSERA_FUNCTION_MEMBER T operator()(T a, T b) const { return a ^ b; }
};
template <class Group, class T, class F>
TESSERA_FUNCTION T reduce(const Group& group, T value, F join) {
  T made = group.shfl(value, 0);
  for (unsigned k = 1; k < group.size(); ++k) made = join(made, group.shfl(value, k));
  return made;
}
template <class Group, class T, class F>
TESSERA_FUNCTION T inclusive_scan(const Group& group, T value, F join) {
  T made = group.shfl(value, 0);
  for (unsigned k = 1; k < group.size(); ++k) {
    T next = group.shfl(value, k);
    if (k <= group.thread_rank()) made = join(made, next);
  }
  return made;
}

}  // namespace cooperative_groups
