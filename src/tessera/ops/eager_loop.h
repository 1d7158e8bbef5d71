/// EagerLoop: one loop of an op, prepared to run immediately on host memory; for small arrays and for work done element
/// by element.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>

#include "tessera/ir/interpreter.h"
#include "tessera/ir/loops.h"
#include "tessera/layout/row_walk.h"
#include "tessera/ops/op.h"

namespace tessera::ops {

/// Runs a precompiled loop when the op's body is one primitive, else the block interpreter. Immutable; never freed.
class EagerLoop {
 public:
  /// The loop of one of op's own signatures, built on first use.
  static const EagerLoop& of(const ops::Op& op, const ops::Signature& signature);
  /// The loop whose operands all have type `operand`, or null when the op has none.
  static const EagerLoop* uniform(const ops::Op& op, DType operand) {
    if (op.id >= most_ops) [[unlikely]]
      return make_uniform(op, operand);
    const EagerLoop* known =
        uniform_loops[op.id * dtype_count + static_cast<int>(operand)].load(std::memory_order_acquire);
    return known ? known : make_uniform(op, operand);
  }

  const ops::Signature& signature() const { return *signature_; }
  ir::ErrorRule errors() const { return errors_; }

  /// Processes n elements; pointers[k] advances by strides[k] bytes, operands first, results last. Results may equal
  /// operands exactly.
  void run(char* const* pointers, const int64_t* strides, int64_t n) const {
    if (direct_) {
      loop_(pointers, strides, n);
    } else {
      run_body(pointers, strides, n);
    }
  }
  /// The same over rows, operands first. Returns the floating-point events, underflow only where asked for; they are
  /// found from the operands after each row, so results must not be operands.
  uint32_t run(const RowWalk& rows, char* const* pointers, bool underflow) const;
  /// The same without finding events; a result may equal an operand exactly.
  void run_unwatched(const RowWalk& rows, char* const* pointers) const;
  uint32_t find_events(const RowWalk& rows, char* const* pointers, bool underflow) const;
  /// FloatEvent bits of the n elements that run() just processed.
  uint32_t events(char* const* pointers, const int64_t* strides, int64_t n, bool underflow) const;

  EagerLoop(const ops::Op& op, const ops::Signature& signature);

  using Entry = std::atomic<const EagerLoop*>;

 private:
  static constexpr size_t most_ops = 256;
  static std::array<Entry, most_ops * dtype_count> uniform_loops;  // one word per op and type; null until first used
  static const EagerLoop& of_user(const UserOp& user, const ops::Signature& signature);
  static const EagerLoop* make_uniform(const ops::Op& op, DType operand);

  static constexpr int max_sources = 3;
  bool find_primitive(const ir::Kernel& kernel);
  void run_body(char* const* pointers, const int64_t* strides, int64_t n) const;
  void run_program(char* const* pointers, const int64_t* strides, int64_t n) const;
  uint32_t events_inside(char* const* pointers, const int64_t* strides, int64_t n) const;

  const ops::Op* op_;
  const ops::Signature* signature_;
  ir::ErrorRule errors_;
  ir::Loop loop_ = nullptr;
  bool direct_ = false;  // the primitive's operands are the op's, in order
  int source_count_ = 0;
  /// Operand k of the primitive is the op's operand sources_[k], or constants_[k] when sources_[k] is negative.
  std::array<int, max_sources> sources_{};
  std::array<Scalar, max_sources> constants_{};
  std::unique_ptr<ir::Program> program_;
  std::unique_ptr<ir::Program> watched_;  // of a user's op whose body finds events
};

}  // namespace tessera::ops
