#include "tessera/library/host/kernels/level.h"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((internal_linkage)), apply_to = function)
#include "tessera/library/host/sort_keys.h"
#pragma clang attribute pop
#else
#include "tessera/library/host/sort_keys.h"
#endif

namespace tessera::library::TESSERA_KERNEL_LEVEL {

namespace {

template <class T>
Kernels::KeyRange key_range(const void* bytes, int64_t n) {
  auto* data = static_cast<const T*>(bytes);
  using Key = UnsignedOf<sizeof(T)>;
  Key low = static_cast<Key>(~Key{0}), high = 0;
  for (int64_t k = 0; k < n; ++k) {
    Key key = sort_key(data[k]);
    low = key < low ? key : low;
    high = high < key ? key : high;
  }
  return {low, high};
}

template <class T>
void pack_keys(const void* bytes, int64_t begin, int64_t end, uint64_t least, int shift, int index_bits,
               uint64_t* words) {
  auto* data = static_cast<const T*>(bytes);
  for (int64_t k = begin; k < end; ++k)
    words[k] = (static_cast<uint64_t>(sort_key(data[k])) - least) >> shift << index_bits | static_cast<uint64_t>(k);
}

}  // namespace

void add_keys(Kernels& kernels) {
  auto add = [&]<class Tag>(Tag) {
    kernels.key_range[Tag::index] = key_range<typename Tag::Type>;
    kernels.pack_keys[Tag::index] = pack_keys<typename Tag::Type>;
  };
  for_each_number(add);
  add(Tagged<DType::boolean, bool>{});
  add(Tagged<DType::float16, Half>{});
  add(Tagged<DType::bfloat16, Bfloat16>{});
}

}  // namespace tessera::library::TESSERA_KERNEL_LEVEL
