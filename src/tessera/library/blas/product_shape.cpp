#include <algorithm>

#include "tessera/base/error.h"
#include "tessera/library/blas/batch.h"

namespace tessera::library {

namespace {

int core_ndim_a(Product p) { return p == Product::matmul || p == Product::matvec ? 2 : 1; }
int core_ndim_b(Product p) { return p == Product::matmul || p == Product::vecmat ? 2 : 1; }

void require_ndim(Product product, int operand, int have, int want) {
  require<ShapeError>(
      have >= want,
      "{}: Input operand {} does not have enough dimensions (has {}, gufunc core with signature {} requires {})",
      name(product), operand, have, signature(product), want);
}

std::string join(std::span<const int64_t> shape) {
  std::string text;
  for (const int64_t extent : shape) text += (text.empty() ? "" : ",") + std::to_string(extent);
  return text;
}

std::string tuple(std::span<const int64_t> shape) { return "(" + join(shape) + (shape.size() == 1 ? ",)" : ")"); }

/// NumPy prints how each operand's loop axes were aligned before broadcasting.
std::string remapped(const Dims& shape, int core, size_t result_core) {
  const auto batch = std::span<const int64_t>(shape).first(shape.size() - static_cast<size_t>(core));
  if (result_core == 0 || batch.empty()) return tuple(shape) + "->" + tuple(batch);
  std::string text = tuple(shape) + "->(" + join(batch);
  for (size_t i = 0; i < result_core; ++i) text += ",newaxis";
  return text + ")";
}

Dims broadcast_batch(const Dims& a, int core_a, const Dims& b, int core_b, const Dims& result_core) {
  const size_t na = a.size() - static_cast<size_t>(core_a), nb = b.size() - static_cast<size_t>(core_b);
  Dims batch(std::max(na, nb), 1);
  for (size_t i = 0; i < batch.size(); ++i) {
    const int64_t ea = i + na >= batch.size() ? a[i + na - batch.size()] : 1;
    const int64_t eb = i + nb >= batch.size() ? b[i + nb - batch.size()] : 1;
    require<ShapeError>(
        ea == eb || ea == 1 || eb == 1,
        "operands could not be broadcast together with remapped shapes [original->remapped]: {} {}  and "
        "requested shape ({})",
        remapped(a, core_a, result_core.size()), remapped(b, core_b, result_core.size()), join(result_core));
    batch[i] = ea == 1 ? eb : ea;
  }
  return batch;
}

}  // namespace

const char* name(Product product) {
  switch (product) {
    case Product::matmul: return "matmul";
    case Product::vecdot: return "vecdot";
    case Product::matvec: return "matvec";
    case Product::vecmat: return "vecmat";
  }
  return "";
}

const char* signature(Product product) {
  switch (product) {
    case Product::matmul: return "(n?,k),(k,m?)->(n?,m?)";
    case Product::vecdot: return "(n),(n)->()";
    case Product::matvec: return "(m,n),(n)->(m)";
    case Product::vecmat: return "(n),(n,m)->(m)";
  }
  return "";
}

ProductShape product_shape(Product product, const Dims& a, const Dims& b) {
  ProductShape shape;
  int core_a = core_ndim_a(product), core_b = core_ndim_b(product);
  require_ndim(product, 0, static_cast<int>(a.size()), product == Product::matmul ? 1 : core_a);
  require_ndim(product, 1, static_cast<int>(b.size()), product == Product::matmul ? 1 : core_b);
  if (product == Product::matmul) {
    shape.vector_a = a.size() == 1;
    shape.vector_b = b.size() == 1;
    core_a -= shape.vector_a;
    core_b -= shape.vector_b;
  }
  const int64_t summed_a = a.back();
  const int64_t summed_b = core_b == 2 ? b[b.size() - 2] : b.back();
  require<ShapeError>(
      summed_a == summed_b,
      "{}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {} (size {} is "
      "different from {})",
      name(product), signature(product), summed_b, summed_a);
  Dims result_core;
  if (core_a == 2) result_core.push_back(a[a.size() - 2]);
  if (core_b == 2) result_core.push_back(b.back());
  shape.batch = broadcast_batch(a, core_a, b, core_b, result_core);
  shape.result = shape.batch;
  for (const int64_t extent : result_core) shape.result.push_back(extent);
  return shape;
}

}  // namespace tessera::library
