#include "tessera/bind/kernel/host/row_reduction.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/ir/row_loops.h"
#include "tessera/kernel/options.h"
#include "tessera/layout/dtype.h"
#include "tessera/library/host/arg_reduce.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::bind {

using kernel::RowReduction;

namespace {

constexpr int64_t chunk = 8192, width = 8;  // of the tree of pairwise sums
constexpr int64_t few = 32;

struct Row {
  const char* data;
  int64_t count, stride;
};

template <class T>
ir::RowLoop<T> row_loop(ir::RowTerm term) {
  if constexpr (std::is_same_v<T, float>)
    return ir::find_float32_row_loop(term);
  else
    return ir::find_float64_row_loop(term);
}

/// The sums of chunks, neighbours joined level by level. Those of a long row are computed on all cores: the tree is the
/// same.
template <class T, class SumOfChunk>
T join_chunks(int64_t count, const SumOfChunk& sum_of_chunk) {
  if (count <= chunk) return count > 0 ? sum_of_chunk(0, count) : T(-0.0);
  constexpr int64_t many = 32, at_once = 8;  // chunks, of 64 KiB as float64
  const int64_t chunks = (count + chunk - 1) / chunk;
  const auto sum_of = [&](int64_t number) {
    return sum_of_chunk(number * chunk, std::min(chunk, count - number * chunk));
  };
  std::vector<T> shared(chunks >= many ? static_cast<size_t>(chunks) : 0);
  auto some = [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number) shared[static_cast<size_t>(number)] = sum_of(number);
  };
  if (!shared.empty()) runtime::parallel_for(chunks, at_once, some);
  T sums[64];
  int height = 0;
  for (int64_t number = 0; number < chunks; ++number) {
    T total = shared.empty() ? sum_of(number) : shared[static_cast<size_t>(number)];
    for (int joins = std::countr_one(static_cast<uint64_t>(number)); joins > 0; --joins) total = sums[--height] + total;
    sums[height++] = total;
  }
  T total = sums[--height];
  while (height > 0) total = sums[--height] + total;
  return total;
}

/// The sum of the terms of a row and of what stands beside its elements.
template <class T, ir::RowTerm term>
T sum(const Row& row, ir::RowOperand beside = {nullptr, 0}) {
  static const ir::RowLoop<T> loop = row_loop<T>(term);
  return join_chunks<T>(row.count, [&](int64_t begin, int64_t count) {
    return loop({row.data + begin * row.stride, row.stride}, {beside.data + begin * beside.stride, beside.stride},
                count);
  });
}

/// One element, which is not loaded as part of a vector: it may just have been stored.
template <class T>
T element(ir::RowOperand row, int64_t k) {
  return *reinterpret_cast<const volatile T*>(row.data + k * row.stride);
}

/// The tree's sum of few terms, without a call.
template <class Term>
auto sum_of_few(int64_t count, const Term& term) {
  auto sum = term(0);
  int64_t k = 1;
  if (count >= width) {
    decltype(sum) r[width];
    for (int lane = 0; lane < width; ++lane) r[lane] = term(lane);
    for (k = width; k + width <= count; k += width)
      for (int lane = 0; lane < width; ++lane) r[lane] = r[lane] + term(k + lane);
    sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  }
  for (; k < count; ++k) sum = sum + term(k);
  return sum;
}

template <class T>
T mean_of(T total, int64_t count) {
  return static_cast<T>(static_cast<double>(T(0) + total) / static_cast<double>(count));
}

template <class T>
T sum_of_elements(const Row& row) {
  const ir::RowOperand own{row.data, row.stride};
  if (row.count < 1 || row.count >= few) return sum<T, ir::RowTerm::element>(row);
  return sum_of_few(row.count, [&](int64_t k) { return element<T>(own, k); });
}

template <class T>
T sum_of_products(const Row& row, ir::RowOperand other) {
  const ir::RowOperand own{row.data, row.stride};
  if (row.count < 1 || row.count >= few) return sum<T, ir::RowTerm::product>(row, other);
  return sum_of_few(row.count, [&](int64_t k) { return element<T>(own, k) * element<T>(other, k); });
}

