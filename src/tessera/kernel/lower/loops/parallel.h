/// Parallel loops: iterations on several threads, and what their chunks join.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/lower/region.h"
#include "tessera/kernel/parallel_note.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/values/array/element.h"

namespace tessera::kernel {

class Lowering;

using ChunkBody = std::function<void(ir::Value chunk, std::span<const ir::Value>, std::span<const ir::Value>)>;

struct ArrayTotal;

/// Loops whose iterations run on several threads.
class ParallelLoops {
 public:
  explicit ParallelLoops(Lowering& l);

  /// How many threads parallel work uses; in an iteration of prange what it, or one before it in its chunk, has set.
  Item thread_count();
  /// What was set for parallel loops of this call; none is set for those within an iteration.
  Item chunk_size();
  /// How many threads parallel work uses from here on.
  void set_thread_count(const Node& node, ir::Value count);
  const std::vector<ParallelNote>& notes() const { return parallel_notes_; }
  /// Adds to what is told of parallel loops.
  void note(const ParallelNote& note) { parallel_notes_.push_back(note); }
  /// How many loops around are parallel.
  int depth() const { return depth_; }
  /// Whether this is in an iteration of prange.
  bool in_iterations() const { return in_iterations_; }
  /// Functions of the kernel's own are lowered once, for calls inside iterations and outside.
  bool begin_function() { return ++depth_, std::exchange(in_iterations_, false); }
  void end_function(bool in_iterations) { --depth_, in_iterations_ = in_iterations; }
  /// What a loop or a function changes and puts back.
  struct Position {
    int depth = 0;
    bool in_iterations = false;
    uint32_t own_threads = 0;
  };
  Position position() const { return {depth_, in_iterations_, own_threads_}; }
  void restore(const Position& position) {
    depth_ = position.depth, in_iterations_ = position.in_iterations, own_threads_ = position.own_threads;
  }
  /// A loop over prange.
  void lower(const Node& loop, const Sequence& sequence);
  /// Whether work on whole arrays may use several threads here.
  bool runs_at_once() const;
  /// Runs body on several threads for chunks of the places, along the first axis; where there are few places, for one.
  /// Returns the number of chunks.
  ir::Value each_chunk(std::span<const ir::Value> from, std::span<const ir::Value> to, const ChunkBody& body);
  /// Joins all elements on several threads.
  Reduced reduce_at_once(const Item& array, const Item& first, const Join& join, ir::ReduceKind kind);

 private:
  void note_loop(const Node& loop, const Passed& variables, const std::vector<std::string>& ops,
                 std::span<const ArrayTotal> totals);
  void note_races(const Node& loop);
  void lower_chunk(const Node& loop, const Sequence& iterations, const Passed& passed, const Passed& variables,
                   const std::vector<std::string>& ops);
  void begin_thread_count();
  void note_raised();

  Lowering& l_;
  ir::Builder& b;
  std::vector<ParallelNote> parallel_notes_;
  uint32_t own_threads_ = 0;    // an array of each chunk: the number of threads that it has set
  int depth_ = 0;               // loops around that are parallel
  bool in_iterations_ = false;  // of prange
};

}  // namespace tessera::kernel
