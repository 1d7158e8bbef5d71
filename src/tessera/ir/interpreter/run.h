/// Run: one execution of a Program over a box of the parallel space.
#pragma once

#include "tessera/ir/interpreter/program.h"

namespace tessera::ir {

/// The current address of a cell's value: lane k is at pointer + k * stride.
struct Place {
  char* pointer;
  int64_t stride;
};

/// The memory of a frame's slots in this run.
struct FrameSlots {
  char* memory;
  int64_t lanes;
};

class Run {
 public:
  Run(const Program::Impl& program, const KernelArguments& arguments, const int64_t* begin, const int64_t* end);
  void run();

 private:
  /// One byte per lane, nonzero for active lanes; null: all lanes are active.
  using Mask = const uint8_t*;

  void place_cells(char* memory);
  void place_slots(char* memory);
  char* place_frames(char* memory, int64_t lanes);
  bool buffers_alias() const;
  void run_rows();
  void execute(uint32_t sequence, int64_t n, Mask mask);
  void apply(const Step& step, int64_t n);

  // Memory.
  struct Spot {
    char* pointer;   // element of lane 0, not counting varying indices
    int64_t stride;  // between lanes, not counting varying indices
  };
  Spot locate(const Access& access) const;
  int64_t index_stride(const Access& access, uint32_t k) const;
  char* element(const Access& access, Spot spot, int64_t lane) const;
  void load(const Step& step, int64_t n, Mask mask);
  void gather(const Step& step, int64_t n, Mask mask);
  void store(const Step& step, int64_t n, Mask mask);
  void scatter(const Step& step, int64_t n, Mask mask);
  void aim_store(const Step& step);
  void atomic(const Step& step, int64_t n, Mask mask);
  void ballot(const Step& step, int64_t n, Mask mask);
  void match_byte(const Step& step, int64_t n, Mask mask);
  void match_any(const Step& step, int64_t n, Mask mask);
  void shuffle(const Step& step, int64_t n, Mask mask);
  void barrier_count(const Step& step, int64_t n, Mask mask);
  void call_host(const Step& step, int64_t n, Mask mask);
  void call(const CallInfo& info, int64_t n, Mask mask);
  void call_deeper(const CallInfo& info, int64_t n, Mask mask);
  void put_words(const Step& step, int64_t first, int64_t last, const uint32_t* words);
  void check(const CheckInfo& info, int64_t n, Mask mask);

  // Control.
  void branch(const Step& step, int64_t n, Mask mask);
  void count_loop(const Control& control, int64_t n, Mask mask);
  void test_loop(const Control& control, int64_t n, Mask mask);
  void copy(const std::vector<Copy>& copies, int64_t n, Mask mask);
  void reduce(const Step& step, int64_t n, Mask mask);
  bool reduces_by_rows(const ReduceInfo& info, int64_t n, int64_t length) const;
  void reduce_rows(const ReduceInfo& info, int64_t lower, int64_t upper, int64_t n, Mask mask);
  void reduce_plain(const ReduceInfo& info, int64_t lower, int64_t length, int64_t n);
  void import_lane(const ReduceInfo& info, int64_t lane);
  void reduce_lane(const ReduceInfo& info, int64_t lane, char* result);
  void reduce_chunk(const ReduceInfo& info, int64_t from, int64_t n, bool first, char* accumulator);
  int64_t probe(const ReduceInfo& info, int64_t access) const;

  int64_t number(const IndexRef& index, int64_t lane) const;
  int64_t& uniform_int(CellId cell) const { return *reinterpret_cast<int64_t*>(cells_[cell].pointer); }

  const Program::Impl& program_;
  const Program::Impl* functions_;
  const KernelArguments& arguments_;
  const int64_t* begin_;
  const int64_t* end_;
  Place* cells_ = nullptr;
  char* chunks_ = nullptr;
  FrameSlots* slots_ = nullptr;
  char** arrays_ = nullptr;
  int64_t array_lane_ = -1;  // the outermost frame's current lane while an inner frame runs
  int64_t lane_count_ = 0;   // number of lanes that local arrays have
  bool aliased_ = true;
};

}  // namespace tessera::ir
