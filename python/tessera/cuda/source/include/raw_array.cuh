// Indices and arrays for elementwise and reduction kernels.
#pragma once

namespace tessera {

template <int N>
struct Extents {
  long long values[N > 0 ? N : 1];
  __device__ long long operator[](int axis) const { return values[axis]; }
};

// The position of an element along each axis, in C order.
template <int N>
class Indexer {
 public:
  __device__ Indexer(long long size, const Extents<N>& shape) : size_(size), shape_(shape) {}
  __device__ long long size() const { return size_; }
  __device__ void set(long long i) {
    for (int axis = N - 1; axis >= 0; --axis) {
      at_[axis] = i % shape_[axis];
      i /= shape_[axis];
    }
  }
  __device__ const ptrdiff_t* get() const { return at_; }
  // The byte of an array with these strides.
  __device__ long long offset(const Extents<N>& strides) const {
    long long bytes = 0;
    for (int axis = 0; axis < N; ++axis) bytes += at_[axis] * strides[axis];
    return bytes;
  }

 private:
  long long size_;
  Extents<N> shape_;
  ptrdiff_t at_[N > 0 ? N : 1];
};

// An array that a kernel indexes itself: by the number of an element in C order, or by positions along the axes.
template <class T, int N, bool dense>
class RawArray {
 public:
  static const int ndim = N;
  __device__ RawArray(T* data, long long size, const Extents<N>& shape, const Extents<N>& strides)
      : data_(data), size_(size), shape_(shape), strides_(strides) {}
  __device__ ptrdiff_t size() const { return size_; }
  __device__ const long long* shape() const { return shape_.values; }
  __device__ const long long* strides() const { return strides_.values; }
  __device__ T& operator[](ptrdiff_t i) const {
    if (dense) return data_[i];
    long long bytes = 0;
    for (int axis = N - 1; axis >= 0; --axis) {
      bytes += i % shape_[axis] * strides_[axis];
      i /= shape_[axis];
    }
    return *reinterpret_cast<T*>(bytes_of() + bytes);
  }
  // A template, so that x[0] is an element's number and no null pointer.
  template <class I>
  __device__ T& operator[](const I* at) const {
    long long bytes = 0;
    for (int axis = 0; axis < N; ++axis) bytes += at[axis] * strides_[axis];
    return *reinterpret_cast<T*>(bytes_of() + bytes);
  }

 private:
  __device__ char* bytes_of() const { return (char*)data_; }
  T* data_;
  long long size_;
  Extents<N> shape_, strides_;
};

template <class T>
__device__ T& at_byte(T* data, long long bytes) {
  return *(T*)((char*)data + bytes);
}

}  // namespace tessera
