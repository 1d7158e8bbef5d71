#include "tessera/bind/frames/columns.h"

#include <optional>
#include <utility>

#include "tessera/base/error.h"

namespace tessera::bind::frames {

namespace {

std::optional<DType> found_dtype(const nb::dlpack::dtype& dtype) {
  using Code = nb::dlpack::dtype_code;
  const auto sized = [&](DType one, DType two, DType four, DType eight) -> std::optional<DType> {
    switch (dtype.bits) {
      case 8: return one;
      case 16: return two;
      case 32: return four;
      case 64: return eight;
      default: return std::nullopt;
    }
  };
  if (dtype.lanes != 1) return std::nullopt;
  switch (static_cast<Code>(dtype.code)) {
    case Code::Bool: return DType::boolean;
    case Code::Int: return sized(DType::int8, DType::int16, DType::int32, DType::int64);
    case Code::UInt: return sized(DType::uint8, DType::uint16, DType::uint32, DType::uint64);
    case Code::Float:
      if (dtype.bits == 32) return DType::float32;
      if (dtype.bits == 64) return DType::float64;
      return std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace

DType dtype_of(const nb::dlpack::dtype& dtype) {
  const auto found = found_dtype(dtype);
  require<TypeError>(found.has_value(), "frames: columns of {} bits of this kind are not computed with",
                     static_cast<int>(dtype.bits));
  return *found;
}

routines::frames::ColumnView column_of(const AnyColumn& array) {
  const DType dtype = dtype_of(array.dtype());
  return {.data = static_cast<const char*>(array.data()),
          .dtype = dtype,
          .stride = array.stride(0) * itemsize(dtype),
          .size = static_cast<int64_t>(array.size())};
}

routines::frames::CodesView codes_of(const AnyColumn& array) {
  const DType dtype = dtype_of(array.dtype());
  const bool dense = array.size() <= 1 || array.stride(0) == 1;
  if (dense && dtype == DType::int32) return std::span(static_cast<const int32_t*>(array.data()), array.size());
  if (dense && dtype == DType::int64) return std::span(static_cast<const int64_t*>(array.data()), array.size());
  throw TypeError(format("frames: codes are int32 or int64 next to each other, not {}", name(dtype)));
}

routines::frames::CodesSpan codes_to_write(const AnyResult& array) {
  const DType dtype = dtype_of(array.dtype());
  if (dtype == DType::int32) return std::span(static_cast<int32_t*>(array.data()), array.size());
  if (dtype == DType::int64) return std::span(static_cast<int64_t*>(array.data()), array.size());
  throw TypeError(format("frames: codes are int32 or int64, not {}", name(dtype)));
}

}  // namespace tessera::bind::frames
