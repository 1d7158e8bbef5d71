#include "tessera/ir/interpreter/run.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::ir {

namespace {

/// Memory of the calls that the running thread is in, one behind the other.
class CallStack {
 public:
  /// What is taken during its life is given back at its end.
  class Scope {
   public:
    explicit Scope(CallStack& stack) : stack_(stack), block_(stack.block_), used_(stack.used_) {}
    ~Scope() {
      stack_.block_ = block_;
      stack_.used_ = used_;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    CallStack& stack_;
    size_t block_, used_;
  };

  char* take(size_t bytes) {
    bytes = (bytes + 63) / 64 * 64;
    while (block_ < blocks_.size() && blocks_[block_].size < used_ + bytes) {
      ++block_;
      used_ = 0;
    }
    if (block_ == blocks_.size()) {
      const size_t size = std::max(bytes, size_t{1} << 18);
      blocks_.push_back({std::make_unique_for_overwrite<char[]>(size + 64), size});
    }
    char* const start = blocks_[block_].bytes.get();
    char* const aligned = start + (64 - reinterpret_cast<uintptr_t>(start) % 64) % 64;
    return aligned + std::exchange(used_, used_ + bytes);
  }

 private:
  struct Block {
    std::unique_ptr<char[]> bytes;
    size_t size;
  };
  std::vector<Block> blocks_;
  size_t block_ = 0, used_ = 0;
};
thread_local CallStack call_stack;

class Counted {
 public:
  explicit Counted(int& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  int& count_;
};

/// Calls that the running thread is in; more than these go on on another thread, whose stack is its own.
thread_local int nested = 0;
constexpr int most_nested = 400;

}  // namespace

void Run::call_deeper(const CallInfo& info, int64_t n, Mask mask) {
  std::exception_ptr problem;
  std::thread([&] {
    try {
      call(info, n, mask);
    } catch (...) {
      problem = std::current_exception();
    }
  }).join();
  if (problem) std::rethrow_exception(problem);
}

// Each call has cells of its own, so a function may call itself.
void Run::call(const CallInfo& info, int64_t n, Mask mask) {
  if (nested == most_nested) return call_deeper(info, n, mask);
  const Counted counted(nested);
  const Program::Impl& function = functions_[info.function];
  const CallStack::Scope scope(call_stack);
  Run run(function, arguments_, begin_, end_);
  run.functions_ = functions_;
  run.array_lane_ = array_lane_;
  run.lane_count_ = lane_count_;
  const int64_t lanes = n == 1 ? 16 : (n + 63) / 64 * 64;
  size_t total = function.layout.slots;
  for (size_t f = 0; f < function.frames.size(); ++f)
    total += static_cast<size_t>(f == 0 ? lanes : function.frames[f].lanes) * function.frames[f].bytes_per_lane;
  char* const memory = call_stack.take(total);
  run.place_frames(memory, lanes);
  run.arrays_ = arrays_;
  run.place_cells(memory);
  for (size_t axis = 0; axis < function.index_cells.size(); ++axis)
    run.uniform_int(function.index_cells[axis]) = uniform_int(program_.index_cells[axis]);
  if (!function.sequences[0].empty()) run.execute(0, 1, nullptr);
  const auto move = [&](Place from, Place to, uint8_t size) {
    char* pointers[] = {from.pointer, to.pointer};
    const int64_t strides[] = {from.stride, to.stride};
    function.moves[size].copy(pointers, strides, n);
  };
  for (size_t k = 0; k < info.arguments.size(); ++k)
    move(cells_[info.arguments[k]], run.cells_[function.arguments[k]], function.cells[function.arguments[k]].size);
  run.execute(1, n, mask);
  for (size_t k = 0; k < info.results.size(); ++k)
    move(run.cells_[function.results[k]], cells_[info.results[k]], program_.cells[info.results[k]].size);
}

}  // namespace tessera::ir
