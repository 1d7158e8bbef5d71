/// Which signature takes a call's arguments: by how many of them convert to its types, and how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

/// How an argument becomes one of a parameter's type, the worst first: Numba's casts, with NumPy's rule for which are
/// safe. From an unsigned integer to a signed one that holds it is better than to floats, where Numba calls both safe
/// and a choice between them ambiguous.
enum class Conversion : uint8_t { unsafe, safe, widened, promoted, same };

/// Nothing where a number has a part that would be lost.
std::optional<Conversion> conversion(DType given, DType wanted);
/// Nothing where the one does not become the other.
std::optional<Conversion> conversion(const Type& given, const Type& wanted);

/// By signature and argument; nothing where the argument does not become what the signature has there.
using Conversions = std::function<std::optional<Conversion>(size_t signature, size_t argument)>;
/// The signatures of `count` that take all arguments with the fewest conversions, the worst kind of them first: several
/// where these are as good.
std::vector<size_t> choose_signatures(size_t count, size_t arguments, const Conversions& conversions);
/// The same for these types; signatures of another length take none.
std::vector<size_t> choose_signatures(std::span<const Type> given, std::span<const std::vector<Type>> signatures);

}  // namespace tessera::kernel
