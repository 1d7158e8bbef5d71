#include "tessera/bind/kernel/host/called_address.h"

#include <array>
#include <bit>

#include "tessera/base/error.h"
#include "tessera/kernel/options.h"
#include "tessera/layout/dtype.h"

namespace tessera::bind {

namespace {

// The conventions of x86-64 Linux and of 64-bit Arm pass integers in some registers and floats in others, each kind in
// its own order. So a call with all of them passes what any function with no more of each kind takes.
constexpr size_t most_integers = 6;
constexpr size_t most_floats = 8;
static_assert(kernel::most_integers_of_c == most_integers && kernel::most_floats_of_c == most_floats);

using Integers = std::array<int64_t, most_integers>;
using Floats = std::array<double, most_floats>;

template <class Result>
Result call(int64_t address, const Integers& i, const Floats& f) {
  using Function = Result (*)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, double, double, double, double,
                              double, double, double, double);
  const auto function = reinterpret_cast<Function>(static_cast<uintptr_t>(address));
  return function(i[0], i[1], i[2], i[3], i[4], i[5], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]);
}

/// The low bits of an integer of this type, extended: what is above them in a register is undefined.
int64_t extended(DType dtype, int64_t bits) {
  switch (dtype) {
    case DType::boolean: return bits & 1;
    case DType::int8: return static_cast<int8_t>(bits);
    case DType::uint8: return static_cast<uint8_t>(bits);
    case DType::int16: return static_cast<int16_t>(bits);
    case DType::uint16: return static_cast<uint16_t>(bits);
    case DType::int32: return static_cast<int32_t>(bits);
    case DType::uint32: return static_cast<uint32_t>(bits);
    default: return bits;
  }
}

}  // namespace

int64_t call_address(const int64_t* operands) {
  const int64_t address = operands[0], result = operands[1], count = operands[2];
  Integers integers{};
  Floats floats{};
  size_t integer = 0, floating = 0;
  for (int64_t k = 0; k < count; ++k) {
    const auto dtype = static_cast<DType>(operands[3 + 2 * k]);
    const int64_t bits = operands[4 + 2 * k];
    // A float32 is in the low half of its register.
    if (is_floating(dtype)) {
      floats.at(floating++) = std::bit_cast<double>(bits);
    } else {
      integers.at(integer++) = bits;
    }
  }
  if (result == kernel::no_result) return call<void>(address, integers, floats), 0;
  const auto dtype = static_cast<DType>(result);
  if (dtype == DType::float64) return std::bit_cast<int64_t>(call<double>(address, integers, floats));
  if (dtype == DType::float32) return std::bit_cast<int32_t>(call<float>(address, integers, floats));
  return extended(dtype, call<int64_t>(address, integers, floats));
}

}  // namespace tessera::bind
