#include "tessera/kernel/types/conversion.h"

#include <algorithm>
#include <array>

#include "tessera/layout/dtype.h"

namespace tessera::kernel {

namespace {

/// The kinds of numbers, as NumPy has a letter for each.
int kind_of_number(DType dtype) {
  if (is_boolean(dtype)) return 0;
  if (is_unsigned_integer(dtype)) return 1;
  if (is_integer(dtype)) return 2;
  return is_complex(dtype) ? 4 : 3;
}

std::optional<Conversion> worst_of(std::span<const Type> given, std::span<const Type> wanted) {
  Conversion worst = Conversion::same;
  for (size_t k = 0; k < given.size(); ++k) {
    const std::optional<Conversion> one = conversion(given[k], wanted[k]);
    if (!one) return {};
    worst = std::min(worst, *one);
  }
  return worst;
}

/// Records whose first fields are the wanted ones.
bool begins_with(const Type& given, const Type& wanted) {
  const size_t count = wanted->elements.size();
  return given->axes == wanted->axes && given->elements.size() >= count &&
         std::equal(wanted->elements.begin(), wanted->elements.end(), given->elements.begin()) &&
         std::equal(wanted->names.begin(), wanted->names.end(), given->names.begin());
}

}  // namespace

std::optional<Conversion> conversion(DType given, DType wanted) {
  if (given == wanted) return Conversion::same;
  if (is_complex(given) && !is_complex(wanted)) return {};
  if (promote(given, wanted) != wanted) return Conversion::unsafe;
  const int from = kind_of_number(given), to = kind_of_number(wanted);
  if (from == 1 && to == 2) return Conversion::widened;
  return from == to ? Conversion::promoted : Conversion::safe;
}

std::optional<Conversion> conversion(const Type& given, const Type& wanted) {
  if (given == wanted) return Conversion::same;
  if (wanted->kind == TypeKind::optional) {
    if (given->kind == TypeKind::none) return Conversion::safe;
    const std::optional<Conversion> inside = conversion(given, wanted->elements.at(0));
    return inside ? std::optional(std::min(*inside, Conversion::safe)) : std::nullopt;
  }
  if (given->kind != wanted->kind) return {};
  if (given->unit || wanted->unit) return {};
  if (given.is_scalar()) return conversion(given->dtype, wanted->dtype);
  if (given->kind == TypeKind::tuple && given->elements.size() == wanted->elements.size())
    return worst_of(given->elements, wanted->elements);
  if (given->kind == TypeKind::record && begins_with(given, wanted)) return Conversion::safe;
  return {};
}

std::vector<size_t> choose_signatures(size_t count, size_t arguments, const Conversions& conversions) {
  std::array<size_t, static_cast<size_t>(Conversion::same)> least{};
  std::vector<size_t> best;
  for (size_t signature = 0; signature < count; ++signature) {
    std::array<size_t, static_cast<size_t>(Conversion::same)> counts{};
    bool fits = true;
    for (size_t k = 0; k < arguments && fits; ++k) {
      const std::optional<Conversion> one = conversions(signature, k);
      fits = one.has_value();
      if (fits && *one != Conversion::same) ++counts[static_cast<size_t>(*one)];
    }
    if (!fits || (!best.empty() && counts > least)) continue;
    if (counts < least) best.clear();
    least = counts;
    best.push_back(signature);
  }
  return best;
}

std::vector<size_t> choose_signatures(std::span<const Type> given, std::span<const std::vector<Type>> signatures) {
  std::vector<size_t> places;
  for (size_t k = 0; k < signatures.size(); ++k)
    if (signatures[k].size() == given.size()) places.push_back(k);
  std::vector<size_t> best = choose_signatures(places.size(), given.size(), [&](size_t signature, size_t k) {
    return conversion(given[k], signatures[places[signature]][k]);
  });
  for (size_t& one : best) one = places[one];
  return best;
}

}  // namespace tessera::kernel
