#include <array>

#include "tessera/ir/builder_expand.h"
#include "tessera/ir/loops.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

// Constants are folded by the same loops that would run, so folding changes no bit.
std::optional<Value> fold_constants(Builder& b, Opcode op, std::span<const Value> operands) {
  std::array<Scalar, 3> scalars;
  std::array<DType, 3> types{};
  std::array<char*, 4> pointers{};
  for (size_t k = 0; k < operands.size(); ++k) {
    const Scalar* known = constant_of(b.kernel(), operands[k]);
    if (known == nullptr) return std::nullopt;
    scalars[k] = *known;
    types[k] = known->dtype;
    pointers[k] = reinterpret_cast<char*>(scalars[k].bytes);
  }
  Scalar result;
  result.dtype = result_type(op, {types.data(), operands.size()});
  const Loop loop = find_loop(op, types[0], result.dtype);
  if (loop == nullptr) return std::nullopt;
  pointers[operands.size()] = reinterpret_cast<char*>(result.bytes);
  constexpr std::array<int64_t, 4> strides{};
  loop(pointers.data(), strides.data(), 1);
  return b.constant(result);
}

}  // namespace tessera::ir
