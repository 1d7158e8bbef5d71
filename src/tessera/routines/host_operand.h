/// HostOperand: an operand as a host library takes it.
#pragma once

#include <algorithm>
#include <memory>

#include "tessera/library/host/copy.h"
#include "tessera/routines/calls.h"

namespace tessera::routines {

/// The elements in one dtype: as they lie, or a copy.
class HostOperand {
 public:
  HostOperand(const Elements& given, DType dtype) : elements_(given) {
    const View* like = &given.view;
    if (given.dtype() != dtype) copy(common_layout(given.shape(), dtype, std::span(&like, 1)));
  }
  HostOperand(const HostOperand&) = delete;
  HostOperand& operator=(const HostOperand&) = delete;

  /// Makes the elements C-contiguous.
  void pack() {
    if (!elements_.view.is_c_contiguous()) copy(View::contiguous(elements_.shape(), elements_.dtype()));
  }
  const Elements& elements() const { return elements_; }
  const View& view() const { return elements_.view; }
  library::Strided strided() const { return elements_.strided(); }

 private:
  void copy(View to) {
    std::unique_ptr<char[]> made =
        std::make_unique_for_overwrite<char[]>(static_cast<size_t>(std::max<int64_t>(1, to.size() * to.itemsize())));
    library::copy_view(elements_.data, elements_.view, made.get(), to);
    memory_ = std::move(made);
    elements_ = {memory_.get(), std::move(to)};
  }

  Elements elements_;
  std::unique_ptr<char[]> memory_;
};

}  // namespace tessera::routines
