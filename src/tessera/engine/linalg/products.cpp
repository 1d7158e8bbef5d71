#include "tessera/engine/linalg/products.h"

#include "tessera/base/error.h"
#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/device/run/library_access.h"
#include "tessera/engine/linalg/device_products.h"
#include "tessera/engine/linalg/host_access.h"
#include "tessera/library/blas/dot.h"
#include "tessera/library/blas/matrix_product.h"
#include "tessera/library/blas/vendor_library.h"

namespace tessera {

namespace {

library::Vector flat(const HostRead& read) {
  return {const_cast<char*>(read.data()), read.array().size(), itemsize(read.view().dtype)};
}

/// NumPy's dot copies operands whose strides BLAS does not support; doing the same selects the same routine.
HostRead one_segment(Engine& engine, const Array& array, DType dtype) {
  const View& v = array.view;
  const bool usable = v.ndim() < 2 ? v.ndim() == 0 || v.strides[0] > 0 : v.is_c_contiguous() || v.is_f_contiguous();
  return usable ? HostRead(engine, array, dtype) : HostRead::contiguous(engine, array, dtype);
}

}  // namespace

Array product(Engine& engine, Product kind, const Array& a, const Array& b, DType dtype, const Array* out) {
  const engine::PlacedCall call;
  const library::ProductShape shape = library::product_shape(kind, a.shape(), b.shape());
  if (const auto made = try_device_product(engine, kind, a, b, dtype)) {
    if (!out) return *made;
    give_result(engine, *out, *made);
    return *out;
  }
  const HostRead left(engine, a, dtype), right(engine, b, dtype);
  const bool in_place = out && out->dtype() == dtype && out->shape() == shape.result &&
                        out->storage != left.array().storage && out->storage != right.array().storage;
  if (in_place) {
    const library::Strided target{engine.write(*out), out->view};
    const HostWork work(engine, a.size() + b.size());
    library::run_product(kind, left.strided(), right.strided(), target);
    return *out;
  }
  const HostResult result(engine, shape.result, dtype);
  {
    const HostWork work(engine, a.size() + b.size());
    library::run_product(kind, left.strided(), right.strided(), result.strided());
  }
  if (!out) return result.array();
  engine.assign(*out, result.array(), {});
  return *out;
}

Array dot(Engine& engine, const Array& a, const Array& b, DType dtype) {
  const engine::PlacedCall call;
  const Dims shape = library::matrix_product_shape(a.shape(), b.shape());
  if (const auto made = try_device_dot(engine, a, b, dtype)) return *made;
  const HostRead left = one_segment(engine, a, dtype), right = one_segment(engine, b, dtype);
  const HostResult result(engine, shape, dtype);
  const HostWork work(engine, a.size() + b.size());
  library::matrix_product(left.strided(), right.strided(), result.strided());
  return result.array();
}

Array vdot(Engine& engine, const Array& a, const Array& b, DType dtype) {
  const engine::PlacedCall call;
  require<ValueError>(a.size() == b.size(), "cannot reshape array of size {} into shape ({},)", b.size(), a.size());
  if (const auto made = try_device_vdot(engine, a, b, dtype)) return *made;
  const HostRead left = HostRead::contiguous(engine, a, dtype), right = HostRead::contiguous(engine, b, dtype);
  const HostResult result(engine, {}, dtype);
  const HostWork work(engine, a.size());
  library::conjugate_dot(dtype, flat(left), flat(right), result.data());
  return result.array();
}

void prefer_blas(const std::string& path) { library::VendorLibrary::prefer(path); }

}  // namespace tessera
