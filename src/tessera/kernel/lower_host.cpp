// Calls of functions of NumPy that the host runs.
#include "tessera/kernel/host_routines.h"
#include "tessera/kernel/lowering.h"

namespace tessera::kernel {

void Lowering::append_argument(const Node& node, const Item& item, std::vector<ir::Value>& words) {
  const auto number = [&](int64_t value) { words.push_back(constant(value).values[0]); };
  const auto kind = [&](HostArgument argument) { number(static_cast<int64_t>(argument)); };
  if (item.type.kind == TypeKind::none) return kind(HostArgument::left_out);
  if (item.type.kind == TypeKind::entity && item.type.entity.kind == EntityKind::text) {
    kind(HostArgument::text);
    return number(intern_text(item.type.entity.name));
  }
  if (item.type.kind == TypeKind::tuple) {
    kind(HostArgument::tuple);
    number(static_cast<int64_t>(item.type.elements.size()));
    for (size_t k = 0; k < item.type.elements.size(); ++k) append_argument(node, element(item, k), words);
    return;
  }
  if (item.type.is_scalar()) {
    kind(HostArgument::scalar);
    number(static_cast<int64_t>(item.type.dtype));
    const auto word = [&](ir::Value part) {
      return is_floating(b.type(part)) ? b.bitcast(b.cast(part, DType::float64), DType::int64)
                                       : b.cast(part, DType::int64);
    };
    words.push_back(word(b.real(item.values[0])));
    words.push_back(is_complex(item.type.dtype) ? word(b.imag(item.values[0])) : constant(0).values[0]);
    return;
  }
  if (!item.type.is_array_like())
    fail(node, format("{} as an argument of a function of NumPy", describe(item.type)), "numbers, arrays and tuples");
  ArrayView view = view_of(in_memory(node, item));
  if (view.bases.size() > 1) view = view_of(copy_of(node, item));
  const ArrayView::Base& base = view.bases[0];
  kind(HostArgument::array);
  number(base.array.id);
  number(static_cast<int64_t>(base.begins.size()));
  words.insert(words.end(), base.begins.begin(), base.begins.end());
  number(static_cast<int64_t>(view.axes.size()));
  for (size_t k = 0; k < view.axes.size(); ++k) {
    number(base.kept[k]);
    words.push_back(view.axes[k].step);
    words.push_back(view.axes[k].extent);
  }
}

Item Lowering::call_numpy(const Call& call, size_t routine, const std::vector<Type>& results) {
  const std::string_view name = host_routines()[routine].name;
  if (!options_.is_function)
    refuse(call.node, format("{} in a kernel or a ufunc", name), "a function with @jit, or the call outside");
  if (parallel_depth_ > 0) refuse(call.node, format("{} in prange", name), "range, or the call outside of the loop");
  std::vector<ir::Value> words;
  const auto number = [&](size_t value) { words.push_back(constant(static_cast<int64_t>(value)).values[0]); };
  number(routine);
  number(results.size());
  for (const Type& type : results) {
    number(static_cast<size_t>(type.dtype));
    number(static_cast<size_t>(type.axes));
  }
  number(call.args.size());
  for (const Item& item : call.args) append_argument(call.node, item, words);
  b.call_host(static_cast<uint32_t>(HostFunction::call_numpy), words);
  int64_t read = 0;
  const auto next = [&] {
    const std::vector<ir::Value> at{constant(read++).values[0]};
    return b.call_host(static_cast<uint32_t>(HostFunction::result_word), at);
  };
  std::vector<Item> items;
  for (const Type& type : results) {
    const ir::Value first = next();
    if (type.axes == 0) {
      const ir::Value second = next();
      const auto part = [&](ir::Value word, DType to) {
        return b.cast(is_floating(to) ? b.bitcast(word, DType::float64) : word, to);
      };
      const DType real = type.dtype == DType::complex64    ? DType::float32
                         : type.dtype == DType::complex128 ? DType::float64
                                                           : type.dtype;
      items.push_back(scalar(is_complex(type.dtype) ? b.make_complex(part(first, real), part(second, real))
                                                    : part(first, type.dtype)));
      continue;
    }
    std::vector<ir::Value> extents;
    for (int axis = 0; axis < type.axes; ++axis) {
      extents.push_back(next());
      facts_.set_lower_bound(extents.back(), 0);
    }
    items.push_back(own_array(type.dtype, first, extents));
  }
  return items.empty() ? Item{} : items.size() == 1 ? items[0] : tuple_of(items);
}

}  // namespace tessera::kernel
