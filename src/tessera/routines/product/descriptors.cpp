// matmul, vecdot, matvec, vecmat, dot, vdot: products of arrays. The first argument is the dtype to compute in.
#include "tessera/base/error.h"
#include "tessera/eager/reduction_events.h"
#include "tessera/library/blas/dot.h"
#include "tessera/library/blas/matrix_product.h"
#include "tessera/routines/host_operand.h"
#include "tessera/routines/list.h"
#include "tessera/routines/product/product.h"
#include "tessera/routines/table.h"
#include "tessera/routines/vendor_costs.h"

namespace tessera::routines {

ProductForm::ProductForm(Product kind, const View& a, const View& b, DType dtype)
    : shape(library::product_shape(kind, a.shape, b.shape)),
      row(kind == Product::vecdot || kind == Product::vecmat || shape.vector_a),
      column(kind == Product::vecdot || kind == Product::matvec || shape.vector_b),
      conjugates((kind == Product::vecdot || kind == Product::vecmat) && is_complex(dtype)) {}

namespace {

DType dtype_of(const ops::CallView& call) {
  const int64_t dtype = call.arguments.integer(0);
  require<ValueError>(dtype >= 0 && dtype < dtype_count, "product: no dtype {}", dtype);
  const auto wanted = static_cast<DType>(dtype);
  for (const View* operand : call.operands)
    require<TypeError>(can_cast(operand->dtype, wanted, Casting::same_kind), "product: {} as {} would lose a part",
                       operand->dtype, wanted);
  return wanted;
}

bool is_whole_number(DType dtype) { return is_integer(dtype) || is_boolean(dtype); }

/// The device's library takes half-precision operands of single-precision products as they are.
DType operand_dtype(const ops::CallView& call, int) {
  const View &a = call.operand(0), &b = call.operand(1);
  const DType dtype = call.arguments.dtype(0);
  const bool are_vectors = a.ndim() == 1 && b.ndim() == 1;
  const bool halves = a.dtype == b.dtype && itemsize(a.dtype) == 2 && is_floating(a.dtype);
  return dtype == DType::float32 && halves && !are_vectors ? a.dtype : dtype;
}

bool product_suits_device(const ops::CallView& call) {
  const View &a = call.operand(0), &b = call.operand(1);
  const DType dtype = operand_dtype(call, 0);
  return a.size() > 0 && b.size() > 0 && a.dtype == dtype && b.dtype == dtype &&
         (library::on_device::has_product(dtype) || is_whole_number(dtype));
}

/// Vectors and matrices: rows of the first operand times all of the second one, in panels as it lies. Where the axis
/// that is summed over is the outermost of both, sums of parts.
std::optional<Parts> matrices_in_parts(const View& a, const View& b, DType dtype) {
  const int over_a = a.ndim() - 1;                  // the axis that is summed over; b's is its first one
  const bool sums_are_wide = itemsize(dtype) >= 4;  // narrower ones would round between the parts
  if (over_a == 1 && a.strides[0] >= a.strides[1]) {
    Parts parts{.axes = {0, Parts::whole}, .slabs_a_call = slabs_a_call(a.shape[0])};
    if (b.ndim() == 2 && b.strides[0] < b.strides[1])
      parts.panels = {.operand = 1, .axis = 1};
    else if (b.ndim() == 2 && sums_are_wide)
      parts.panels = {.operand = 1, .axis = 0, .other = 0, .axis_of_other = 1};
    return parts;
  }
  if (!sums_are_wide) return {};
  return Parts{.axes = {over_a, 0}, .slabs_a_call = slabs_a_call(a.shape[static_cast<size_t>(over_a)]), .is_sum = true};
}

/// Batches of matrices: those of each place.
std::optional<Parts> product_in_parts(const View& a, const View& b, const ProductForm& form, DType dtype) {
  const Dims& batch = form.shape.batch;
  if (batch.empty()) return matrices_in_parts(a, b, dtype);
  const auto axis_of = [&](const View& operand, bool is_vector) {
    const auto own = static_cast<size_t>(operand.ndim() - (is_vector ? 1 : 2));
    return own == batch.size() && operand.shape[0] == batch[0] ? 0 : Parts::whole;
  };
  return Parts{.axes = {axis_of(a, form.row), axis_of(b, form.column)}, .slabs_a_call = slabs_a_call(batch[0], 1)};
}

/// Cost of products along the operands' last axes, over the larger of the two batches.
ops::Cost cost_of(std::string_view name, const ops::CallView& call) {
  const View &a = call.operand(0), &b = call.operand(1);
  const DType dtype = call.arguments.dtype(0);
  const auto extent = [](const View& x, int from_end) {
    return x.ndim() >= from_end ? static_cast<double>(x.shape[static_cast<size_t>(x.ndim() - from_end)]) : 1.0;
  };
  const auto size_a = static_cast<double>(a.size()), size_b = static_cast<double>(b.size());
  const double k = std::max(1.0, extent(a, 1)), m = extent(a, 2), n = b.ndim() > 1 ? extent(b, 1) : 1;
  const double batch = std::max(size_a / (k * m), size_b / (k * n)), results = m * n * batch;
  const double bytes = static_cast<double>(itemsize(dtype)) * (size_a + size_b + results);
  const bool own = is_whole_number(dtype);
  return cost_of_product(own ? "integer product" : name, (own ? 16 : 1) * results * k, bytes, dtype);
}

template <Product kind>
void run_on_host(HostCall& call) {
  const DType dtype = call.result().dtype();
  const HostOperand a(call.operand(0), dtype), b(call.operand(1), dtype);
  library::run_product(kind, a.strided(), b.strided(), call.result().strided());
}

/// NumPy's dot copies operands whose strides BLAS does not support; doing the same selects the same routine.
void pack_for_dot(HostOperand& operand) {
  const View& v = operand.view();
  const bool usable = v.ndim() < 2 ? v.ndim() == 0 || v.strides[0] > 0 : v.is_c_contiguous() || v.is_f_contiguous();
  if (!usable) operand.pack();
}

void dot_on_host(HostCall& call) {
  const DType dtype = call.result().dtype();
  HostOperand a(call.operand(0), dtype), b(call.operand(1), dtype);
  pack_for_dot(a);
  pack_for_dot(b);
  library::matrix_product(a.strided(), b.strided(), call.result().strided());
}

void vdot_on_host(HostCall& call) {
  const DType dtype = call.result().dtype();
  HostOperand a(call.operand(0), dtype), b(call.operand(1), dtype);
  a.pack();
  b.pack();
  const auto flat = [](const HostOperand& x) {
    return library::Vector{x.elements().data, x.elements().size(), x.view().itemsize()};
  };
  library::conjugate_dot(dtype, flat(a), flat(b), call.result().data);
}

void infer_dot(const ops::CallView& call, std::span<ops::ResultType> results) {
  const View &a = call.operand(0), &b = call.operand(1);
  require<ShapeError>(a.ndim() > 0 && b.ndim() > 0, "dot: the operands need an axis each");
  results[0] = {library::matrix_product_shape(a.shape, b.shape), dtype_of(call)};
}

void infer_vdot(const ops::CallView& call, std::span<ops::ResultType> results) {
  const View &a = call.operand(0), &b = call.operand(1);
  require<ValueError>(a.size() == b.size(), "cannot reshape array of size {} into shape ({},)", b.size(), a.size());
  results[0] = {Dims{}, dtype_of(call)};
}

eager::HostView seen(const Elements& elements) { return {elements.data, elements.view}; }

/// Of the result as a sum of products of the operands.
uint32_t product_events(const CallBase& call, uint32_t watched) {
  return watched & eager::contraction_events(seen(call.operand(0)), seen(call.operand(1)), seen(call.result()));
}

Entry entry_of(std::string_view name, std::string_view doc) {
  return {.routine = {.name = name,
                      .doc = doc,
                      .parameters = {{"a"}, {"b"}, {"dtype", ops::ParameterKind::integer}},
                      .time = ops::CallTime::when_settled,
                      .vendor_bits = true},
          .suits_device = product_suits_device,
          .operand_dtype = operand_dtype,
          .takes_views = Entry::all_operands};
}

template <Product kind>
void add(Table& table, std::string_view doc) {
  Entry entry = entry_of(library::name(kind), doc);
  entry.events = product_events;
  entry.routine.infer = [](const ops::CallView& call, std::span<ops::ResultType> results) {
    results[0] = {library::product_shape(kind, call.operand(0).shape, call.operand(1).shape).result, dtype_of(call)};
  };
  entry.routine.cost = [](const ops::CallView& call) { return cost_of(library::name(kind), call); };
  entry.on_host = run_on_host<kind>;
  entry.on_device = [](DeviceCall& call) { product_on_device(call, kind); };
  entry.in_parts = [](const ops::CallView& call) {
    const View &a = call.operand(0), &b = call.operand(1);
    const DType dtype = call.arguments.dtype(0);
    return product_in_parts(a, b, ProductForm(kind, a, b, dtype), dtype);
  };
  table.add(std::move(entry));
}

}  // namespace

void add_product(Table& table) {
  add<Product::matmul>(table, "The matrix product over the last two axes.");
  add<Product::vecdot>(table, "The dot products of vectors along the last axis, the first ones conjugated.");
  add<Product::matvec>(table, "Matrices times vectors.");
  add<Product::vecmat>(table, "Vectors, conjugated, times matrices.");
  Entry dot = entry_of("dot", "Sums of products over the last axis of a and the second to last of b.");
  dot.events = product_events;
  dot.routine.infer = infer_dot;
  dot.routine.cost = [](const ops::CallView& call) { return cost_of("dot", call); };
  dot.on_host = dot_on_host;
  dot.on_device = dot_on_device;
  dot.in_parts = [](const ops::CallView& call) -> std::optional<Parts> {
    const View &a = call.operand(0), &b = call.operand(1);
    if (a.ndim() > 2 || b.ndim() > 2) return {};
    return matrices_in_parts(a, b, call.arguments.dtype(0));
  };
  dot.suits_device = [](const ops::CallView& call) {
    const bool are_matrices = call.operand(0).ndim() <= 2 && call.operand(1).ndim() <= 2;
    return product_suits_device(call) && (are_matrices || !is_whole_number(call.arguments.dtype(0)));
  };
  table.add(std::move(dot));
  Entry vdot = entry_of("vdot", "The dot product of two arrays in C order, the first one conjugated.");
  vdot.routine.infer = infer_vdot;
  vdot.routine.cost = [](const ops::CallView& call) { return cost_of("vdot", call); };
  vdot.on_host = vdot_on_host;
  vdot.on_device = vdot_on_device;
  vdot.in_parts = [](const ops::CallView& call) -> std::optional<Parts> {
    const View &a = call.operand(0), &b = call.operand(1);
    if (a.shape != b.shape || a.ndim() == 0 || itemsize(call.arguments.dtype(0)) < 4) return {};
    return Parts{.axes = {0, 0}, .slabs_a_call = slabs_a_call(a.shape[0]), .is_sum = true};
  };
  vdot.operand_dtype = [](const ops::CallView& call, int) { return call.arguments.dtype(0); };
  vdot.suits_device = [](const ops::CallView& call) {
    const DType dtype = call.arguments.dtype(0);
    return library::on_device::has_product(dtype) && call.operand(0).size() > 0 && call.operand(0).dtype == dtype &&
           call.operand(1).dtype == dtype;
  };
  table.add(std::move(vdot));
}

}  // namespace tessera::routines
