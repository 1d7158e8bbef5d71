#include "tessera/ops/eager_loop.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/base/mutex.h"
#include "tessera/ops/underflow.h"
#include "tessera/ops/user_op.h"

namespace tessera::ops {

namespace {

/// A kernel over one axis that loads the operands, runs the op's body and stores the results.
ir::Kernel make_kernel(const ops::Op& op, const ops::Signature& signature, bool watched = false) {
  ir::Builder b(1, std::string(op.name));
  for (DType t : signature.in) b.add_buffer({.dtype = t, .ndim = 1});
  for (DType t : signature.out) b.add_buffer({.dtype = t, .ndim = 1, .readable = false, .writable = true});
  std::vector<ir::Value> at{b.index(0)}, in, out(signature.out.size());
  for (uint32_t i = 0; i < signature.in.size(); ++i) in.push_back(b.load(i, at));
  watched ? emit_watched_body(op, signature, b, b.add_flag_slot(), in, out) : emit_body(op, signature, b, in, out);
  for (uint32_t i = 0; i < out.size(); ++i) b.store(static_cast<uint32_t>(in.size()) + i, out[i], at);
  return b.take();
}

using Entry = EagerLoop::Entry;

/// One entry for each loop of each op, indexed by the op's position and the loop's number; null until first used.
struct Table {
  std::vector<uint32_t> first;  // of each op
  std::vector<Entry> entries;
  Mutex mutex;

  static Table& instance() {
    static auto* table = new Table;  // outlives every thread
    return *table;
  }

 private:
  Table() : entries(count_loops(first)) {}

