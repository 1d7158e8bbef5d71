// prange: chunks of iterations that are independent, and what iterations add up to.
#include "tessera/kernel/lower/loops/parallel.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tessera/kernel/lower/calls/host.h"
#include "tessera/kernel/lower/checks.h"
#include "tessera/kernel/lower/loops/loop.h"
#include "tessera/kernel/lower/loops/loop_races.h"
#include "tessera/kernel/lower/loops/loop_updates.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/operator.h"
#include "tessera/kernel/lower/region.h"
#include "tessera/kernel/lower/statement.h"
#include "tessera/kernel/lower/variable.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/whole.h"

namespace tessera::kernel {

/// An array that iterations add something to, and what each chunk adds.
struct ArrayTotal {
  int slot = 0;
  std::string op;
  bool is_assigned = false;  // iterations make new arrays of it
  Item total, parts;
};

namespace {

/// Memory for what the chunks of a parallel loop make of the variables that they join.
struct Partials {
  uint32_t heap = 0;
  ir::Value begin = ir::no_value;
  int64_t words = 0;  // of a chunk
};

/// So many chunks give every core work, and their results are joined in order: they do not depend on the threads.
constexpr int64_t most_chunks = 128;

/// Of a whole array, that a chunk has, so that it repays a thread.
constexpr int64_t least_places = 8192;

/// Elements of an array that iterations add to, in all chunks.
constexpr int64_t most_total_elements = int64_t{1} << 22;

bool has_return(const Node& node) {
  if (node.kind == NodeKind::return_) return true;
  if (node.kind == NodeKind::function) return false;
  return std::ranges::any_of(node.body, has_return) || std::ranges::any_of(node.other, has_return);
}

Scalar identity_of(const std::string& op, DType type) {
  using ir::ReduceKind;
  if (op == "+") return ir::identity(ReduceKind::add, type);
  if (op == "*") return ir::identity(ReduceKind::mul, type);
  if (op == "&") return ir::identity(ReduceKind::bit_and, type);
  if (op == "|") return ir::identity(ReduceKind::bit_or, type);
  if (op == "^") return ir::identity(ReduceKind::bit_xor, type);
  if (op == "and" || op == "or") return Scalar::of_bool(op == "and");
  return ir::identity(op == "min" ? ReduceKind::min : ReduceKind::max, type);
}

bool is_tuple_of_numbers(const Type& type) {
  return type->kind == TypeKind::tuple && std::ranges::all_of(type->elements, &Type::is_scalar);
}

/// Whether values of the type are joined by the operator, or the operators of their elements.
bool joins_values(const std::string& op, const Type& type) {
  const std::vector<std::string> ops = split_joins(op);
  const auto fits = [](const std::string& one, const Type& of) {
    return of.is_scalar() && !of->unit && (is_boolean(of->dtype) || (one != "and" && one != "or"));
  };
  if (type.is_scalar()) return !joins_elements(op) && fits(op, type);
  if (!is_tuple_of_numbers(type)) return false;
  if (op == "min" || op == "max")
    return std::ranges::none_of(type->elements, [](const Type& one) { return is_complex(one->dtype) || one->unit; });
  return joins_elements(op) && std::ranges::equal(ops, type->elements, fits);
}

/// For each slot that the loop passes on the operator that joins its iterations' values; of those that each iteration
/// assigns anew, and the last one leaves, none.
std::vector<std::string> joins_of(Lowering& l, const Node& loop, const Passed& passed) {
  std::vector<std::string> ops;
  for (size_t k = 0; k < passed.slots.size(); ++k) {
    const int slot = passed.slots[k];
    const std::string& name = l.frame->liveness.name(slot);
    const Carried found = find_uses(loop.body, name);
    const bool is_carried = !is_assigned_first(loop.body, name) && !reads(loop.operands[0], name);
    if (is_carried && (found.use != Carried::Use::joined || !is_joining(found.op)))
      l.fail(loop, format("iterations of prange change {}, which later ones read", name),
             "an element of an array for each iteration, one of += *= |= &= ^= min max, or range");
    const bool is_numbers = is_carried ? joins_values(found.op, passed.types[k])
                                       : passed.types[k].is_scalar() || is_tuple_of_numbers(passed.types[k]);
    if (!is_numbers)
      l.refuse(loop, format("{} is {} in iterations of prange", name, describe(passed.types[k])),
               "elements of an array, or range");
    ops.push_back(is_carried ? found.op : "");
  }
  return ops;
}

/// What joining changes nothing of.
Item identity_of_join(Lowering& l, const std::string& op, const Type& type) {
  ir::Builder& b = l.b;
  if (op.empty()) return l.zero(type);
  if (type.is_scalar()) return l.scalar(b.constant(identity_of(op, type->dtype)));
  const std::vector<std::string> ops = split_joins(op);
  Item item{.type = type};
  for (size_t k = 0; k < type->elements.size(); ++k)
    item.values.push_back(b.constant(identity_of(joins_elements(op) ? ops[k] : op, type->elements[k]->dtype)));
  return item;
}

ir::Value join(Lowering& l, const Node& node, const std::string& op, ir::Value x, ir::Value y) {
  ir::Builder& b = l.b;
  if (op == "and") return b.bit_and(x, y);
  if (op == "or") return b.bit_or(x, y);
  // As the builtins min and max choose.
  if (op == "min") return b.select(b.lt(y, x), y, x);
  if (op == "max") return b.select(b.gt(y, x), y, x);
  return l.cast(binary(l, node, op, l.scalar(x), l.scalar(y)), b.type(x));
}

Item join(Lowering& l, const Node& node, const std::string& op, const Item& x, const Item& y) {
  if (op.empty()) return y;
  if (x.type.is_scalar()) return l.scalar(join(l, node, op, x.values[0], y.values[0]));
  Item joined = x;
  const std::vector<std::string> ops = split_joins(op);
  // Of tuples min and max are those in order, else each element has an operator.
  const ir::Value is_better =
      joins_elements(op) ? ir::no_value : compare_in_order(l, node, op == "min" ? "<" : ">", y, x);
  for (size_t k = 0; k < joined.values.size(); ++k)
    joined.values[k] = is_better == ir::no_value ? join(l, node, ops[k], x.values[k], y.values[k])
                                                 : l.b.select(is_better, y.values[k], x.values[k]);
  return joined;
}

/// Two words for each value of each chunk, in memory of the call's.
Partials allocate_partials(Lowering& l, size_t values) {
  Partials partials{.words = 2 * static_cast<int64_t>(values)};
  if (values == 0) return partials;
  partials.heap = l.memory.heap_of(DType::int64);
  const int64_t size = most_chunks * partials.words, dtype = static_cast<int64_t>(DType::int64);
  partials.begin = l.b.call_host(static_cast<uint32_t>(HostFunction::allocate),
                                 std::vector{l.constant(size).values[0], l.constant(dtype).values[0]});
  return partials;
}

std::vector<ir::Value> word_of(Lowering& l, const Partials& partials, ir::Value chunk, size_t k, int64_t part) {
  ir::Builder& b = l.b;
  const ir::Value first = b.add(partials.begin, b.mul(chunk, l.constant(partials.words).values[0]));
  return {b.add(first, l.constant(2 * static_cast<int64_t>(k) + part).values[0])};
}

void store_partials(Lowering& l, const Partials& partials, ir::Value chunk, std::span<const ir::Value> values) {
  ir::Builder& b = l.b;
  for (size_t k = 0; k < values.size(); ++k) {
    const auto put = [&](int64_t part, ir::Value value) {
      const bool is_float = is_floating(b.type(value));
      const ir::Value word =
          is_float ? b.bitcast(b.cast(value, DType::float64), DType::int64) : b.cast(value, DType::int64);
      b.store(partials.heap, word, word_of(l, partials, chunk, k, part));
    };
    put(0, b.real(values[k]));
    if (is_complex(b.type(values[k]))) put(1, b.imag(values[k]));
  }
}

ir::Value load_partial(Lowering& l, const Partials& partials, ir::Value chunk, size_t k, DType type) {
  ir::Builder& b = l.b;
  const DType real = type == DType::complex64 ? DType::float32 : is_complex(type) ? DType::float64 : type;
  const auto get = [&](int64_t part) {
    const ir::Value word = b.load(partials.heap, word_of(l, partials, chunk, k, part));
    return b.cast(is_floating(real) ? b.bitcast(word, DType::float64) : word, real);
  };
  return is_complex(type) ? b.make_complex(get(0), get(1)) : get(0);
}

/// Arrays from before the loop that its body only changes by one operator.
std::vector<ArrayTotal> array_totals_of(Lowering& l, const Node& loop) {
  std::vector<ArrayTotal> totals;
  for (int slot = 0; slot < l.frame->returned_slot(); ++slot) {
    const VariableValue& item = l.frame->values[slot];
    if (!item || !item->type.is_array()) continue;
    const Carried found = find_uses(loop.body, l.frame->liveness.name(slot));
    if (found.use == Carried::Use::joined && is_joining(found.op))
      totals.push_back({slot, found.op, found.is_assigned, *item, {}});
  }
  return totals;
}

/// The number of chunks of a loop, by its length, the sizes of arrays that it totals, and the size that was set for
/// chunks.
ir::Value chunks_for(Lowering& l, ir::Value count, std::span<const ArrayTotal> totals) {
  ir::Builder& b = l.b;
  const ir::Value one = b.constant(DType::int64, 1);
  ir::Value chunks = b.min(count, l.constant(most_chunks).values[0]);
  for (const ArrayTotal& total : totals) {
    ir::Value elements = one;
    for (const ir::Value extent : shape_of(l, total.total).values) elements = b.mul(elements, extent);
    const ir::Value most = b.binary(ir::Opcode::div, l.constant(most_total_elements).values[0], b.max(elements, one));
    chunks = b.min(chunks, b.max(most, l.constant(2).values[0]));
  }
  const ir::Value size = b.call_host(static_cast<uint32_t>(HostFunction::chunk_size), {});
  const ir::Value most = b.binary(ir::Opcode::div, count, b.max(size, one));
  return b.min(chunks, b.max(most, b.min(count, one)));
}

/// The chunk adds to an array of its own, which begins with the operator's identity.
void begin_total(Lowering& l, const Node& loop, const ArrayTotal& total, ir::Value chunk) {
  const Item own = subscript(l, loop, total.parts, l.scalar(chunk));
  store(l, loop, view_of(l, own), l.scalar(l.b.constant(identity_of(total.op, own.type->dtype))));
  assign(l, loop, total.slot, own);
}

/// The chunks' arrays are joined in order, so that shapes alone decide how elements are grouped.
void join_total(Lowering& l, const Node& loop, const ArrayTotal& total, ir::Value chunks) {
  ir::Builder& b = l.b;
  const Item joined = total.is_assigned ? copy_of(l, loop, total.total) : total.total;
  const ArrayView all = view_of(l, joined);
  std::vector<ir::Value> extents;
  for (const ArrayView::Axis& axis : all.axes) extents.push_back(axis.extent);
  b.for_(b.constant(DType::int64, 0), chunks, b.constant(DType::int64, 1), {}, [&](std::span<const ir::Value> args) {
    l.facts.set_lower_bound(args[0], 0);
    const ArrayView part = view_of(l, subscript(l, loop, total.parts, l.scalar(args[0])));
    each_index(l, extents, [&](std::span<const ir::Value> at) {
      const ArrayView one = element_at(l, all, at);
      store(l, loop, one,
            l.scalar(join(l, loop, total.op, load(l, one).values[0], load(l, element_at(l, part, at)).values[0])));
    });
    return std::vector<ir::Value>{};
  });
  if (total.is_assigned) assign(l, loop, total.slot, joined);
}

/// What the chunk has added, where iterations made new arrays of it.
void end_total(Lowering& l, const Node& loop, const ArrayTotal& total, ir::Value chunk) {
  if (total.is_assigned)
    store(l, loop, view_of(l, subscript(l, loop, total.parts, l.scalar(chunk))), *l.frame->values[total.slot]);
}

/// A checked function tells the host that a parallel loop begins, and which memory is each chunk's own.
void tell_loop(Lowering& l, std::span<const ArrayTotal> totals) {
  call_host(l, HostFunction::begin_parallel, {});
  for (const ArrayTotal& total : totals) {
    ir::Value size = l.number(1);
    for (const ir::Value extent : shape_of(l, total.parts).values) size = l.b.mul(size, extent);
    const ir::Value dtype = l.number(static_cast<int64_t>(total.parts.type->dtype));
    call_host(l, HostFunction::chunk_array, {view_of(l, total.parts).bases[0].begins[0], size, dtype});
  }
}

/// Joins what the chunks have made of the variables, in order.
void join_partials(Lowering& l, const Node& loop, const Passed& variables, std::span<const std::string> ops,
                   const Partials& partials, ir::Value chunks, std::span<const ir::Value> initial) {
  const auto join_all = [&](std::span<const ir::Value> args) {
    std::vector<ir::Value> next;
    for (size_t slot = 0; slot < ops.size(); ++slot) {
      Item own{.type = variables.types[slot]}, of_chunk = own;
      std::vector<DType> dtypes;
      append_scalars(own.type, dtypes);
      for (const DType dtype : dtypes) {
        const size_t k = next.size() + own.values.size();
        own.values.push_back(args[k + 1]);
        of_chunk.values.push_back(load_partial(l, partials, args[0], k, dtype));
      }
      const Item joined = join(l, loop, ops[slot], own, of_chunk);
      next.insert(next.end(), joined.values.begin(), joined.values.end());
    }
    return next;
  };
  give(l, variables, l.b.for_(l.number(0), chunks, l.number(1), initial, join_all));
}

}  // namespace

ParallelLoops::ParallelLoops(Lowering& l) : l_(l), b(l.b) {}

/// A chunk's own number of threads.
void ParallelLoops::begin_thread_count() {
  if (!l_.known->counts_threads) return;
  own_threads_ = b.add_array({.dtype = DType::int64, .size = 1, .shared = false});
  b.store_array(own_threads_, call_host(l_, HostFunction::thread_count, {}), l_.number(0));
}

Item ParallelLoops::thread_count() {
  if (depth_ == 0) return l_.scalar(call_host(l_, HostFunction::thread_count, {}));
  if (!l_.known->counts_threads) l_.known.change().counts_threads = true;
  return l_.known.is_changed() ? l_.constant(1) : l_.scalar(b.load_array(own_threads_, l_.number(0)));
}

void ParallelLoops::set_thread_count(const Node& node, ir::Value count) {
  l_.failures.raise_if(node, b.lt(count, l_.number(1)), ExceptionNumber::value_error,
                       "set_num_threads: less than one thread");
  if (depth_ > 0 && !l_.known->counts_threads) l_.known.change().counts_threads = true;
  if (depth_ == 0)
    call_host(l_, HostFunction::set_thread_count, {count});
  else if (!l_.known.is_changed())
    b.store_array(own_threads_, count, l_.number(0));
}

/// The iterations of one chunk, one after another; what it has of the variables that are joined begins with the
/// operators' identities.
void ParallelLoops::lower_chunk(const Node& loop, const Sequence& iterations, const Passed& passed,
                                const Passed& variables, const std::vector<std::string>& ops) {
  const Failures::Word own = l_.failures.begin_word();
  for (size_t k = 0; k < ops.size(); ++k)
    l_.frame->values[variables.slots[k]] = identity_of_join(l_, ops[k], variables.types[k]);
  set_flag(l_, l_.frame->returned_slot(), false);
  begin_thread_count();
  if (jumps_inside(l_, loop).returns)
    lower_leavable(l_, loop, told(l_, iterations), passed, false);
  else
    lower_counted(l_, loop, told(l_, iterations), passed);
  l_.failures.exchange_word(own);
}

ir::Value ParallelLoops::each_chunk(std::span<const ir::Value> from, std::span<const ir::Value> to,
                                    const ChunkBody& body) {
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  const ir::Value count = b.max(b.sub(to[0], from[0]), zero);
  ir::Value places = count;
  for (size_t axis = 1; axis < from.size(); ++axis) places = b.mul(places, b.max(b.sub(to[axis], from[axis]), zero));
  const ir::Value parts = b.binary(ir::Opcode::div, places, l_.constant(least_places).values[0]);
  const ir::Value most = b.min(count, l_.constant(most_chunks).values[0]);
  const ir::Value chunks = b.max(one, b.min(parts, most));
  const auto before = l_.frame->values;
  ++depth_;
  b.for_parallel(chunks, [&](ir::Value chunk) {
    l_.facts.set_lower_bound(chunk, 0);
    const Failures::Word own = l_.failures.begin_word();
    const auto bound = [&](ir::Value k) { return b.add(from[0], b.binary(ir::Opcode::div, b.mul(k, count), chunks)); };
    std::vector<ir::Value> first(from.begin(), from.end()), last(to.begin(), to.end());
    first[0] = bound(chunk);
    last[0] = bound(b.add(chunk, one));
    l_.facts.set_lower_bound(first[0], l_.facts.lower_bound(from[0]).value_or(INT64_MIN));
    body(chunk, first, last);
    l_.failures.exchange_word(own);
  });
  --depth_;
  l_.frame->values = before;
  if (l_.failures.word().is_there && !l_.known.is_changed() && l_.failures.fails(*l_.frame->statement)) {
    const auto fail_here = [&](auto) { return l_.failures.set_failed(), std::vector<ir::Value>{}; };
    const ir::Value raised = l_.failures.has_raised();
    b.if_(raised, fail_here, {});
    guard(l_, b.bit_not(raised));
  }
  return chunks;
}

/// The chunks' results are joined in order, so that the shape alone decides how elements are grouped.
Reduced ParallelLoops::reduce_at_once(const Item& array, const Item& first, const Join& join, ir::ReduceKind kind) {
  const std::vector<ir::Value> to = shape_of(l_, array).values;
  const std::vector<ir::Value> from(to.size(), b.constant(DType::int64, 0));
  parallel_notes_.push_back({ParallelNote::Kind::total, l_.frame->statement->place.line});
  const Partials partials = allocate_partials(l_, 1);
  const auto sum_chunk = [&](ir::Value chunk, std::span<const ir::Value> begin, std::span<const ir::Value> end) {
    store_partials(l_, partials, chunk, reduce_between(l_, array, begin, end, first, join, kind));
  };
  const ir::Value chunks = each_chunk(from, to, sum_chunk);
  const auto join_chunk = [&](std::span<const ir::Value> args) {
    const Item partial = l_.scalar(load_partial(l_, partials, args[0], 0, first.type->dtype));
    return l_.convert(join({first.type, {args[1]}}, partial), first.type).values;
  };
  return b.for_(from[0], chunks, b.constant(DType::int64, 1), first.values, join_chunk);
}

/// Whether any thread has raised.
ir::Value Failures::has_raised() {
  const ir::Value site = b.load(report_, std::vector{l_.constant(ReportLayout::site).values[0]});
  return b.ne(site, b.zero_like(site));
}

/// After a parallel loop: an iteration that has raised ends the function.
void ParallelLoops::note_raised() {
  if (!l_.known->failures.reports || l_.known.is_changed()) return;
  const ir::Value raised = l_.failures.has_raised();
  l_.frame->values[l_.frame->returned_slot()] = l_.scalar(b.bit_or(flag(l_, l_.frame->returned_slot()), raised));
  if (l_.failures.word().is_there)
    b.if_(raised, [&](auto) { return l_.failures.set_failed(), std::vector<ir::Value>{}; }, {});
}

void ParallelLoops::note_loop(const Node& loop, const Passed& variables, const std::vector<std::string>& ops,
                              std::span<const ArrayTotal> totals) {
  ParallelNote note{.line = loop.place.line};
  const auto add = [&](int slot, const std::string& op, const Type& type) {
    if (op.empty()) return;
    note.joined += format("{}{} ({}) by {}", note.joined.empty() ? "" : ", ",
                          without_versions(l_.frame->liveness.name(slot)), describe(type), op);
  };
  for (size_t k = 0; k < ops.size(); ++k) add(variables.slots[k], ops[k], variables.types[k]);
  for (const ArrayTotal& total : totals) add(total.slot, total.op, total.total.type);
  parallel_notes_.push_back(std::move(note));
}

void ParallelLoops::note_races(const Node& loop) {
  const auto is_array = [&](const std::string& name) {
    const int slot = l_.frame->liveness.find(name);
    return slot >= 0 && l_.frame->values[slot] && l_.frame->values[slot]->type.is_array();
  };
  const Node& over = loop.operands[1];
  const bool counts_by_one = over.kind == NodeKind::call && over.operands.size() <= 3 && over.names.empty();
  for (const LoopRace& race : find_races(loop, counts_by_one, is_array))
    parallel_notes_.push_back(
        {ParallelNote::Kind::race, race.place->place.line,
         l_.message(*race.place, race.text, "a variable that is joined by += or min, or a row for each iteration")});
}

void ParallelLoops::lower(const Node& loop, const Sequence& given) {
  const Jumps inside = jumps_inside(l_, loop);
  if (inside.breaks || std::ranges::any_of(loop.body, has_return))
    l_.fail(loop, "break or return in prange, whose iterations run at once", "range");
  bool breaks = false;
  const Passed passed = begin_loop(l_, loop, breaks);
  std::vector<ArrayTotal> totals = array_totals_of(l_, loop);
  Passed variables;  // without flags and arrays
  for (size_t k = 0; k < passed.slots.size(); ++k) {
    if (passed.slots[k] >= l_.frame->returned_slot()) continue;
    if (std::ranges::find(totals, passed.slots[k], &ArrayTotal::slot) != totals.end()) continue;
    variables.slots.push_back(passed.slots[k]);
    variables.types.push_back(passed.types[k]);
  }
  const std::vector<std::string> ops = joins_of(l_, loop, variables);
  note_loop(loop, variables, ops, totals);
  note_races(loop);
  const Sequence steps = counted_from_zero(l_, given);
  const ir::Value zero = b.constant(DType::int64, 0), one = b.constant(DType::int64, 1);
  const ir::Value count = b.max(steps.range.upper, zero);
  const ir::Value chunks = chunks_for(l_, count, totals);
  const std::vector<ir::Value> initial = take(l_, variables);
  const Partials partials = allocate_partials(l_, initial.size());
  for (ArrayTotal& total : totals) {
    std::vector<ir::Value> extents = shape_of(l_, total.total).values;
    extents.insert(extents.begin(), chunks);
    total.parts = allocate(l_, loop, total.total.type->dtype, extents, false);
  }
  if (l_.options.checks_races) tell_loop(l_, totals);
  const auto before = l_.frame->values;
  ++l_.frame->depth;
  ++depth_;
  in_iterations_ = true;
  const auto run_chunk = [&](ir::Value chunk) {
    l_.facts.set_lower_bound(chunk, 0);
    const auto bound = [&](ir::Value k) { return b.binary(ir::Opcode::div, b.mul(k, count), b.max(chunks, one)); };
    Sequence iterations = steps;
    iterations.range = {bound(chunk), bound(b.add(chunk, one)), one};
    l_.facts.set_lower_bound(iterations.range.lower, 0);
    for (const ArrayTotal& total : totals) begin_total(l_, loop, total, chunk);
    lower_chunk(loop, iterations, passed, variables, ops);
    for (const ArrayTotal& total : totals) end_total(l_, loop, total, chunk);
    store_partials(l_, partials, chunk, take(l_, variables));
  };
  if (l_.options.checks_races)
    b.for_(zero, chunks, one, {}, [&](std::span<const ir::Value> args) {
      run_chunk(args[0]);
      return std::vector<ir::Value>{};
    });
  else
    b.for_parallel(chunks, run_chunk);
  in_iterations_ = false;
  --depth_;
  l_.frame->values = before;
  if (!ops.empty()) join_partials(l_, loop, variables, ops, partials, chunks, initial);
  for (const ArrayTotal& total : totals) join_total(l_, loop, total, chunks);
  --l_.frame->depth;
  if (inside.returns) note_raised();
  lower_other(l_, loop, breaks);
}

Item ParallelLoops::chunk_size() {
  return depth_ > 0 ? l_.constant(0) : l_.scalar(call_host(l_, HostFunction::chunk_size, {}));
}

bool ParallelLoops::runs_at_once() const { return l_.options.is_parallel && depth_ == 0; }

}  // namespace tessera::kernel
