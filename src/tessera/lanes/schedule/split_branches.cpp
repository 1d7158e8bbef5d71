#include "tessera/lanes/schedule/split_branches.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tessera/ir/loop_index.h"
#include "tessera/ir/opcode.h"
#include "tessera/lanes/schedule/dependence.h"
#include "tessera/lanes/schedule/lower_votes.h"

namespace tessera::lanes {

namespace {

using ir::Kernel;
using ir::Opcode;
using ir::RegionId;
using ir::Value;

/// Whether an instruction that `wanted` accepts is in the regions of v, at any depth.
template <class Wanted>
bool has_inside(const Kernel& kernel, Value v, Wanted&& wanted) {
  const ir::Instruction& i = kernel.instructions[v];
  for (int k = 0; k < i.region_count; ++k)
    for (Value inner : kernel.region(v, k).body)
      if (wanted(inner) || has_inside(kernel, inner, wanted)) return true;
  return false;
}

/// Whether op is a meeting point that is written in others.
bool is_vote(Opcode op) {
  return ir::is_meeting(op) && op != Opcode::barrier && op != Opcode::grid_barrier && op != Opcode::warp_barrier;
}

class Splitter : public VoteLowering {
 public:
  explicit Splitter(const Kernel& from) : VoteLowering(from), dependence_(from) {}

  /// Whether v differs between lanes and contains a meeting point.
  bool must_split(Value v) const {
    return ir::has_regions(from_.instructions[v].op) && !dependence_.surrounds_lanes(v) && contains_meeting(v);
  }
  bool contains_meeting(Value v) const {
    return has_inside(from_, v, [&](Value inner) { return ir::is_meeting(from_.instructions[inner].op); });
  }

  Kernel run() {
    copy_region(0, 0);
    return compact(out_);
  }

 private:
  /// Copies v and its regions; control flow inside is split where it must be.
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
      if (ir::is_meeting(from_.instructions[v].op))
        to_value_[v] = lower_meeting(v, ir::no_value);
      else if (must_split(v))
        split(v, ir::no_value);
      else if (from_.instructions[v].op != Opcode::result || !copy_result(v))
        copy(v);
    }
    open_ = outer;
  }

  /// The results of split control flow are values of their own.
  bool copy_result(Value v) {
    const auto split = std::ranges::find(splits_, from_.operands(v)[0], &Split::control);
    if (split == splits_.end()) return false;
    to_value_[v] = split->results[from_.instructions[v].imm];
    return true;
  }

  void finish(Value v, Values results) {
    if (!results.empty()) to_value_[v] = results[0];
    splits_.push_back({v, std::move(results)});
  }

  void split(Value v, Value mask) {
    switch (from_.instructions[v].op) {
      case Opcode::if_: return split_if(v, mask);
      case Opcode::for_: return split_for(v, mask);
      default: return split_while(v, mask);
    }
  }

  /// Writes both sides of a branch one after the other, each under its mask.
  void split_if(Value v, Value mask) {
    const Value condition = to_value_[from_.operands(v)[0]];
    Values sides[2];
    for (int k = 0; k < from_.instructions[v].region_count; ++k) {
      const Value taken = k == 0 ? condition : write(Opcode::bit_not, DType::boolean, {condition});
      sides[k] = write_masked(from_.instructions[v].first_region + static_cast<RegionId>(k), both(mask, taken));
    }
    Values results;
    for (size_t k = 0; k < sides[0].size(); ++k)
      results.push_back(write(Opcode::select, type_of(sides[0][k]), {condition, sides[0][k], sides[1][k]}));
    finish(v, std::move(results));
  }

  Value any_lane(Value condition) {
    const Value count = write(Opcode::barrier_count, DType::int32, {condition});
    return write(Opcode::ne, DType::boolean, {count, integer(DType::int32, 0)});
  }

