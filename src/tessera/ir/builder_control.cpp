#include <algorithm>
#include <utility>

#include "tessera/base/error.h"
#include "tessera/ir/builder.h"
#include "tessera/ir/builder_position.h"

namespace tessera::ir {

namespace {

std::vector<Value> join(std::initializer_list<Value> first, std::span<const Value> rest) {
  std::vector<Value> all(first);
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

}  // namespace

Value Builder::load(uint32_t buffer, std::span<const Value> indices, CacheHint hint, int alignment) {
  return append({.op = Opcode::load,
                 .type = kernel_.buffers[buffer].dtype,
                 .attr = static_cast<uint8_t>(hint),
                 .alignment = static_cast<uint8_t>(alignment),
                 .imm = buffer},
                indices);
}

void Builder::store(uint32_t buffer, Value value, std::span<const Value> indices, CacheHint hint, int alignment) {
  invariant(type(value) == kernel_.buffers[buffer].dtype, "ir: store of {} to a buffer of {}", type(value),
            kernel_.buffers[buffer].dtype);
  append({.op = Opcode::store,
          .type = type(value),
          .attr = static_cast<uint8_t>(hint),
          .alignment = static_cast<uint8_t>(alignment),
          .imm = buffer},
         join({value}, indices));
}

Value Builder::is_aligned(uint32_t buffer, std::span<const Value> indices, int bytes) {
  return append({.op = Opcode::is_aligned, .type = DType::boolean, .attr = static_cast<uint8_t>(bytes), .imm = buffer},
                indices);
}

Value Builder::load_array(uint32_t array, Value index) {
  return append({.op = Opcode::load_array, .type = kernel_.arrays[array].dtype, .imm = array}, {index});
}

void Builder::store_array(uint32_t array, Value value, Value index) {
  append({.op = Opcode::store_array, .type = type(value), .imm = array}, {value, index});
}

Value Builder::atomic(AtomicKind kind, uint32_t buffer, Value value, std::span<const Value> indices,
                      bool is_imaginary) {
  return append({.op = Opcode::atomic, .type = type(value), .attr = atomic_attr(kind, is_imaginary), .imm = buffer},
                join({value}, indices));
}

Value Builder::atomic_array(AtomicKind kind, uint32_t array, Value value, Value index, bool is_imaginary) {
  return append(
      {.op = Opcode::atomic_array, .type = type(value), .attr = atomic_attr(kind, is_imaginary), .imm = array},
      {value, index});
}

Value Builder::compare_exchange(uint32_t buffer, Value expected, Value value, std::span<const Value> indices,
                                bool is_imaginary) {
  const uint8_t attr = atomic_attr(AtomicKind::compare_exchange, is_imaginary);
  return append({.op = Opcode::atomic, .type = type(value), .attr = attr, .imm = buffer},
                join({expected, value}, indices));
}

Value Builder::compare_exchange_array(uint32_t array, Value expected, Value value, Value index, bool is_imaginary) {
  const uint8_t attr = atomic_attr(AtomicKind::compare_exchange, is_imaginary);
  return append({.op = Opcode::atomic_array, .type = type(value), .attr = attr, .imm = array},
                {expected, value, index});
}

void Builder::barrier() { append({.op = Opcode::barrier}, {}); }
void Builder::grid_barrier() { append({.op = Opcode::grid_barrier}, {}); }
Value Builder::barrier_count(Value condition) {
  return append({.op = Opcode::barrier_count, .type = DType::int32}, {condition});
}

void Builder::warp_barrier(Value mask) {
  append({.op = Opcode::warp_barrier}, std::span<const Value>(&mask, mask == no_value ? 0 : 1));
}

Value Builder::ballot(Value condition, Value mask) {
  const Value operands[] = {condition, mask};
  return append({.op = Opcode::ballot, .type = DType::uint32},
                std::span<const Value>(operands, mask == no_value ? 1 : 2));
}

Value Builder::match_byte(Value x) { return append({.op = Opcode::match_byte, .type = DType::uint32}, {x}); }

Value Builder::match_any(Value x, Value mask) {
  return append({.op = Opcode::match_any, .type = DType::uint32}, {x, mask});
}

Value Builder::shuffle(ShuffleKind kind, Value x, Value which, Value mask, uint32_t width) {
  return append({.op = Opcode::shuffle, .type = type(x), .attr = static_cast<uint8_t>(kind), .imm = width},
                {x, which, mask});
}

Value Builder::active_mask() { return append({.op = Opcode::active_mask, .type = DType::uint32}, {}); }
void Builder::fence(FenceScope scope) { append({.op = Opcode::fence, .attr = static_cast<uint8_t>(scope)}, {}); }
void Builder::pause(Value nanoseconds) {
  append({.op = Opcode::pause}, std::span<const Value>(&nanoseconds, nanoseconds == no_value ? 0 : 1));
}

Value Builder::call_host(uint32_t function, std::span<const Value> operands) {
  return append({.op = Opcode::call_host, .type = DType::int64, .imm = function}, operands);
}

uint32_t Builder::add_foreign(const ForeignFunction& function) {
  const auto known = std::ranges::find(kernel_.foreign, function);
  if (known != kernel_.foreign.end()) return static_cast<uint32_t>(known - kernel_.foreign.begin());
  kernel_.foreign.push_back(function);
  return static_cast<uint32_t>(kernel_.foreign.size() - 1);
}

Value Builder::call_foreign(uint32_t function, std::span<const Value> operands) {
  const DType type = kernel_.foreign[function].result.value_or(DType::int64);
  return append({.op = Opcode::call_foreign, .type = type, .imm = function}, operands);
}

uint32_t Builder::add_function(FunctionDecl function) {
  kernel_.functions.push_back(std::move(function));
  kernel_.bodies.emplace_back();
  return static_cast<uint32_t>(kernel_.functions.size() - 1);
}

/// Exchanges what has been built, without what the kernel declares.
void Builder::swap_code(Kernel& with) {
  std::swap(with.constants, kernel_.constants);
  std::swap(with.instructions, kernel_.instructions);
  std::swap(with.args, kernel_.args);
  std::swap(with.regions, kernel_.regions);
}

std::vector<Value> Builder::begin_function(uint32_t function) {
  Code inside;
  inside.is_kept = code_.is_kept;
  suspended_.emplace_back(Kernel(), std::exchange(code_, std::move(inside)));
  swap_code(suspended_.back().first);
  std::vector<Value> args;
  kernel_.regions[0].arg_types = kernel_.functions[function].parameters;
  for (DType t : kernel_.regions[0].arg_types)
    args.push_back(append({.op = Opcode::region_arg, .type = t, .imm = static_cast<uint32_t>(args.size())}, {}));
  kernel_.regions[0].arg_values = args;
  return args;
}

void Builder::end_function(uint32_t function, std::span<const Value> results) {
  drop_due_guards();
  const std::vector<Value> given = end_guards(0, {results.begin(), results.end()});
  invariant(code_.open.size() == 1 && !suspended_.empty(), "ir: function {} ended inside a region",
            kernel_.functions[function].name);
  if (!given.empty()) append({.op = Opcode::yield}, given);
  swap_code(suspended_.back().first);
  kernel_.bodies[function] = std::move(suspended_.back().first);
  code_ = std::move(suspended_.back().second);
  suspended_.pop_back();
}

BuilderPosition::BuilderPosition(const Builder& b)
    : open_(b.code_.open.size()),
      guards_(b.guards()),
      functions_(b.suspended_.size()),
      due_(b.code_.due),
      has_ended_(b.code_.has_ended) {}

void BuilderPosition::restore(Builder& b) const {
  invariant(!b.code_.is_kept, "ir: kernel {} is built on from the middle of a body", b.kernel_.name);
  for (; b.suspended_.size() > functions_; b.suspended_.pop_back()) {
    b.swap_code(b.suspended_.back().first);
    b.code_ = std::move(b.suspended_.back().second);
  }
  b.code_.open.resize(open_);
  b.code_.guards.resize(guards_);
  b.code_.due = due_;
  b.code_.has_ended = has_ended_;
}

std::vector<Value> Builder::call(uint32_t function, std::span<const Value> operands) {
  const std::vector<DType> types = kernel_.functions[function].results;
  const Value v =
      append({.op = Opcode::call, .type = types.empty() ? DType::boolean : types[0], .imm = function}, operands);
  return results_of(v, types);
}

void Builder::copy_functions(const Kernel& from) {
  kernel_.functions = from.functions;
  kernel_.bodies = from.bodies;
}

Value Builder::address(Opcode op, uint32_t of, std::span<const Value> indices) {
  return append({.op = op, .type = DType::int64, .imm = of}, indices);
}

void Builder::check(ErrorRule rule, uint32_t slot, Value result, std::span<const Value> operands) {
  if (rule == ErrorRule::none) return;
  append({.op = Opcode::check, .type = type(result), .attr = static_cast<uint8_t>(rule), .imm = slot},
         join({result}, operands));
}

// The regions of one instruction have consecutive numbers, so they are created before their bodies are built.
RegionId Builder::add_regions(int count) {
  const RegionId first = static_cast<RegionId>(kernel_.regions.size());
  kernel_.regions.resize(kernel_.regions.size() + count);
  return first;
}

std::vector<DType> Builder::fill_region(RegionId region, std::span<const DType> arg_types, const Body& body) {
  code_.open.push_back(region);
  const size_t guards = this->guards();
  std::vector<Value> args;
  for (DType t : arg_types) {
    args.push_back(append({.op = Opcode::region_arg, .type = t, .imm = static_cast<uint32_t>(args.size())}, {}));
  }
  kernel_.regions[region].arg_types.assign(arg_types.begin(), arg_types.end());
  kernel_.regions[region].arg_values = args;
  std::vector<Value> yielded = body(args);
  if (this->guards() > guards || has_due_guards()) {
    code_.has_ended = true;
    drop_due_guards();
    yielded = end_guards(guards, std::move(yielded));
  }
  std::vector<DType> types;
  for (Value v : yielded) types.push_back(type(v));
  if (!yielded.empty()) append({.op = Opcode::yield}, yielded);
  code_.open.pop_back();
  return types;
}

std::vector<Value> Builder::results_of(Value control, std::span<const DType> types) {
  std::vector<Value> results;
  for (uint32_t k = 0; k < types.size(); ++k) {
    results.push_back(k ? append({.op = Opcode::result, .type = types[k], .imm = k}, {control}) : control);
  }
  return results;
}

void Builder::open_guards() {
  for (Value condition : std::exchange(code_.due, {})) {
    const RegionId first = add_regions(2);
    code_.guards.push_back({first, condition});
    code_.open.push_back(first);
  }
}

std::vector<Value> Builder::end_guards(size_t first, std::vector<Value> values,
                                       const std::function<std::vector<Value>()>& otherwise) {
  while (guards() > first) {
    const Code::Guard guard = code_.guards.back();
    code_.guards.pop_back();
    std::vector<DType> types;
    for (Value v : values) types.push_back(type(v));
    if (!values.empty()) append({.op = Opcode::yield}, values);
    code_.open.pop_back();
    const std::vector<DType> others = fill_region(guard.region + 1, {}, [&](std::span<const Value>) {
      if (otherwise) return otherwise();
      std::vector<Value> zeros;
      for (DType t : types) zeros.push_back(constant(t, 0));
      return zeros;
    });
    invariant(types == others, "ir: the values after a guard are of other types where it does not hold");
    const Value v = append({.op = Opcode::if_,
                            .type = types.empty() ? DType::boolean : types[0],
                            .region_count = 2,
                            .first_region = guard.region},
                           {guard.condition});
    values = results_of(v, types);
  }
  return values;
}

void Builder::guard_again(bool has_ended_around) {
  if (std::exchange(code_.has_ended, has_ended_around)) guard(still_holds_());
}

std::vector<Value> Builder::if_(Value condition, const Body& then_body, const Body& else_body) {
  open_guards();
  const bool ended = std::exchange(code_.has_ended, false);
  const RegionId first = add_regions(2);
  const std::vector<DType> types = fill_region(first, {}, then_body);
  const Body nothing = [](std::span<const Value>) { return std::vector<Value>{}; };
  const std::vector<DType> others = fill_region(first + 1, {}, else_body ? else_body : nothing);
  invariant(types == others, "ir: the two sides of an if yield {} and {} values of other types", types.size(),
            others.size());
  const Value v = append(
      {.op = Opcode::if_, .type = types.empty() ? DType::boolean : types[0], .region_count = 2, .first_region = first},
      {condition});
  std::vector<Value> results = results_of(v, types);
  guard_again(ended);
  return results;
}

std::vector<Value> Builder::for_(Value lower, Value upper, Value step, std::span<const Value> initial, const Body& body,
                                 uint8_t attr) {
  open_guards();
  const bool ended = std::exchange(code_.has_ended, false);
  const RegionId region = add_regions(1);
  std::vector<DType> arg_types{DType::int64};
  for (Value v : initial) arg_types.push_back(type(v));
  const std::vector<DType> types = fill_region(region, arg_types, body);
  const Value v = append({.op = Opcode::for_,
                          .type = types.empty() ? DType::boolean : types[0],
                          .attr = attr,
                          .region_count = 1,
                          .first_region = region},
                         join({lower, upper, step}, initial));
  std::vector<Value> results = results_of(v, types);
  guard_again(ended);
  return results;
}

void Builder::for_parallel(Value count, const std::function<void(Value)>& body) {
  open_guards();
  const bool ended = std::exchange(code_.has_ended, false);
  const RegionId region = add_regions(1);
  const DType index = DType::int64;
  fill_region(region, {&index, 1}, [&](std::span<const Value> args) {
    body(args[0]);
    return std::vector<Value>{};
  });
  append({.op = Opcode::for_, .attr = parallel_iterations, .region_count = 1, .first_region = region},
         {constant(DType::int64, 0), count, constant(DType::int64, 1)});
  code_.has_ended = ended;
}

std::vector<Value> Builder::while_(std::span<const Value> initial, const Body& condition, const Body& body) {
  open_guards();
  const bool ended = std::exchange(code_.has_ended, false);
  const RegionId first = add_regions(2);
  std::vector<DType> carried;
  for (Value v : initial) carried.push_back(type(v));
  std::vector<DType> passed = fill_region(first, carried, [&](std::span<const Value> args) {
    std::vector<Value> yielded = condition(args);
    if (yielded.size() == 1) yielded.insert(yielded.end(), args.begin(), args.end());
    return yielded;
  });
  passed.erase(passed.begin());
  fill_region(first + 1, passed, body);
  const Value v = append({.op = Opcode::while_,
                          .type = passed.empty() ? DType::boolean : passed[0],
                          .region_count = 2,
                          .first_region = first},
                         initial);
  std::vector<Value> results = results_of(v, passed);
  guard_again(ended);
  return results;
}

}  // namespace tessera::ir
