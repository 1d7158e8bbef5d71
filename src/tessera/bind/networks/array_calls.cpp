#include "tessera/bind/networks/array_calls.h"

#include "tessera/bind/engine/call_site.h"
#include "tessera/engine/engine.h"

namespace tessera::bind::networks {

namespace {

/// Graphs whose rows take fewer bytes are computed before the engine would have been asked.
constexpr int64_t least_bytes = 1 << 16;

enum Tag { as_they_are, in_order_of_back };

Array array_of(const void* elements, int64_t count, DType dtype) {
  return Engine::instance().copy_of(static_cast<const char*>(elements), View::contiguous(std::span(&count, 1), dtype));
}

DType dtype_of(double) { return DType::float64; }
DType dtype_of(int64_t) { return DType::int64; }
DType dtype_of(Node) { return DType::int32; }

template <class Value>
Array array_of(std::span<const Value> values) {
  return array_of(values.data(), static_cast<int64_t>(values.size()), dtype_of(Value{}));
}

template <class Value>
Array kept(const Network& network, std::span<const Value> values) {
  return network.kept_array(values.data(), as_they_are, [&] { return array_of(values); });
}

}  // namespace

bool ArrayCall::is_worthwhile(const Network& network) {
  const auto arcs = static_cast<int64_t>(sizeof(Node)) * network.graph().arcs();
  return arcs + 8 * network.nodes() >= least_bytes && arcs > 0 && Engine::instance().devices().may_leave_host();
}

bool ArrayCall::is_wanted() { return Engine::instance().devices().leaves_host(); }

ArrayCall& ArrayCall::rows(RowsOf which) {
  const CsrView rows = which == RowsOf::graph  ? network_.graph()
                       : which == RowsOf::back ? network_.back()
                                               : network_.simple();
  operands_.push_back(kept(network_, rows.offsets));
  // A graph of loops alone has no arcs left among its simple rows.
  operands_.push_back(rows.targets.empty() ? array_of(rows.targets) : kept(network_, rows.targets));
  return *this;
}

ArrayCall& ArrayCall::incoming(std::span<const double> column) {
  static constexpr double none[] = {1};
  rows(network_.directed() ? RowsOf::back : RowsOf::graph);
  if (column.empty()) {
    operands_.push_back(array_of(std::span<const double>(none)));
  } else if (!network_.directed()) {
    return arcs(column);
  } else {
    operands_.push_back(network_.kept_array(column.data(), in_order_of_back, [&] {
      std::vector<double> ordered;
      for (int64_t arc : network_.back_arcs()) ordered.push_back(column[arc]);
      return array_of(std::span<const double>(ordered));
    }));
  }
  return *this;
}

ArrayCall& ArrayCall::arcs(std::span<const double> column) {
  operands_.push_back(kept(network_, column));
  return *this;
}

ArrayCall& ArrayCall::arcs(std::span<const int64_t> column) {
  operands_.push_back(kept(network_, column));
  return *this;
}

ArrayCall& ArrayCall::values(std::span<const double> values) {
  operands_.push_back(array_of(values));
  return *this;
}

ArrayCall& ArrayCall::values(std::span<const int64_t> values) {
  operands_.push_back(array_of(values));
  return *this;
}

ArrayCall& ArrayCall::nodes(std::span<const Node> nodes) {
  const std::vector<int64_t> numbers(nodes.begin(), nodes.end());
  return values(std::span<const int64_t>(numbers));
}

ArrayCall& ArrayCall::run(std::string_view routine, const ops::Arguments& arguments) {
  const AlgorithmTimer timer;
  results_ = Engine::instance().call(Engine::routine(routine), operands_, arguments, current_context());
  for (const Array& result : results_) Engine::instance().read(result);
  return *this;
}

std::vector<Node> ArrayCall::result_nodes(int k) const {
  const auto [data, count] = read(k);
  const auto* begin = reinterpret_cast<const int64_t*>(data);
  std::vector<Node> nodes;
  nodes.reserve(count);
  for (int64_t i = 0; i < count; ++i) nodes.push_back(static_cast<Node>(begin[i]));
  return nodes;
}

std::pair<const char*, int64_t> ArrayCall::read(int k) const {
  const Array& result = results_[static_cast<size_t>(k)];
  return {Engine::instance().read(result), result.size()};
}

}  // namespace tessera::bind::networks
