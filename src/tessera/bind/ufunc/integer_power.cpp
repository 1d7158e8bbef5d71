#include "tessera/bind/ufunc/integer_power.h"

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/eager/any_negative.h"
#include "tessera/engine/engine.h"

namespace tessera::bind {

namespace {

bool any_negative(const Operand& operand) {
  if (operand.is_scalar()) return is_signed_integer(operand.dtype()) && operand.scalar.as_int() < 0;
  if (!is_signed_integer(operand.dtype())) return false;
  constexpr int64_t few = 1024;
  if (operand.array.size() > few) {
    const Array bounds = Engine::instance().call("bounds", {operand.array}, {}, Context{});
    return *reinterpret_cast<const int64_t*>(Engine::instance().read(bounds)) < 0;
  }
  Array packed = Engine::instance().contiguous(operand.array);
  const char* data = Engine::instance().read(packed);
  return eager::any_negative(packed.dtype(), data, packed.size());
}

}  // namespace

void check_integer_power(const ops::Op& op, const ops::Signature& signature, std::span<const Operand> operands,
                         const Operand* where) {
  static const ops::OpId power = ops::OpTable::standard().find("power")->id;
  if (op.id != power || !is_signed_integer(signature.in[1])) return;
  const auto is_empty = [](const Operand& operand) { return !operand.is_scalar() && operand.array.size() == 0; };
  if (std::any_of(operands.begin(), operands.end(), is_empty)) return;
  if (!any_negative(operands[1])) return;
  const auto wanted = [&] {
    return Engine::instance().map("select", {*where, operands[1], Operand(Scalar::of_int(operands[1].dtype(), 0))});
  };
  require<ValueError>(where && !any_negative(Operand(wanted())),
                      "Integers to negative integer powers are not allowed.");
}

}  // namespace tessera::bind
