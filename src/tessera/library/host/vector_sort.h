/// vector_sort: sorts numbers in ascending order, by Highway's vectorised quicksort if the build has it.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tessera::library {

/// Numbers of one C type; floats must not contain NaN.
template <class T>
concept Sortable = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// Sorts on the calling thread. The order of +0 and -0 is unspecified.
template <Sortable T>
void sort_numbers(T* data, int64_t n);

/// Sorts over threads: the range is split at pivots until every thread has a part.
template <Sortable T>
void sort_numbers_in_parallel(T* data, int64_t n);

}  // namespace tessera::library