  static size_t count_loops(std::vector<uint32_t>& first) {
    size_t count = 0;
    for (const ops::Op& op : ops::OpTable::standard()) {
      first.push_back(static_cast<uint32_t>(count));
      count += op.signatures.size();
    }
    return count;
  }
};

const ops::Signature* find_uniform(const ops::Op& op, DType operand) {
  for (const ops::Signature& loop : op.signatures) {
    if (std::all_of(loop.in.begin(), loop.in.end(), [&](DType t) { return t == operand; })) return &loop;
  }
  return nullptr;
}

}  // namespace

const EagerLoop& EagerLoop::of_user(const UserOp& user, const ops::Signature& signature) {
  UserOp::Loops& loops = user.loops();
  Entry& entry = loops.entries[static_cast<size_t>(&signature - user.op().signatures.data())];
  if (const EagerLoop* loop = entry.load(std::memory_order_acquire)) [[likely]]
    return *loop;
  const std::lock_guard lock(loops.mutex);
  if (const EagerLoop* loop = entry.load(std::memory_order_acquire)) return *loop;
  loops.owners.push_back(std::make_shared<const EagerLoop>(user.op(), signature));
  entry.store(loops.owners.back().get(), std::memory_order_release);
  return *loops.owners.back();
}

const EagerLoop& EagerLoop::of(const ops::Op& op, const ops::Signature& signature) {
  if (op.user) return of_user(*op.user, signature);
  static Table& table = Table::instance();
  Entry& entry = table.entries[table.first[op.id] + (&signature - op.signatures.data())];
  if (const EagerLoop* loop = entry.load(std::memory_order_acquire)) [[likely]]
    return *loop;
  std::lock_guard lock(table.mutex);
  if (const EagerLoop* loop = entry.load(std::memory_order_acquire)) return *loop;
  entry.store(std::make_unique<EagerLoop>(op, signature).release(), std::memory_order_release);
  return *entry.load(std::memory_order_relaxed);
}

constinit std::array<Entry, EagerLoop::most_ops * dtype_count> EagerLoop::uniform_loops;

const EagerLoop* EagerLoop::make_uniform(const ops::Op& op, DType operand) {
  const ops::Signature* signature = find_uniform(op, operand);
  if (!signature) return nullptr;
  const EagerLoop* loop = &of(op, *signature);
  if (op.user) return loop;
  invariant(op.id < most_ops, "the op table has grown beyond {} ops", most_ops);
  uniform_loops[op.id * dtype_count + static_cast<int>(operand)].store(loop, std::memory_order_release);
  return loop;
}

EagerLoop::EagerLoop(const ops::Op& op, const ops::Signature& signature)
    : op_(&op), signature_(&signature), errors_(ops::errors_of(op, signature.in[0])) {
  ir::Kernel kernel = make_kernel(op, signature);
  if (!find_primitive(kernel)) program_ = std::make_unique<ir::Program>(kernel);
  if (op.user && op.user->watched_body(signature))
    watched_ = std::make_unique<ir::Program>(make_kernel(op, signature, true));
}

/// True when the kernel is loads, constants, one primitive and its store, and that primitive has a precompiled loop.
bool EagerLoop::find_primitive(const ir::Kernel& kernel) {
  if (signature_->out.size() != 1) return false;
  auto stored = std::find_if(kernel.regions[0].body.begin(), kernel.regions[0].body.end(),
                             [&](ir::Value v) { return kernel.instructions[v].op == ir::Opcode::store; });
  ir::Value result = kernel.operands(*stored)[0];
  const ir::Instruction& primitive = kernel.instructions[result];
  auto operands = kernel.operands(result);
  if (primitive.op == ir::Opcode::load || primitive.op == ir::Opcode::constant || primitive.region_count != 0)
    return false;
  if (operands.empty() || operands.size() > max_sources) return false;
  for (size_t k = 0; k < operands.size(); ++k) {
    const ir::Instruction& operand = kernel.instructions[operands[k]];
    if (operand.op == ir::Opcode::load) {
      sources_[k] = static_cast<int>(operand.imm);
    } else if (operand.op == ir::Opcode::constant) {
      sources_[k] = -1;
      constants_[k] = kernel.constants[operand.imm];
    } else {
      return false;
    }
  }
  source_count_ = static_cast<int>(operands.size());
  loop_ = ir::find_loop(primitive.op, kernel.instructions[operands[0]].type, primitive.type);
  if (!loop_) return false;
  direct_ = operands.size() == signature_->in.size();
  for (int k = 0; k < source_count_; ++k) direct_ = direct_ && sources_[k] == k;
  return true;
}

void EagerLoop::run_body(char* const* pointers, const int64_t* strides, int64_t n) const {
  if (!loop_) return run_program(pointers, strides, n);
  char* arguments[max_sources + 1];
  int64_t steps[max_sources + 1];
  for (int k = 0; k < source_count_; ++k) {
    bool constant = sources_[k] < 0;
    arguments[k] =
        constant ? const_cast<char*>(reinterpret_cast<const char*>(constants_[k].bytes)) : pointers[sources_[k]];
    steps[k] = constant ? 0 : strides[sources_[k]];
  }
  arguments[source_count_] = pointers[signature_->in.size()];
  steps[source_count_] = strides[signature_->in.size()];
  loop_(arguments, steps, n);
}

void EagerLoop::run_program(char* const* pointers, const int64_t* strides, int64_t n) const {
  size_t count = signature_->in.size() + signature_->out.size();
  SmallVector<int64_t, 4> dimensions(count, n);
  ir::KernelArguments arguments{pointers, strides, dimensions.data(), nullptr, &n, nullptr};
  int64_t begin = 0;
  program_->run(arguments, &begin, &n);
}

uint32_t EagerLoop::run(const RowWalk& rows, char* const* pointers, bool underflow) const {
  uint32_t found = 0;
  rows.run(pointers, [&](char* const* at, const int64_t* steps, int64_t n) {
    run(at, steps, n);
    found |= events(at, steps, n, underflow);
  });
  return found;
}

void EagerLoop::run_unwatched(const RowWalk& rows, char* const* pointers) const {
  rows.run(pointers, [&](char* const* at, const int64_t* steps, int64_t n) { run(at, steps, n); });
}

uint32_t EagerLoop::find_events(const RowWalk& rows, char* const* pointers, bool underflow) const {
  uint32_t found = 0;
  rows.run(pointers,
           [&](char* const* at, const int64_t* steps, int64_t n) { found |= events(at, steps, n, underflow); });
  return found;
}

/// Those of arithmetic inside a user's op: computed once more, since results do not tell.
uint32_t EagerLoop::events_inside(char* const* pointers, const int64_t* strides, int64_t n) const {
  if (!watched_) return 0;
  const size_t nin = signature_->in.size(), count = nin + signature_->out.size();
  std::vector<std::unique_ptr<char[]>> results;
  SmallVector<char*, 8> places;
  SmallVector<int64_t, 8> steps, dimensions(count, n);
  for (size_t k = 0; k < count; ++k) {
    if (k >= nin) results.push_back(std::make_unique_for_overwrite<char[]>(n * itemsize(signature_->out[k - nin])));
    places.push_back(k < nin ? pointers[k] : results.back().get());
    steps.push_back(k < nin ? strides[k] : itemsize(signature_->out[k - nin]));
  }
  uint32_t found = 0;
  ir::KernelArguments arguments{places.data(), steps.data(), dimensions.data(), nullptr, &n, &found};
  int64_t begin = 0;
  watched_->run(arguments, &begin, &n);
  return found;
}

uint32_t EagerLoop::events(char* const* pointers, const int64_t* strides, int64_t n, bool underflow) const {
  if (errors_ == ir::ErrorRule::none) return 0;
  if (errors_ == ir::ErrorRule::inside) return events_inside(pointers, strides, n);
  size_t nin = signature_->in.size();
  bool binary = nin > 1;
  auto find = [&](ir::ErrorRule rule, size_t out) {
    return ir::find_events(rule, signature_->in[0], signature_->out[out], pointers[nin + out], strides[nin + out],
                           pointers[0], strides[0], binary ? pointers[1] : nullptr, binary ? strides[1] : 0, n);
  };
  uint32_t found = find(errors_, 0);
  if (signature_->out.size() > 1 && !is_integer(signature_->out[1])) found |= find(ir::ErrorRule::arithmetic, 1);
  if (underflow) found |= find_underflow(*op_, *signature_, pointers, strides, n);
  return found;
}

}  // namespace tessera::ops