  /// A `while` over (active, carried...), of which `test` writes the condition and what is passed on, (active, ...),
  /// and `next` the body.
  template <class Test, class Next>
  Value write_active_loop(const Values& initial, Test&& test, Next&& next) {
    std::vector<DType> types;
    for (Value v : initial) types.push_back(type_of(v));
    const RegionId first = add_regions(2), outer = std::exchange(open_, first);
    Values passed = test(add_arguments(first, types));
    passed.insert(passed.begin(), any_lane(passed[0]));
    yield(passed);
    types.clear();
    for (Value v : std::span(passed).subspan(1)) types.push_back(type_of(v));
    open_ = first + 1;
    yield(next(add_arguments(first + 1, types)));
    open_ = outer;
    return append({.op = Opcode::while_, .type = DType::boolean, .region_count = 2, .first_region = first}, initial);
  }

  Value or_all(Value mask) { return mask == ir::no_value ? truth() : mask; }

  /// Repeats the body under the mask of the lanes that still run, while there are any. A lane's results are what its
  /// last iteration carried.
  void split_for(Value v, Value mask) {
    const Values bounds = mapped(from_.operands(v));
    const RegionId body = from_.instructions[v].first_region;
    Values initial{or_all(mask), bounds[0]};
    initial.insert(initial.end(), bounds.begin() + 3, bounds.end());
    const auto test = [&](const Values& arguments) {
      Values passed = arguments;
      passed[0] = both(arguments[0], goes_on(arguments[1], bounds[1], bounds[2]));
      return passed;
    };
    const Value loop = write_active_loop(initial, test, [&](const Values& arguments) {
      map(from_.regions[body].arg_values, std::span(arguments).subspan(1));
      const Values carried = write_masked(body, arguments[0]);
      Values next{arguments[0], next_index(arguments[1], bounds[1], bounds[2])};
      for (size_t k = 0; k < carried.size(); ++k)
        next.push_back(write(Opcode::select, type_of(carried[k]), {arguments[0], carried[k], arguments[k + 2]}));
      return next;
    });
    Values results;
    for (size_t k = 2; k < initial.size(); ++k)
      results.push_back(result(loop, static_cast<uint32_t>(k), type_of(initial[k])));
    finish(v, std::move(results));
  }

  Value goes_on(Value i, Value upper, Value step) {
    const Value zero = integer(DType::int64, 0);
    const Value up =
        both(write(Opcode::gt, DType::boolean, {step, zero}), write(Opcode::lt, DType::boolean, {i, upper}));
    const Value down =
        both(write(Opcode::lt, DType::boolean, {step, zero}), write(Opcode::gt, DType::boolean, {i, upper}));
    return write(Opcode::bit_or, DType::boolean, {up, down});
  }

  /// See ir::next_index.
  Value next_index(Value i, Value upper, Value step) {
    const Value next = write(Opcode::add, DType::int64, {i, step});
    if (!ir::may_leave_int64(out_, upper, step)) return next;
    const Value falls = write(Opcode::lt, DType::boolean, {next, i});
    const Value goes_down = write(Opcode::lt, DType::boolean, {step, integer(DType::int64, 0)});
    const Value leaves = write(Opcode::bit_xor, DType::boolean, {falls, goes_down});
    return write(Opcode::select, DType::int64, {leaves, upper, next});
  }

  /// The same for `while`: a lane's results are what it passed when its condition failed.
  void split_while(Value v, Value mask) {
    const RegionId condition = from_.instructions[v].first_region, body = condition + 1;
    Values initial = mapped(from_.operands(v));
    const size_t carried = initial.size(), passed = from_.regions[body].arg_types.size();
    initial.insert(initial.begin(), or_all(mask));
    for (DType type : from_.regions[body].arg_types) initial.push_back(constant(Scalar{.dtype = type}));
    const auto test = [&](const Values& arguments) {
      map(from_.regions[condition].arg_values, std::span(arguments).subspan(1, carried));
      Values tested = write_masked(condition, arguments[0]);
      const Value active = both(arguments[0], tested[0]);
      for (size_t k = 0; k < passed; ++k)
        tested.push_back(
            write(Opcode::select, type_of(tested[1 + k]), {arguments[0], tested[1 + k], arguments[1 + carried + k]}));
      tested[0] = active;
      return tested;
    };
    const Value loop = write_active_loop(initial, test, [&](const Values& arguments) {
      map(from_.regions[body].arg_values, std::span(arguments).subspan(1, passed));
      Values next = write_masked(body, arguments[0]);
      next.insert(next.begin(), arguments[0]);
      next.insert(next.end(), arguments.begin() + static_cast<ptrdiff_t>(1 + passed), arguments.end());
      return next;
    });
    Values results;
    for (size_t k = 0; k < passed; ++k)
      results.push_back(result(loop, static_cast<uint32_t>(1 + passed + k), from_.regions[body].arg_types[k]));
    finish(v, std::move(results));
  }