template <class T>
T variance(const Row& row) {
  const ir::RowOperand own{row.data, row.stride};
  if (row.count > 0 && row.count < few) {
    const T mean = mean_of(sum_of_elements<T>(row), row.count);
    const auto square = [&](int64_t k) {
      const T away = element<T>(own, k) - mean;
      return away * away;
    };
    return mean_of(sum_of_few(row.count, square), row.count);
  }
  const T mean = mean_of(sum<T, ir::RowTerm::element>(row), row.count);
  return mean_of(sum<T, ir::RowTerm::squared_distance>(row, {reinterpret_cast<const char*>(&mean), 0}), row.count);
}

template <class T>
int64_t reduce(RowReduction what, const Row& row, const int64_t* second) {
  const auto bits = [](T value) {
    if constexpr (std::is_same_v<T, float>)
      return static_cast<int64_t>(std::bit_cast<int32_t>(value));
    else
      return std::bit_cast<int64_t>(value);
  };
  if (what == RowReduction::sum) return bits(sum_of_elements<T>(row));
  if (what == RowReduction::variance) return bits(variance<T>(row));
  const ir::RowOperand other{reinterpret_cast<const char*>(static_cast<uintptr_t>(second[0])), second[1]};
  return bits(sum_of_products<T>(row, other));
}

/// The place of the first of the best elements, or of the first NaN. Mostly the next element is not better.
template <class T, bool is_greatest>
int64_t place_among_few(const Row& row) {
  const auto at = [&](int64_t k) {
    T value;
    std::memcpy(&value, row.data + k * row.stride, sizeof value);
    return value;
  };
  T best = at(0);
  int64_t place = 0;
  for (int64_t k = 1; k < row.count; ++k) {
    const T next = at(k);
    if (is_greatest ? next <= best : next >= best) [[likely]]
      continue;
    if (best != best) return place;
    best = next;
    place = k;
  }
  return place;
}

template <class T>
int64_t place_of(DType dtype, bool is_greatest, const Row& row) {
  constexpr int64_t few = 16;
  if (row.stride != static_cast<int64_t>(sizeof(T)) || row.count < few)
    return is_greatest ? place_among_few<T, true>(row) : place_among_few<T, false>(row);
  int64_t place = 0;
  library::arg_reduce(is_greatest, row.data, dtype, 1, row.count, 1, &place);
  return place;
}

int64_t find_place(DType dtype, bool is_greatest, const Row& row) {
  switch (dtype) {
    case DType::float64: return place_of<double>(dtype, is_greatest, row);
    case DType::float32: return place_of<float>(dtype, is_greatest, row);
    case DType::int64: return place_of<int64_t>(dtype, is_greatest, row);
    case DType::int32: return place_of<int32_t>(dtype, is_greatest, row);
    case DType::int16: return place_of<int16_t>(dtype, is_greatest, row);
    case DType::int8: return place_of<int8_t>(dtype, is_greatest, row);
    case DType::uint64: return place_of<uint64_t>(dtype, is_greatest, row);
    case DType::uint32: return place_of<uint32_t>(dtype, is_greatest, row);
    case DType::uint16: return place_of<uint16_t>(dtype, is_greatest, row);
    case DType::boolean:
    case DType::uint8: return place_of<uint8_t>(dtype, is_greatest, row);
    default: break;
  }
  invariant(false, "no place of an extreme of {}", dtype);
  return 0;
}

}  // namespace

int64_t reduce_row(const int64_t* operands) {
  const auto what = static_cast<RowReduction>(operands[0]);
  const auto dtype = static_cast<DType>(operands[1]);
  const Row row{reinterpret_cast<const char*>(static_cast<uintptr_t>(operands[2])), operands[3], operands[4]};
  if (what == RowReduction::least_place || what == RowReduction::greatest_place)
    return find_place(dtype, what == RowReduction::greatest_place, row);
  return dtype == DType::float32 ? reduce<float>(what, row, operands + 5) : reduce<double>(what, row, operands + 5);
}

}  // namespace tessera::bind
