#include "tessera/bind/small/integer_power.h"

#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/engine/device/routines/routines.h"

namespace tessera::bind {

namespace {

template <class T>
bool any_negative(const char* data, int64_t n) {
  const T* values = reinterpret_cast<const T*>(data);
  T lowest = 0;
  for (int64_t i = 0; i < n; ++i) lowest = std::min(lowest, values[i]);
  return lowest < 0;
}

bool any_negative(const Operand& operand) {
  if (operand.is_scalar()) return is_signed_integer(operand.dtype()) && operand.scalar.as_int() < 0;
  if (!is_signed_integer(operand.dtype())) return false;
  if (const auto bounds = device_bounds(Engine::instance(), operand.array)) return bounds->first < 0;
  Array packed = Engine::instance().contiguous(operand.array);
  const char* data = Engine::instance().read(packed);
  switch (itemsize(packed.dtype())) {
    case 1: return any_negative<int8_t>(data, packed.size());
    case 2: return any_negative<int16_t>(data, packed.size());
    case 4: return any_negative<int32_t>(data, packed.size());
    default: return any_negative<int64_t>(data, packed.size());
  }
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
