/// Narrow: lanes of one or two bytes, packed into words.
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "tessera/codegen/emit/emitter_part.h"
#include "tessera/lanes/schedule/narrow.h"

namespace tessera::codegen {

class Narrow : public EmitterPart {
 public:
  using EmitterPart::EmitterPart;

  /// The word at which a load or store begins in a row, and the bit offset of its first element in that word.
  struct Run {
    llvm::Value* words = nullptr;
    llvm::Value* bits = nullptr;
  };
  static constexpr int group_lanes = 4;
  /// One value in four neighbouring lanes, in each representation that was needed: as words in memory order, as pairs
  /// of 16-bit numbers of which only the lower bytes count (bytes 0 and 2, bytes 1 and 3), or lane by lane.
  struct Group {
    std::array<llvm::Value*, 2> words{}, halves{};
    uint32_t most = 0;
    std::array<llvm::Value*, group_lanes> lanes{};
  };
  struct Reciprocal {
    llvm::Value* factor = nullptr;
    llvm::Value* start = nullptr;
  };
  struct Tiling {
    llvm::Value* thread;
    llvm::Value* threads;
    llvm::Value* size = nullptr;  // lanes of a tile
    llvm::Value* start = nullptr;
    llvm::Value* stride = nullptr;
  };

  void emit_narrow_lanes(llvm::Value* begin, llvm::Value* size);

 private:
  Tiling emit_tiling();
  llvm::Value* emit_divides_quietly();
  llvm::Value* emit_result_offset(llvm::Value* first, llvm::Value*& alike);
  std::vector<Run> emit_runs(llvm::Value* first);
  void emit_groups(const std::vector<Run>& runs, llvm::Value* first, llvm::Value* lane, int count);
  void emit_group_value(std::vector<Group>& values, ir::Value v);
  Group load_group(const Run& run, ir::Value v, llvm::Value* lane);
  void store_group(const Run& run, std::vector<Group>& values, ir::Value v, llvm::Value* lane);
  void make_words(Group& group);
  void make_lanes(Group& group, DType dtype);
  void make_halves(Group& group, uint32_t most);
  llvm::Value* permute(llvm::Value* a, llvm::Value* b, uint32_t selector);
  llvm::Value* shared_byte(ir::Value v);
  Group halves_of(std::vector<Group>& values, ir::Value v, uint32_t most);
  Reciprocal reciprocal_of(ir::Value divisor);
  Group emit_quotients(std::vector<Group>& values, ir::Value x, ir::Value divisor);
  Group emit_halves(std::vector<Group>& values, ir::Value v);

  llvm::Value* group_first_ = nullptr;  // the first lane of the group being written
  std::unordered_map<ir::Value, Reciprocal> reciprocals_;
};

}  // namespace tessera::codegen