  /// Writes a region's body into the open region; what has effects or reads memory, under the mask. Returns what the
  /// region yields.
  Values write_masked(RegionId region, Value mask) {
    Values piece;
    for (Value v : from_.regions[region].body) {
      const ir::Instruction& i = from_.instructions[v];
      if (i.op == Opcode::yield) continue;
      if (i.op == Opcode::result && copy_result(v)) continue;
      if (ir::is_meeting(i.op)) {
        close_piece(piece, mask);
        to_value_[v] = lower_meeting(v, mask);
      } else if (contains_meeting(v)) {
        close_piece(piece, mask);
        if (is_uniform(v))
          write_uniform(v, mask);
        else
          split(v, mask);
      } else if (is_free(v, piece)) {
        to_value_[v] = append(i, mapped(from_.operands(v)));
      } else {
        piece.push_back(v);
      }
    }
    close_piece(piece, mask);
    return mapped(yielded(from_, from_.regions[region]));
  }

  /// Whether all lanes that run take the same way through v.
  bool is_uniform(Value v) const {
    const Opcode op = from_.instructions[v].op;
    const auto operands = from_.operands(v).first(op == Opcode::if_ ? 1 : op == Opcode::for_ ? 3 : 0);
    return !operands.empty() &&
           std::ranges::all_of(operands, [&](Value operand) { return !dependence_.varies(operand); });
  }

  /// Whether v has no effect, reads no memory and is computed from values that are there.
  bool is_free(Value v, const Values& piece) const {
    const Opcode op = from_.instructions[v].op;
    if (op != Opcode::result && !ir::is_pure(op)) return false;
    return std::ranges::none_of(from_.operands(v),
                                [&](Value operand) { return std::ranges::find(piece, operand) != piece.end(); });
  }

  void write_uniform(Value v, Value mask) {
    ir::Instruction i = from_.instructions[v];
    const RegionId from = i.first_region;
    i.first_region = add_regions(i.region_count);
    const RegionId outer = open_;
    for (int k = 0; k < i.region_count; ++k) {
      const auto step = static_cast<RegionId>(k);
      open_ = i.first_region + step;
      copy_arguments(from + step, open_);
      yield(write_masked(from + step, mask));
    }
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
    yield(mapped(leaving));
    open_ = first + 1;
    for (Value v : leaving) zeros.push_back(constant(Scalar{.dtype = from_.instructions[v].type}));
    yield(zeros);
    open_ = outer;
    const DType type = leaving.empty() ? DType::boolean : from_.instructions[leaving[0]].type;
    const Value branch = append({.op = Opcode::if_, .type = type, .region_count = 2, .first_region = first}, {mask});
    for (size_t k = 0; k < leaving.size(); ++k)
      to_value_[leaving[k]] = result(branch, static_cast<uint32_t>(k), from_.instructions[leaving[k]].type);
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
    Value control;
    Values results;
  };

  const Dependence dependence_;
  std::vector<Split> splits_;
};

}  // namespace

std::optional<Kernel> split_branches(const Kernel& kernel) {
  if (!ir::meets_in_blocks(kernel)) return {};
  Splitter splitter(kernel);
  bool is_needed = false;
  for (const ir::Region& region : kernel.regions)
    for (Value v : region.body) is_needed |= is_vote(kernel.instructions[v].op) || splitter.must_split(v);
  if (!is_needed) return {};
  return splitter.run();
}

}  // namespace tessera::lanes
