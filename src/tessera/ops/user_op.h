/// UserOp: an op that a user's function defines. Its bodies are kernels, and it lives as long as something refers to
/// it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tessera/base/mutex.h"
#include "tessera/base/ref.h"
#include "tessera/ops/op.h"

namespace tessera::ops {

class EagerLoop;

/// Thrown where an op that grows has no loop for these operands.
struct NoLoop {
  std::vector<DType> in;
};

/// Immutable; an op that gains a loop is another UserOp.
class UserOp : public RefCounted<UserOp> {
 public:
  /// A loop's body: a kernel over one axis that loads the operands, its first buffers, and stores the results.
  using Body = std::shared_ptr<const ir::Kernel>;

  /// Takes `nin` operands. Bodies are searched in this order, as a ufunc's loops are. `grows`: operands without a loop
  /// of exactly their types throw NoLoop, so that one can be made.
  static Ref<UserOp> make(std::string name, std::string doc, int nin, std::vector<Body> bodies,
                          std::optional<double> identity, bool reorderable, bool grows);

  const Op& op() const { return op_; }
  bool grows() const { return grows_; }
  const std::vector<Body>& bodies() const { return bodies_; }
  const ir::Kernel& body(const Signature& signature) const { return *bodies_[number_of(signature)]; }
  /// The body that finds its floating-point events, too (ir/event_checks.h); null where it raises none.
  const ir::Kernel* watched_body(const Signature& signature) const { return watched_[number_of(signature)].get(); }
  /// The loops of its signatures, in order, as EagerLoop keeps them: null until first used.
  struct Loops {
    explicit Loops(size_t count) : entries(count) {}
    Mutex mutex;  // of making one
    std::vector<std::atomic<const EagerLoop*>> entries;
    std::vector<std::shared_ptr<const EagerLoop>> owners;
  };
  Loops& loops() const { return loops_; }

 private:
  UserOp(std::string name, std::string doc, std::vector<Body> bodies, bool grows);

  size_t number_of(const Signature& signature) const { return static_cast<size_t>(&signature - op_.signatures.data()); }

  std::string name_, doc_;
  std::vector<Body> bodies_;
  std::vector<Body> watched_;
  bool grows_;
  Op op_;
  mutable Loops loops_;
};

/// A reference that keeps the op alive; null for ops of the table, which never die.
inline Ref<const UserOp> owner_of(const Op& op) { return Ref<const UserOp>(op.user); }

}  // namespace tessera::ops
