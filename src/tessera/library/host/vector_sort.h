/// vector_sort: integers in ascending order, by Highway's vectorised quicksort where it was there at build time.
#pragma once

#include <cstdint>

namespace tessera::library {

/// On the calling thread.
void sort_integers(uint16_t* data, int64_t n);
void sort_integers(uint32_t* data, int64_t n);
void sort_integers(uint64_t* data, int64_t n);

/// Over threads: the range is cut at pivots until every thread has a part.
template <class T>
void sort_integers_in_parallel(T* data, int64_t n);
extern template void sort_integers_in_parallel(uint16_t*, int64_t);
extern template void sort_integers_in_parallel(uint32_t*, int64_t);
extern template void sort_integers_in_parallel(uint64_t*, int64_t);

}  // namespace tessera::library
