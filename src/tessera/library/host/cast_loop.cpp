#include "tessera/layout/element_cast.h"
#include "tessera/library/host/copy.h"

namespace tessera::library {

namespace {

template <class From, class To>
void cast_loop(const char* source, int64_t source_stride, char* destination, int64_t destination_stride, int64_t n) {
  if (source_stride == sizeof(From) && destination_stride == sizeof(To)) {
    auto* from = reinterpret_cast<const From*>(source);
    auto* to = reinterpret_cast<To*>(destination);
    for (int64_t k = 0; k < n; ++k) to[k] = element_cast<To>(from[k]);
    return;
  }
  for (int64_t k = 0; k < n; ++k) {
    *reinterpret_cast<To*>(destination) = element_cast<To>(*reinterpret_cast<const From*>(source));
    source += source_stride;
    destination += destination_stride;
  }
}

}  // namespace

CastLoop find_cast_loop(DType from, DType to) {
  return visit_dtype(from, [&]<class From>(From) {
    return visit_dtype(to, []<class To>(To) -> CastLoop { return cast_loop<From, To>; });
  });
}

}  // namespace tessera::library
