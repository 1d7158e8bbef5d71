#include "tessera/lanes/schedule/split_branches.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tessera/ir/opcode.h"
#include "tessera/lanes/schedule/dependence.h"

namespace tessera::lanes {

namespace {

using ir::Kernel;
using ir::Opcode;
using ir::RegionId;
using ir::Value;
using Values = std::vector<Value>;

bool is_barrier(Opcode op) { return op == Opcode::barrier || op == Opcode::warp_barrier; }

/// Whether an instruction that `wanted` accepts is in the regions of v, at any depth.
template <class Wanted>
bool has_inside(const Kernel& kernel, Value v, Wanted&& wanted) {
  const ir::Instruction& i = kernel.instructions[v];
  for (int k = 0; k < i.region_count; ++k)
    for (Value inner : kernel.region(v, k).body)
      if (wanted(inner) || has_inside(kernel, inner, wanted)) return true;
  return false;
}

class Splitter {
 public:
  explicit Splitter(const Kernel& from)
      : from_(from), dependence_(from), to_value_(from.instructions.size(), ir::no_value) {
    out_ = from;
    out_.instructions.clear();
    out_.args.clear();
    out_.regions.assign(1, {});
  }

  /// Whether v differs between lanes and contains a barrier.
  bool must_split(Value v) const {
    return from_.instructions[v].op == Opcode::if_ && !dependence_.surrounds_lanes(v) && contains_barrier(v);
  }
  bool contains_barrier(Value v) const {
    return has_inside(from_, v, [&](Value inner) { return is_barrier(from_.instructions[inner].op); });
  }

  Kernel run() {
    copy_region(0, 0);
    return compact(out_);
  }

 private:
  Value append(ir::Instruction i, const Values& operands) {
    i.first_arg = static_cast<uint32_t>(out_.args.size());
    i.arg_count = static_cast<uint16_t>(operands.size());
    out_.args.insert(out_.args.end(), operands.begin(), operands.end());
    const Value v = static_cast<Value>(out_.instructions.size());
    out_.instructions.push_back(i);
    out_.regions[open_].body.push_back(v);
    return v;
  }

  Values mapped(std::span<const Value> values) const {
    Values result;
    for (Value v : values) result.push_back(to_value_[v]);
    return result;
  }

  RegionId add_regions(int count) {
    const auto first = static_cast<RegionId>(out_.regions.size());
    out_.regions.resize(out_.regions.size() + static_cast<size_t>(count));
    return first;
  }

  void copy_arguments(RegionId from, RegionId to) {
    out_.regions[to].arg_types = from_.regions[from].arg_types;
    for (Value v : from_.regions[from].arg_values) {
      out_.regions[to].arg_values.push_back(static_cast<Value>(out_.instructions.size()));
      to_value_[v] = static_cast<Value>(out_.instructions.size());
      out_.instructions.push_back(from_.instructions[v]);
    }
  }

  /// Copies v and its regions; branches inside are split where they must be.
  void copy(Value v) {
    ir::Instruction i = from_.instructions[v];
    const RegionId from = i.first_region;
    if (i.region_count) i.first_region = add_regions(i.region_count);
    for (int k = 0; k < i.region_count; ++k)
      copy_region(from + static_cast<RegionId>(k), i.first_region + static_cast<RegionId>(k));
    to_value_[v] = append(i, mapped(from_.operands(v)));
  }

  void copy_region(RegionId from, RegionId to) {
    const RegionId outer = std::exchange(open_, to);
    copy_arguments(from, to);
    for (Value v : from_.regions[from].body) {
      if (must_split(v))
        split(v, ir::no_value);
      else if (from_.instructions[v].op != Opcode::result || !copy_result(v))
        copy(v);
    }
    open_ = outer;
  }

  /// The results of a split branch are values of their own.
  bool copy_result(Value v) {
    const auto split = std::ranges::find(splits_, from_.operands(v)[0], &Split::branch);
    if (split == splits_.end()) return false;
    to_value_[v] = split->results[from_.instructions[v].imm];
    return true;
  }

  /// Writes both sides of a branch one after the other, each under its mask.
  void split(Value v, Value mask) {
    const Value condition = to_value_[from_.operands(v)[0]];
    Values sides[2];
    for (int k = 0; k < from_.instructions[v].region_count; ++k) {
      Value taken = condition;
      if (k == 1) taken = append({.op = Opcode::bit_not, .type = DType::boolean}, {condition});
      if (mask != ir::no_value) taken = append({.op = Opcode::bit_and, .type = DType::boolean}, {mask, taken});
      sides[k] = write_masked(from_.instructions[v].first_region + static_cast<RegionId>(k), taken);
    }
    Split done{v, {}};
    for (size_t k = 0; k < sides[0].size(); ++k) {
      const DType type = out_.instructions[sides[0][k]].type;
      done.results.push_back(append({.op = Opcode::select, .type = type}, {condition, sides[0][k], sides[1][k]}));
    }
    if (!done.results.empty()) to_value_[v] = done.results[0];
    splits_.push_back(std::move(done));
  }

