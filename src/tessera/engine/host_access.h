/// HostRead, HostResult, HostWork: access to arrays as raw memory for host libraries.
#pragma once

#include "tessera/engine/engine.h"
#include "tessera/library/blas/batch.h"

namespace tessera {

/// A settled array of one dtype; keeps the version it read alive.
class HostRead {
 public:
  HostRead(Engine& engine, const Array& array, DType dtype)
      : array_(array.dtype() == dtype ? array : copy(engine, array, dtype, Order::k)) {
    data_ = engine.read(array_);
    version_ = array_.storage->current;
  }
  /// The same in C order.
  static HostRead contiguous(Engine& engine, const Array& array, DType dtype) {
    const bool fits = array.dtype() == dtype && array.view.is_c_contiguous();
    return HostRead(engine, fits ? array : copy(engine, array, dtype, Order::c), dtype);
  }

  const Array& array() const { return array_; }
  const View& view() const { return array_.view; }
  const char* data() const { return data_; }
  library::Strided strided() const { return {const_cast<char*>(data_), array_.view}; }

 private:
  /// Copies at once where the elements are available: planning would cost more than most copies.
  static Array copy(Engine& engine, const Array& array, DType dtype, Order order);

  Array array_;
  Ref<graph::Version> version_;
  const char* data_;
};

/// A fresh C-ordered array that host code fills.
class HostResult {
 public:
  HostResult(Engine& engine, std::span<const int64_t> shape, DType dtype) : array_(engine.empty(shape, dtype)) {
    data_ = engine.write(array_);
  }
  const Array& array() const { return array_; }
  char* data() const { return data_; }
  library::Strided strided() const { return {data_, array_.view}; }

 private:
  Array array_;
  char* data_;
};

/// Releases the engine's lock for its lifetime if there is enough work to amortise that; no engine calls meanwhile.
class HostWork {
 public:
  HostWork(Engine& engine, int64_t work) : HostWork(engine.settings(), work) {}
  HostWork(Settings settings, int64_t work) : settings_(settings), is_worth_it_(work >= worthwhile) {
    if (is_worth_it_) state_ = settings_.unlock();
  }
  ~HostWork() {
    if (is_worth_it_) settings_.lock(state_);
  }
  HostWork(const HostWork&) = delete;
  HostWork& operator=(const HostWork&) = delete;

 private:
  static constexpr int64_t worthwhile = 1 << 12;
  Settings settings_;
  bool is_worth_it_;
  void* state_ = nullptr;
};

}  // namespace tessera
