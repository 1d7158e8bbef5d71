/// vector_sort: numbers in ascending order, by Highway's vectorised quicksort where it was there at build time.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tessera::library {

/// Numbers of one C type; floats without NaN.
template <class T>
concept Sortable = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// On the calling thread. Which of two zeros comes first is not said.
template <Sortable T>
void sort_numbers(T* data, int64_t n);

/// Over threads: the range is cut at pivots until every thread has a part.
template <Sortable T>
void sort_numbers_in_parallel(T* data, int64_t n);

}  // namespace tessera::library
