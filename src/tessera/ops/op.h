/// Op: one descriptor per operation, with everything that the rest of tessera needs to know about it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tessera/base/small_vector.h"
#include "tessera/ir/builder.h"
#include "tessera/layout/dtype.h"

namespace tessera::ops {

/// Most results of an op.
inline constexpr int max_results = 4;

/// Index into the table; stable within a process.
using OpId = uint16_t;
/// Of ops that are not in the table (user_op.h).
inline constexpr OpId no_id = 0xFFFF;

enum class OpKind : uint8_t {
  map,      // elementwise, a NumPy ufunc
  special,  // elementwise, a ufunc of tessera.scipy.special
  user,     // elementwise, defined by a user's function
  hidden,   // elementwise, used by the engine itself (copy, select, ...), no ufunc of this name
};

/// One loop of a ufunc: operand dtypes, then result dtypes, as numpy.add.types lists them.
struct Signature {
  SmallVector<DType, 4> in;
  SmallVector<DType, 2> out;
  /// Of what the loop computes: that of another op's loop is another, also where this one is gone.
  uint64_t key = 0;
};

class UserOp;

/// Builds the body on operands that already have the signature's types; writes one value per result.
using BodyFn = void (*)(ir::Builder& builder, std::span<const ir::Value> in, std::span<ir::Value> out);
/// Changes the operands' dtypes before `signatures` is searched, for ops where NumPy has a special rule; throws
/// TypeError for operands that the op rejects.
using ResolveFn = void (*)(const struct Op& op, std::span<DType> in);

struct Op {
  std::string_view name;  // NumPy's name, or tessera's where NumPy has none
  std::string_view doc;
  OpKind kind = OpKind::map;
  uint8_t nin = 1;
  uint8_t nout = 1;
  std::vector<Signature> signatures;
  BodyFn body = nullptr;
  ResolveFn resolve = nullptr;
  /// The body receives the element's index, an int64, as an additional operand. Such ops are recorded over one axis
  /// only.
  bool counts = false;
  /// The operands' promoted type must have a loop of its own: sign(True) fails instead of computing in int8.
  bool exact = false;
  /// The rule for floating and complex loops; integer loops use integer_errors, booleans have none. Use errors_of.
  ir::ErrorRule errors = ir::ErrorRule::none;
  ir::ErrorRule integer_errors = ir::ErrorRule::none;
  /// The reduction that `reduce` and `accumulate` use, when the IR has it.
  std::optional<ir::ReduceKind> reduce;
  /// NumPy's identity (add 0, multiply 1, bitwise_and -1, logaddexp -inf); none for minimum, subtract...
  std::optional<double> identity;
  /// Whether numpy.ufunc.reduce may reorder elements (several axes at once).
  bool reorderable = false;
  /// The closed range of operand values from which conformance samples are drawn. The value 1 or, if 1 is outside the
  /// range, the middle of the range raises no floating-point event.
  struct {
    double low, high;
  } samples = {-4.0, 4.0};
  bool vendor_bits = false;
  OpId id = 0;
  /// The owner of an op that a user's function defines, whose body this is then; null for ops of the table.
  const UserOp* user = nullptr;
};

class OpTable {
 public:
  /// The table of all ops, built once.
  static const OpTable& standard();

  Op& add(Op op);
  const Op& operator[](OpId id) const { return ops_[id]; }
  const Op* find(std::string_view name) const;
  std::size_t size() const { return ops_.size(); }
  auto begin() const { return ops_.begin(); }
  auto end() const { return ops_.end(); }

 private:
  std::deque<Op> ops_;
  std::unordered_map<std::string_view, OpId> by_name_;
};

/// An operand's dtype for promotion: a Python int, float or complex is weak (NEP 50).
struct OperandType {
  DType dtype;
  bool weak = false;  // dtype is then int64, float64 or complex128
};

/// NumPy's choice of loop for these operands; throws TypeError with NumPy's message when none fits under `casting`.
/// `dtype`, when given, is the ufunc's dtype= argument.
const Signature& resolve(const Op& op, std::span<const OperandType> in, std::optional<DType> dtype = {},
                         Casting casting = Casting::same_kind);
/// As resolve, with NumPy's signature= argument: one entry per operand and result, empty where it is unspecified.
const Signature& resolve_fixed(const Op& op, std::span<const OperandType> in,
                               std::span<const std::optional<DType>> fixed, Casting casting = Casting::same_kind);

/// Builds the op's body on operands of the types of `signature`, one of its own.
void emit_body(const Op& op, const Signature& signature, ir::Builder& builder, std::span<const ir::Value> in,
               std::span<ir::Value> out);
/// The same of an op of the user's with `ErrorRule::inside`, finding the body's events in a flag slot.
void emit_watched_body(const Op& op, const Signature& signature, ir::Builder& builder, uint32_t flag_slot,
                       std::span<const ir::Value> in, std::span<ir::Value> out);
/// The error rule of a loop on operands of this type.
ir::ErrorRule errors_of(const Op& op, DType operand);
/// The IR's reduction for accumulating in `type`; empty where only a chain of two-operand ops gives NumPy's result.
std::optional<ir::ReduceKind> reduce_kind_of(const Op& op, DType type);

}  // namespace tessera::ops