  /// Writes a region's body into the open region; what has effects or reads memory, under the mask. Returns what the
  /// region yields.
  Values write_masked(RegionId region, Value mask) {
    Values piece;
    for (Value v : from_.regions[region].body) {
      const ir::Instruction& i = from_.instructions[v];
      if (i.op == Opcode::yield) continue;
      if (i.op == Opcode::result && copy_result(v)) continue;
      if (is_barrier(i.op)) {
        close_piece(piece, mask);
        append(i, {});
      } else if (contains_barrier(v)) {
        close_piece(piece, mask);
        if (i.op == Opcode::if_)
          split(v, mask);
        else
          write_loop(v, mask);
      } else if (is_free(v, piece)) {
        to_value_[v] = append(i, mapped(from_.operands(v)));
      } else {
        piece.push_back(v);
      }
    }
    close_piece(piece, mask);
    return mapped(yielded(from_, from_.regions[region]));
  }

  /// Whether v has no effect, reads no memory and is computed from values that are there.
  bool is_free(Value v, const Values& piece) const {
    const Opcode op = from_.instructions[v].op;
    if (op != Opcode::result && !ir::is_pure(op)) return false;
    return std::ranges::none_of(from_.operands(v),
                                [&](Value operand) { return std::ranges::find(piece, operand) != piece.end(); });
  }

  void write_loop(Value v, Value mask) {
    ir::Instruction i = from_.instructions[v];
    const RegionId from = i.first_region;
    i.first_region = add_regions(1);
    const RegionId outer = std::exchange(open_, i.first_region);
    copy_arguments(from, i.first_region);
    const Values next = write_masked(from, mask);
    if (!next.empty()) append({.op = Opcode::yield}, next);
    open_ = outer;
    to_value_[v] = append(i, mapped(from_.operands(v)));
  }

  /// Writes the piece as a branch, which yields what is used outside of it; other lanes get zeros.
  void close_piece(Values& piece, Value mask) {
    if (piece.empty()) return;
    const Values leaving = leaving_values(piece);
    const RegionId first = add_regions(2), outer = std::exchange(open_, first);
    for (Value v : piece) copy(v);
    Values zeros;
    if (!leaving.empty()) append({.op = Opcode::yield}, mapped(leaving));
    open_ = first + 1;
    for (Value v : leaving) {
      out_.constants.push_back(Scalar{.dtype = from_.instructions[v].type});
      zeros.push_back(append({.op = Opcode::constant,
                              .type = from_.instructions[v].type,
                              .imm = static_cast<uint32_t>(out_.constants.size() - 1)},
                             {}));
    }
    if (!zeros.empty()) append({.op = Opcode::yield}, zeros);
    open_ = outer;
    const Value branch = append({.op = Opcode::if_,
                                 .type = leaving.empty() ? DType::boolean : from_.instructions[leaving[0]].type,
                                 .region_count = 2,
                                 .first_region = first},
                                {mask});
    for (size_t k = 0; k < leaving.size(); ++k) {
      const DType type = from_.instructions[leaving[k]].type;
      to_value_[leaving[k]] =
          k == 0 ? branch : append({.op = Opcode::result, .type = type, .imm = static_cast<uint32_t>(k)}, {branch});
    }
    piece.clear();
  }

  Values leaving_values(const Values& piece) const {
    std::unordered_set<Value> own;
    for (Value v : piece) {
      own.insert(v);
      has_inside(from_, v, [&](Value inner) {
        own.insert(inner);
        return false;  // visits all
      });
    }
    std::unordered_set<Value> used;
    for (const ir::Region& region : from_.regions)
      for (Value user : region.body)
        if (!own.contains(user)) used.insert(from_.operands(user).begin(), from_.operands(user).end());
    Values leaving;
    for (Value v : piece)
      if (used.contains(v) && from_.result_count(v) > 0) leaving.push_back(v);
    return leaving;
  }

  struct Split {
    Value branch;
    Values results;
  };

  const Kernel& from_;
  const Dependence dependence_;
  Kernel out_;
  Values to_value_;
  std::vector<Split> splits_;
  RegionId open_ = 0;
};

}  // namespace

std::optional<Kernel> split_branches(const Kernel& kernel) {
  if (!ir::meets_in_blocks(kernel)) return {};
  Splitter splitter(kernel);
  bool is_needed = false;
  for (const ir::Region& region : kernel.regions) {
    for (Value v : region.body) {
      if (!splitter.must_split(v)) continue;
      is_needed = true;
      const auto is_unsafe = [&](Value inner) {
        return kernel.instructions[inner].op == Opcode::while_ && splitter.contains_barrier(inner);
      };
      if (has_inside(kernel, v, is_unsafe)) return {};
    }
  }
  if (!is_needed) return {};
  return splitter.run();
}

}  // namespace tessera::lanes
