// prange: chunks of iterations that are independent, and what iterations add up to.
#include <algorithm>
#include <tuple>
#include <utility>

#include "tessera/kernel/loop_races.h"
#include "tessera/kernel/lowering.h"

namespace tessera::kernel {

namespace {

/// So many chunks give every core work, and their results are joined in order: they do not depend on the threads.
constexpr int64_t most_chunks = 128;
/// Of a whole array, that a chunk has, so that it repays a thread.
constexpr int64_t least_places = 8192;
/// Elements of an array that iterations add to, in all chunks.
constexpr int64_t most_total_elements = int64_t{1} << 22;

enum class Use : uint8_t { none, joined, other };

/// How a loop's body uses a variable that is carried: all of it updates by one operator, or other uses.
struct Carried {
  Use use = Use::none;
  std::string op;
  bool is_assigned = false;  // not only changed in place

  void join(const std::string& with) {
    if (use == Use::none)
      op = with, use = Use::joined;
    else if (op != with)
      use = Use::other;
  }
};

/// Of operators that undo each other, the one that joins.
std::string joining(const std::string& op) { return op == "-" ? "+" : op == "/" ? "*" : op; }

bool is_joining(const std::string& op) {
  constexpr std::string_view known[] = {"+", "*", "&", "|", "^", "min", "max"};
  return std::ranges::find(known, op) != std::end(known);
}

bool reads(const Node& node, const std::string& name) {
  if (node.kind == NodeKind::name && node.name == name) return true;
  const auto in = [&](const std::vector<Node>& nodes) {
    return std::ranges::any_of(nodes, [&](const Node& one) { return reads(one, name); });
  };
  return in(node.operands) || in(node.body) || in(node.other);
}

bool is_name(const Node& node, const std::string& name) { return node.kind == NodeKind::name && node.name == name; }

/// `x = x + e`, `x = e + x`, `x = min(x, e)`: the operator; else nothing.
std::string update_of(const Node& value, const std::string& name) {
  std::string op;
  size_t first = 0;
  if (value.kind == NodeKind::binary) {
    op = value.name;
  } else if (value.kind == NodeKind::call && value.operands.size() == 3 && value.names.empty() &&
             (is_name(value.operands[0], "min") || is_name(value.operands[0], "max"))) {
    op = value.operands[0].name;
    first = 1;
  } else {
    return {};
  }
  const Node& x = value.operands[first];
  const Node& y = value.operands[first + 1];
  if (is_name(x, name) && !reads(y, name)) return joining(op);
  const bool commutes = op != "-" && op != "/";
  return commutes && is_name(y, name) && !reads(x, name) ? op : "";
}

void find_uses(const Node& node, const std::string& name, Carried& found) {
  if (node.kind == NodeKind::augmented && is_name(node.operands[0], name)) {
    if (reads(node.operands[1], name))
      found.use = Use::other;
    else
      found.join(joining(node.name));
    return;
  }
  if (node.kind == NodeKind::assign && node.operands.size() == 2 && is_name(node.operands[0], name)) {
    const std::string op = update_of(node.operands[1], name);
    found.is_assigned = true;
    if (op.empty())
      found.use = Use::other;
    else
      found.join(op);
    return;
  }
  if (is_name(node, name)) found.use = Use::other;
  for (const std::vector<Node>* nodes : {&node.operands, &node.body, &node.other})
    for (const Node& one : *nodes) find_uses(one, name, found);
}

/// Whether the body assigns the variable before it reads it, in every iteration.
bool is_assigned_first(const std::vector<Node>& body, const std::string& name) {
  for (const Node& statement : body) {
    const bool assigns = statement.kind == NodeKind::assign && is_name(statement.operands[0], name);
    if (assigns && !reads(statement.operands.back(), name)) return true;
    if (reads(statement, name)) return false;
  }
  return false;
}

bool has_return(const Node& node) {
  if (node.kind == NodeKind::return_) return true;
  return std::ranges::any_of(node.body, has_return) || std::ranges::any_of(node.other, has_return);
}

Scalar identity_of(const std::string& op, DType type) {
  using ir::ReduceKind;
  if (op == "+") return ir::identity(ReduceKind::add, type);
  if (op == "*") return ir::identity(ReduceKind::mul, type);
  if (op == "&") return ir::identity(ReduceKind::bit_and, type);
  if (op == "|") return ir::identity(ReduceKind::bit_or, type);
  if (op == "^") return ir::identity(ReduceKind::bit_xor, type);
  return ir::identity(op == "min" ? ReduceKind::min : ReduceKind::max, type);
}

}  // namespace

/// For each slot that the loop passes on the operator that joins its iterations' values; of those that each iteration
/// assigns anew, and the last one leaves, none.
std::vector<std::string> Lowering::joins_of(const Node& loop, const Passed& passed) {
  std::vector<std::string> ops;
  for (size_t k = 0; k < passed.slots.size(); ++k) {
    const int slot = passed.slots[k];
    const std::string& name = frame_->liveness.name(slot);
    Carried found;
    for (const Node& statement : loop.body) find_uses(statement, name, found);
    const bool is_carried = !is_assigned_first(loop.body, name) && !reads(loop.operands[0], name);
    if (is_carried && (found.use != Use::joined || !is_joining(found.op)))
      fail(loop, format("iterations of prange change {}, which later ones read", name),
           "an element of an array for each iteration, one of += *= |= &= ^= min max, or range");
    const bool is_numbers =
        passed.types[k].is_scalar() || (!is_carried && passed.types[k].kind == TypeKind::tuple &&
                                        std::ranges::all_of(passed.types[k].elements, &Type::is_scalar));
    if (!is_numbers)
      refuse(loop, format("{} is {} in iterations of prange", name, describe(passed.types[k])),
             "elements of an array, or range");
    ops.push_back(is_carried ? found.op : "");
  }
  return ops;
}

ir::Value Lowering::join(const Node& node, const std::string& op, ir::Value x, ir::Value y) {
  if (op.empty()) return y;
  // As the builtins min and max choose.
  if (op == "min") return b.select(b.lt(y, x), y, x);
  if (op == "max") return b.select(b.gt(y, x), y, x);
  return cast(binary(node, op, scalar(x), scalar(y)), b.type(x));
}

/// Two words for each value of each chunk, in memory of the call's.
Lowering::Partials Lowering::allocate_partials(size_t values) {
  Partials partials{.words = 2 * static_cast<int64_t>(values)};
  if (values == 0) return partials;
  partials.heap = heap_of(DType::int64);
  const int64_t size = most_chunks * partials.words, dtype = static_cast<int64_t>(DType::int64);
  partials.begin = b.call_host(static_cast<uint32_t>(HostFunction::allocate),
                               std::vector{constant(size).values[0], constant(dtype).values[0]});
  return partials;
}

std::vector<ir::Value> Lowering::word_of(const Partials& partials, ir::Value chunk, size_t k, int64_t part) {
  const ir::Value first = b.add(partials.begin, b.mul(chunk, constant(partials.words).values[0]));
  return {b.add(first, constant(2 * static_cast<int64_t>(k) + part).values[0])};
}

void Lowering::store_partials(const Partials& partials, ir::Value chunk, std::span<const ir::Value> values) {
  for (size_t k = 0; k < values.size(); ++k) {
    const auto put = [&](int64_t part, ir::Value value) {
      const bool is_float = is_floating(b.type(value));
      const ir::Value word =
          is_float ? b.bitcast(b.cast(value, DType::float64), DType::int64) : b.cast(value, DType::int64);
      b.store(partials.heap, word, word_of(partials, chunk, k, part));
    };
    put(0, b.real(values[k]));
    if (is_complex(b.type(values[k]))) put(1, b.imag(values[k]));
  }
}

ir::Value Lowering::load_partial(const Partials& partials, ir::Value chunk, size_t k, DType type) {
  const DType real = type == DType::complex64 ? DType::float32 : is_complex(type) ? DType::float64 : type;
  const auto get = [&](int64_t part) {
    const ir::Value word = b.load(partials.heap, word_of(partials, chunk, k, part));
    return b.cast(is_floating(real) ? b.bitcast(word, DType::float64) : word, real);
  };
  return is_complex(type) ? b.make_complex(get(0), get(1)) : get(0);
}

/// A thread's own note that something has raised.
void Lowering::begin_failures() {
  if (!has_failed_) return;
  failed_ = b.add_array({.dtype = DType::int32, .size = 1, .shared = false});
  b.store_array(failed_, b.constant(DType::int32, 0), b.constant(DType::int64, 0));
}

/// The iterations of one chunk, one after another; what it has of the variables that are joined begins with the
/// operators' identities.
void Lowering::lower_chunk(const Node& loop, const Sequence& iterations, const Passed& passed, const Passed& variables,
                           const std::vector<std::string>& ops) {
  const auto own_failed = std::pair(has_failed_, failed_);
  begin_failures();
  for (size_t k = 0; k < ops.size(); ++k) {
    const Type& type = variables.types[k];
    frame_->values[variables.slots[k]] =
        ops[k].empty() ? zero(type) : scalar(b.constant(identity_of(ops[k], type.dtype)));
  }
  set_flag(returned_slot(), false);
  if (jumps_inside(loop).returns)
    lower_leavable(loop, iterations, passed, false);
  else
    lower_counted(loop, iterations, passed);
  std::tie(has_failed_, failed_) = own_failed;
}

/// Runs body on several threads for chunks of the places, along the first axis; where there are few places, for one.
/// Returns the number of chunks.
ir::Value Lowering::each_chunk(std::span<const ir::Value> from, std::span<const ir::Value> to, const ChunkBody& body) {
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  const ir::Value count = b.max(b.sub(to[0], from[0]), zero);
  ir::Value places = count;
  for (size_t axis = 1; axis < from.size(); ++axis) places = b.mul(places, b.max(b.sub(to[axis], from[axis]), zero));
  const ir::Value parts = b.binary(ir::Opcode::div, places, constant(least_places).values[0]);
  const ir::Value most = b.min(count, constant(most_chunks).values[0]);
  const ir::Value chunks = b.max(one, b.min(parts, most));
  const Slots before = frame_->values;
  ++parallel_depth_;
  b.for_parallel(chunks, [&](ir::Value chunk) {
    facts_.set_lower_bound(chunk, 0);
    const auto own_failed = std::pair(has_failed_, failed_);
    begin_failures();
    const auto bound = [&](ir::Value k) { return b.add(from[0], b.binary(ir::Opcode::div, b.mul(k, count), chunks)); };
    std::vector<ir::Value> first(from.begin(), from.end()), last(to.begin(), to.end());
    first[0] = bound(chunk);
    last[0] = bound(b.add(chunk, one));
    facts_.set_lower_bound(first[0], facts_.lower_bound(from[0]).value_or(INT64_MIN));
    body(chunk, first, last);
    std::tie(has_failed_, failed_) = own_failed;
  });
  --parallel_depth_;
  frame_->values = before;
  if (has_failed_ && !changed_ && fails(*frame_->statement)) {
    const auto fail_here = [&](auto) { return set_failed(), std::vector<ir::Value>{}; };
    b.if_(has_raised(), fail_here, {});
  }
  return chunks;
}

/// The chunks' results are joined in order, so that the shape alone decides how elements are grouped.
Lowering::Reduced Lowering::reduce_at_once(const Item& array, const Item& first, const Join& join,
                                           ir::ReduceKind kind) {
  const std::vector<ir::Value> to = shape_of(array).values;
  const std::vector<ir::Value> from(to.size(), b.constant(DType::int64, 0));
  parallel_notes_.push_back({ParallelNote::Kind::total, frame_->statement->place.line});
  const Partials partials = allocate_partials(1);
  const auto sum_chunk = [&](ir::Value chunk, std::span<const ir::Value> begin, std::span<const ir::Value> end) {
    store_partials(partials, chunk, reduce_between(array, begin, end, first, join, kind));
  };
  const ir::Value chunks = each_chunk(from, to, sum_chunk);
  const auto join_chunk = [&](std::span<const ir::Value> args) {
    const Item partial = scalar(load_partial(partials, args[0], 0, first.type.dtype));
    return convert(join({first.type, {args[1]}}, partial), first.type).values;
  };
  return b.for_(from[0], chunks, b.constant(DType::int64, 1), first.values, join_chunk);
}

/// Whether any thread has raised.
ir::Value Lowering::has_raised() {
  const ir::Value site = b.load(report_, std::vector{constant(ReportLayout::site).values[0]});
  return b.ne(site, b.zero_like(site));
}

/// After a parallel loop: an iteration that has raised ends the function.
void Lowering::note_raised() {
  if (!known_.reports || changed_) return;
  const ir::Value raised = has_raised();
  frame_->values[returned_slot()] = scalar(b.bit_or(flag(returned_slot()), raised));
  if (has_failed_) b.if_(raised, [&](auto) { return set_failed(), std::vector<ir::Value>{}; }, {});
}

/// Arrays from before the loop that its body only changes by one operator.
std::vector<Lowering::ArrayTotal> Lowering::array_totals_of(const Node& loop) {
  std::vector<ArrayTotal> totals;
  for (int slot = 0; slot < returned_slot(); ++slot) {
    const std::optional<Item>& item = frame_->values[slot];
    if (!item || !item->type.is_array()) continue;
    Carried found;
    for (const Node& statement : loop.body) find_uses(statement, frame_->liveness.name(slot), found);
    if (found.use == Use::joined && is_joining(found.op))
      totals.push_back({slot, found.op, found.is_assigned, *item, {}});
  }
  return totals;
}

/// The number of chunks of a loop, by its length, the sizes of arrays that it totals, and the size that was set for
/// chunks.
ir::Value Lowering::chunks_for(ir::Value count, std::span<const ArrayTotal> totals) {
  const ir::Value one = b.constant(DType::int64, 1);
  ir::Value chunks = b.min(count, constant(most_chunks).values[0]);
  for (const ArrayTotal& total : totals) {
    ir::Value elements = one;
    for (const ir::Value extent : shape_of(total.total).values) elements = b.mul(elements, extent);
    const ir::Value most = b.binary(ir::Opcode::div, constant(most_total_elements).values[0], b.max(elements, one));
    chunks = b.min(chunks, b.max(most, constant(2).values[0]));
  }
  const ir::Value size = b.call_host(static_cast<uint32_t>(HostFunction::chunk_size), {});
  const ir::Value most = b.binary(ir::Opcode::div, count, b.max(size, one));
  return b.min(chunks, b.max(most, b.min(count, one)));
}

/// The chunk adds to an array of its own, which begins with the operator's identity.
void Lowering::begin_total(const Node& loop, const ArrayTotal& total, ir::Value chunk) {
  const Item own = subscript(loop, total.parts, scalar(chunk));
  store(loop, view_of(own), scalar(b.constant(identity_of(total.op, own.type.dtype))));
  assign(loop, total.slot, own);
}

/// The chunks' arrays are joined in order, so that shapes alone decide how elements are grouped.
void Lowering::join_total(const Node& loop, const ArrayTotal& total, ir::Value chunks) {
  const Item joined = total.is_assigned ? copy_of(loop, total.total) : total.total;
  const ArrayView all = view_of(joined);
  std::vector<ir::Value> extents;
  for (const ArrayView::Axis& axis : all.axes) extents.push_back(axis.extent);
  b.for_(b.constant(DType::int64, 0), chunks, b.constant(DType::int64, 1), {}, [&](std::span<const ir::Value> args) {
    facts_.set_lower_bound(args[0], 0);
    const ArrayView part = view_of(subscript(loop, total.parts, scalar(args[0])));
    each_index(extents, [&](std::span<const ir::Value> at) {
      const ArrayView one = element_at(all, at);
      store(loop, one, scalar(join(loop, total.op, load(one).values[0], load(element_at(part, at)).values[0])));
    });
    return std::vector<ir::Value>{};
  });
  if (total.is_assigned) assign(loop, total.slot, joined);
}

/// What the chunk has added, where iterations made new arrays of it.
void Lowering::end_total(const Node& loop, const ArrayTotal& total, ir::Value chunk) {
  if (total.is_assigned) store(loop, view_of(subscript(loop, total.parts, scalar(chunk))), *frame_->values[total.slot]);
}

void Lowering::note_loop(const Node& loop, const Passed& variables, const std::vector<std::string>& ops,
                         std::span<const ArrayTotal> totals) {
  ParallelNote note{.line = loop.place.line};
  const auto add = [&](int slot, const std::string& op, const Type& type) {
    if (op.empty()) return;
    note.joined +=
        format("{}{} ({}) by {}", note.joined.empty() ? "" : ", ", frame_->liveness.name(slot), describe(type), op);
  };
  for (size_t k = 0; k < ops.size(); ++k) add(variables.slots[k], ops[k], variables.types[k]);
  for (const ArrayTotal& total : totals) add(total.slot, total.op, total.total.type);
  parallel_notes_.push_back(std::move(note));
}

void Lowering::note_races(const Node& loop) {
  const auto is_array = [&](const std::string& name) {
    const int slot = frame_->liveness.find(name);
    return slot >= 0 && frame_->values[slot] && frame_->values[slot]->type.is_array();
  };
  const Node& over = loop.operands[1];
  const bool counts_by_one = over.kind == NodeKind::call && over.operands.size() <= 3 && over.names.empty();
  for (const LoopRace& race : find_races(loop, counts_by_one, is_array))
    parallel_notes_.push_back(
        {ParallelNote::Kind::race, race.place->place.line,
         message(*race.place, race.text, "a variable that is joined by += or min, or a row for each iteration")});
}

void Lowering::lower_parallel(const Node& loop, const Sequence& given) {
  const Jumps inside = jumps_inside(loop);
  if (inside.breaks || std::ranges::any_of(loop.body, has_return))
    fail(loop, "break or return in prange, whose iterations run at once", "range");
  bool breaks = false;
  const Passed passed = begin_loop(loop, breaks);
  std::vector<ArrayTotal> totals = array_totals_of(loop);
  Passed variables;  // without flags and arrays
  for (size_t k = 0; k < passed.slots.size(); ++k) {
    if (passed.slots[k] >= returned_slot()) continue;
    if (std::ranges::find(totals, passed.slots[k], &ArrayTotal::slot) != totals.end()) continue;
    variables.slots.push_back(passed.slots[k]);
    variables.types.push_back(passed.types[k]);
  }
  const std::vector<std::string> ops = joins_of(loop, variables);
  note_loop(loop, variables, ops, totals);
  note_races(loop);
  const Sequence steps = counted_from_zero(given);
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  const ir::Value count = b.max(steps.range.upper, zero);
  const ir::Value chunks = chunks_for(count, totals);
  const std::vector<ir::Value> initial = take(variables);
  const Partials partials = allocate_partials(initial.size());
  for (ArrayTotal& total : totals) {
    std::vector<ir::Value> extents = shape_of(total.total).values;
    extents.insert(extents.begin(), chunks);
    total.parts = allocate(loop, total.total.type.dtype, extents, false);
  }

  const Slots before = frame_->values;
  ++frame_->depth;
  ++parallel_depth_;
  b.for_parallel(chunks, [&](ir::Value chunk) {
    facts_.set_lower_bound(chunk, 0);
    const auto bound = [&](ir::Value k) { return b.binary(ir::Opcode::div, b.mul(k, count), b.max(chunks, one)); };
    Sequence iterations = steps;
    iterations.range = {bound(chunk), bound(b.add(chunk, one)), one};
    facts_.set_lower_bound(iterations.range.lower, 0);
    for (const ArrayTotal& total : totals) begin_total(loop, total, chunk);
    lower_chunk(loop, iterations, passed, variables, ops);
    for (const ArrayTotal& total : totals) end_total(loop, total, chunk);
    store_partials(partials, chunk, take(variables));
  });
  --parallel_depth_;
  frame_->values = before;
  if (!ops.empty()) {
    const auto join_all = [&](std::span<const ir::Value> args) {
      std::vector<ir::Value> next;
      for (size_t slot = 0; slot < ops.size(); ++slot) {
        std::vector<DType> dtypes;
        append_scalars(variables.types[slot], dtypes);
        for (const DType dtype : dtypes) {
          const size_t k = next.size();
          next.push_back(join(loop, ops[slot], args[k + 1], load_partial(partials, args[0], k, dtype)));
        }
      }
      return next;
    };
    give(variables, b.for_(zero, chunks, one, initial, join_all));
  }
  for (const ArrayTotal& total : totals) join_total(loop, total, chunks);
  --frame_->depth;
  if (inside.returns) note_raised();
  lower_other(loop, breaks);
}

}  // namespace tessera::kernel
