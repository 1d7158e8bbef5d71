/// Op: everything tessera knows about one operation, in one descriptor.
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

/// Index into the table; stable within a process.
using OpId = uint16_t;

enum class OpKind : uint8_t {
  map,      // elementwise, a NumPy ufunc
  special,  // elementwise, a ufunc of tessera.scipy.special
  hidden,   // elementwise, used by the engine itself (copy, select, ...), no ufunc of this name
};

/// One loop of a ufunc: operand dtypes, then result dtypes, as numpy.add.types lists them.
struct Signature {
  SmallVector<DType, 4> in;
  SmallVector<DType, 2> out;
};

/// Builds the body on operands that already have the signature's types; writes one value per result.
using BodyFn = void (*)(ir::Builder& builder, std::span<const ir::Value> in, std::span<ir::Value> out);
/// Changes the operands' dtypes before the search through `signatures`, for ops where NumPy has a rule of its own;
/// throws TypeError for what such an op refuses.
using ResolveFn = void (*)(const struct Op& op, std::span<DType> in);

struct Op {
  std::string_view name;  // NumPy's name, or ours where NumPy has none
  std::string_view doc;
  OpKind kind = OpKind::map;
  uint8_t nin = 1;
  uint8_t nout = 1;
  std::vector<Signature> signatures;
  BodyFn body = nullptr;
  ResolveFn resolve = nullptr;
  /// The body is given the element's place, an int64, as one more operand. Recorded over one axis only.
  bool counts = false;
  /// The operands' promoted type must have a loop of its own: sign(True) fails instead of computing in int8.
  bool exact = false;
  /// For floating and complex loops; integer loops follow integer_errors, booleans have none. Ask errors_of.
  ir::ErrorRule errors = ir::ErrorRule::none;
  ir::ErrorRule integer_errors = ir::ErrorRule::none;
  /// The fold that `reduce` and `accumulate` use, when it is one of the IR's own.
  std::optional<ir::ReduceKind> reduce;
  /// NumPy's identity (add 0, multiply 1, bitwise_and -1, logaddexp -inf); none for minimum, subtract...
  std::optional<double> identity;
  /// numpy.ufunc.reduce may reorder (several axes at once).
  bool reorderable = false;
  /// Where to draw conformance samples from (a closed range of operand values). 1 or, where that is not inside, the
  /// middle makes no event.
  struct {
    double low, high;
  } samples = {-4.0, 4.0};
  /// Largest error against the exactly rounded result, in units in the last place, for float32/float64.
  float ulp = 0.5f;
  bool vendor_bits = false;
  OpId id = 0;
};

class OpTable {
 public:
  /// Every op of tessera, built once.
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

/// An operand's dtype as promotion sees it: a Python int, float or complex is weak (NEP 50).
struct OperandType {
  DType dtype;
  bool weak = false;  // dtype is then int64, float64 or complex128
};

/// NumPy's choice of loop for these operands; throws TypeError in NumPy's words when none fits under `casting`.
/// `dtype`, when given, is the ufunc's dtype= argument.
const Signature& resolve(const Op& op, std::span<const OperandType> in, std::optional<DType> dtype = {},
                         Casting casting = Casting::same_kind);
/// The same with NumPy's signature= argument: one entry an operand and result, empty where it is left open.
const Signature& resolve_fixed(const Op& op, std::span<const OperandType> in,
                               std::span<const std::optional<DType>> fixed, Casting casting = Casting::same_kind);

/// The rule for a loop on operands of this type.
ir::ErrorRule errors_of(const Op& op, DType operand);
/// The IR's fold for accumulating in `type`; nothing where only a chain of maps gives NumPy's result.
std::optional<ir::ReduceKind> reduce_kind_of(const Op& op, DType type);

}  // namespace tessera::ops
