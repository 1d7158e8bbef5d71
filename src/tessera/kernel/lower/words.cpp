#include "tessera/kernel/lower/words.h"

#include <algorithm>

namespace tessera::kernel {

int64_t words_of_type(const Type& type) {
  std::vector<DType> dtypes;
  append_scalars(type, dtypes);
  int64_t count = 0;
  for (DType dtype : dtypes) count += is_complex(dtype) ? 2 : 1;
  return count;
}

bool holds_addresses(const Type& type) {
  switch (type->kind) {
    case TypeKind::scalar:
    case TypeKind::none:
    case TypeKind::texts:
    case TypeKind::functions:
    case TypeKind::entity: return false;
    case TypeKind::tuple:
    case TypeKind::optional: return std::ranges::any_of(type->elements, holds_addresses);
    default: return true;
  }
}

std::vector<ir::Value> to_words(ir::Builder& b, const Item& item) {
  std::vector<ir::Value> words;
  const auto put = [&](ir::Value part) {
    words.push_back(is_floating(b.type(part)) ? b.bitcast(b.cast(part, DType::float64), DType::int64)
                                              : b.cast(part, DType::int64));
  };
  for (ir::Value part : item.values) {
    put(b.real(part));
    if (is_complex(b.type(part))) put(b.imag(part));
  }
  return words;
}

Item from_words(ir::Builder& b, const Type& type, const std::function<ir::Value(int64_t)>& word) {
  std::vector<DType> dtypes;
  append_scalars(type, dtypes);
  Item value{type, {}};
  int64_t at = 0;
  const auto get = [&](DType to) {
    const ir::Value bits = word(at++);
    return b.cast(is_floating(to) ? b.bitcast(bits, DType::float64) : bits, to);
  };
  for (DType dtype : dtypes) {
    const DType real = real_dtype(dtype);
    const ir::Value first = get(real);
    value.values.push_back(is_complex(dtype) ? b.make_complex(first, get(real)) : first);
  }
  return value;
}

}  // namespace tessera::kernel
