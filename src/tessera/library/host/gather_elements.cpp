#include <atomic>

#include "tessera/base/error.h"
#include "tessera/library/host/gather.h"
#include "tessera/library/host/rows.h"

namespace tessera::library {

namespace {

/// One pass that checks and copies; returns whether an index was out of range.
template <class T>
bool gather_range(const T* array, const IndexAxis& axis, int64_t begin, int64_t end, T* picks) {
  int64_t extent = axis.extent;
  bool bad = false;
  for (int64_t k = begin; k < end; ++k) {
    int64_t i = axis.indices[k];
    i += i < 0 ? extent : 0;
    bool outside = static_cast<uint64_t>(i) >= static_cast<uint64_t>(extent);
    bad |= outside;
    picks[k] = array[outside ? 0 : i];
  }
  return bad;
}

}  // namespace

void gather_elements(const char* array, int64_t itemsize, const IndexAxis& axis, int64_t count, char* picks) {
  if (count == 0) return;
  std::atomic<bool> bad{axis.extent == 0};
  if (!bad) {
    visit_itemsize(itemsize, [&]<class T>(T) {
      auto piece = [&](int64_t begin, int64_t end) {
        if (gather_range(reinterpret_cast<const T*>(array), axis, begin, end, reinterpret_cast<T*>(picks))) bad = true;
      };
      runtime::parallel_for(count, grain_for(16), piece);
    });
  }
  if (bad) pick_offsets(std::span(&axis, 1), count);  // finds the offending index and throws
}

}  // namespace tessera::library
