/// CodesView, CodesSpan: the group of each row, -1 for none, as integers of four or eight bytes that others own.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace tessera::routines::frames {

class CodesView {
 public:
  CodesView() = default;
  CodesView(std::span<const int32_t> codes) : narrow_(codes.data()), size_(static_cast<int64_t>(codes.size())) {}
  CodesView(std::span<int32_t> codes) : CodesView(std::span<const int32_t>(codes)) {}
  CodesView(std::span<int64_t> codes) : CodesView(std::span<const int64_t>(codes)) {}
  CodesView(std::span<const int64_t> codes) : wide_(codes.data()), size_(static_cast<int64_t>(codes.size())) {}

  int64_t size() const { return size_; }
  int64_t operator[](int64_t row) const { return wide_ ? wide_[row] : narrow_[row]; }
  /// The codes of rows [begin, end): written to `block`, unless they stand in memory as they are wanted.
  const int64_t* read(int64_t begin, int64_t end, int64_t* block) const {
    if (wide_) return wide_ + begin;
    for (int64_t row = begin; row < end; ++row) block[row - begin] = narrow_[row];
    return block;
  }

 private:
  const int64_t* wide_ = nullptr;
  const int32_t* narrow_ = nullptr;
  int64_t size_ = 0;
};

/// Codes to be written.
class CodesSpan {
 public:
  CodesSpan() = default;
  CodesSpan(std::span<int32_t> codes) : narrow_(codes.data()), size_(static_cast<int64_t>(codes.size())) {}
  CodesSpan(std::span<int64_t> codes) : wide_(codes.data()), size_(static_cast<int64_t>(codes.size())) {}

  int64_t size() const { return size_; }
  /// body(std::span) of integers of the codes' size.
  template <class Body>
  decltype(auto) visit(Body&& body) const {
    if (wide_) return body(std::span(wide_, static_cast<size_t>(size_)));
    return body(std::span(narrow_, static_cast<size_t>(size_)));
  }

 private:
  int64_t* wide_ = nullptr;
  int32_t* narrow_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace tessera::routines::frames
