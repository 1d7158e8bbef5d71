#include "tessera/routines/networks/structure.h"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tessera/base/error.h"
#include "tessera/bind/networks/array_calls.h"
#include "tessera/bind/networks/functions.h"
#include "tessera/bind/networks/results.h"

namespace tessera::bind::networks {

namespace {

nb::object core_numbers(const Network& network) {
  if (ArrayCall::is_worthwhile(network))
    return numbers_of_all(network, ArrayCall(network)
                                       .rows(RowsOf::graph)
                                       .rows(network.directed() ? RowsOf::back : RowsOf::graph)
                                       .run("core_numbers", {network.directed()})
                                       .result<int64_t>(0));
  const auto values = unlocked(network, [&] {
    return routines::networks::core_numbers(network.graph(), network.directed() ? network.back() : CsrView{});
  });
  return numbers_of_all(network, values);
}

std::vector<int64_t> triangle_counts(const Network& network) {
  if (ArrayCall::is_worthwhile(network) && network.simple().arcs() > 0)
    return ArrayCall(network).rows(RowsOf::simple).run("triangles", {}).result<int64_t>(0);
  return unlocked(network, [&] { return routines::networks::triangles(network.simple()); });
}

nb::object triangles(const Network& network) { return numbers_of_all(network, triangle_counts(network)); }

/// The coefficient of each node.
std::vector<double> undirected_clustering(const Network& network) {
  const auto closed = triangle_counts(network);
  const CsrView simple = network.simple();
  std::vector<double> result(closed.size());
  for (size_t v = 0; v < closed.size(); ++v) {
    const auto degree = static_cast<double>(simple.degree(static_cast<int64_t>(v)));
    if (closed[v]) result[v] = static_cast<double>(2 * closed[v]) / (degree * (degree - 1));
  }
  return result;
}

std::vector<double> weighted_clustering(const Network& network, const Column& column) {
  const CsrView graph = network.graph(), simple = network.simple();
  double largest = graph.arcs() == 0 ? 1 : column.least[0];
  for (double weight : column.least) largest = std::max(largest, weight);
  auto result = routines::networks::weighted_triangles(graph, column.least, largest);
  for (size_t v = 0; v < result.size(); ++v) {
    const auto degree = static_cast<double>(simple.degree(static_cast<int64_t>(v)));
    if (result[v] != 0) result[v] /= degree * (degree - 1);
  }
  return result;
}

std::vector<double> directed_clustering(const Network& network, const Column* column) {
  std::vector<double> in;
  double largest = 1;
  if (column) {
    in.resize(column->least.size());
    if (!in.empty()) largest = *std::ranges::max_element(column->least);
    for (size_t a = 0; a < in.size(); ++a) in[a] = column->least[network.back_arcs()[a]];
  }
  auto [sums, degrees, mutual] = routines::networks::directed_triangles(
      network.graph(), network.back(), column ? std::span<const double>(column->least) : std::span<const double>{}, in,
      largest);
  for (size_t v = 0; v < sums.size(); ++v)
    if (sums[v] != 0) sums[v] /= static_cast<double>((degrees[v] * (degrees[v] - 1) - 2 * mutual[v]) * 2);
  return std::move(sums);
}

/// NetworkX's value where nothing closes is the whole number 0.
nb::object coefficients(const Network& network, const std::vector<double>& values) {
  return dictionary_of_all(
      network, [&](int64_t v) { return values[v] == 0 ? PyLong_FromLong(0) : PyFloat_FromDouble(values[v]); });
}

nb::object clustering(const Network& network, nb::handle weight) {
  const Column* column = nullptr;
  if (!weight.is_none()) {
    column = &network.column(weight.ptr());
    require<NotImplementedError>(!column->nan, "NaN as a weight has no largest value to divide by");
    require<NotImplementedError>(column->least.empty() || *std::ranges::max_element(column->least) != 0,
                                 "the largest weight is zero, by which the others would be divided");
  }
  if (!network.directed() && !column) return coefficients(network, undirected_clustering(network));
  return coefficients(network, unlocked(network, [&] {
                        return network.directed() ? directed_clustering(network, column)
                                                  : weighted_clustering(network, *column);
                      }));
}

/// Twice three times the triangles, and the pairs of neighbours twice.
nb::object triangle_closure(const Network& network) {
  int64_t closed = 0, pairs = 0;
  for (int64_t count : triangle_counts(network)) closed += 2 * count;
  const CsrView simple = network.simple();
  for (int64_t v = 0; v < simple.nodes(); ++v) pairs += simple.degree(v) * (simple.degree(v) - 1);
  return nb::make_tuple(closed, pairs);
}

nb::object square_clustering(const Network& network) {
  return coefficients(network,
                      unlocked(network, [&] { return routines::networks::square_clustering(network.simple()); }));
}

std::vector<int64_t> degrees_of(const Network& network) {
  std::vector<int64_t> result(network.nodes());
  const CsrView graph = network.graph();
  for (int64_t v = 0; v < network.nodes(); ++v) {
    result[v] = graph.degree(v);
    for (Node u : graph.row(v)) result[v] += u == v;
  }
  return result;
}

/// Indices of two nodes, by what NetworkX calls them.
class Prediction {
 public:
  Prediction(const Network& network, std::string_view kind)
      : kind_(kind), graph_(network.graph()), simple_(network.simple()), degrees_(degrees_of(network)) {}

  /// A new reference.
  PyObject* of(Node u, Node v) {
    if (kind_ == "preferential_attachment") return PyLong_FromLongLong(degrees_[u] * degrees_[v]);
    routines::networks::common_neighbours(simple_.row(u), simple_.row(v), common_);
    if (kind_ == "common_neighbors") return PyLong_FromSize_t(common_.size());
    if (kind_ == "jaccard") return jaccard(u, v);
    if (common_.empty()) return PyLong_FromLong(0);
    double sum = 0;
    for (Node node : common_) {
      const auto degree = static_cast<double>(degrees_[node]);
      const double divisor = kind_ == "resource_allocation" ? degree : std::log(degree);
      require<ZeroDivisionError>(divisor != 0, "float division by zero");
      sum += 1.0 / divisor;
    }
    return PyFloat_FromDouble(sum);
  }

 private:
  /// Neighbours include the nodes themselves where they have loops.
  PyObject* jaccard(Node u, Node v) {
    const bool joined = std::ranges::binary_search(simple_.row(u), v);
    int64_t both = static_cast<int64_t>(common_.size());
    if (u == v)
      both = graph_.degree(u);
    else if (joined)
      both += (graph_.degree(u) - simple_.degree(u)) + (graph_.degree(v) - simple_.degree(v));
    const int64_t all = graph_.degree(u) + graph_.degree(v) - both;
    if (all == 0) return PyLong_FromLong(0);
    return PyFloat_FromDouble(static_cast<double>(common_.size()) / static_cast<double>(all));
  }

  std::string_view kind_;
  CsrView graph_, simple_;
  std::vector<int64_t> degrees_;
  std::vector<Node> common_;
};

/// The index of each pair; pairs are numbers of nodes, one after another.
nb::list predict(const Network& network, const char* kind, const std::vector<Node>& first,
                 const std::vector<Node>& second) {
  Prediction prediction(network, kind);
  nb::list result;
  for (size_t i = 0; i < first.size(); ++i)
    checked(PyList_Append(result.ptr(), owned(prediction.of(first[i], second[i])).get()));
  return result;
}

/// How many arcs go to a node from which one comes back, loops not among them.
int64_t reciprocal(const Network& network) {
  return unlocked(network, [&] {
    const auto out = routines::networks::simple_rows(network.graph());
    const auto in = routines::networks::simple_rows(network.back());
    std::vector<Node> both;
    int64_t count = 0;
    for (int64_t v = 0; v < network.nodes(); ++v) {
      routines::networks::common_neighbours(out.view().row(v), in.view().row(v), both);
      count += static_cast<int64_t>(both.size());
    }
    return count;
  });
}

/// {node: the set of its neighbours}.
nb::object neighbour_sets(const Network& network) {
  return dictionary_of_all(network, [&](int64_t v) { return label_set(network, network.graph().row(v)).release(); });
}

/// Rows, targets and weights as bytes, for matrices; weights of parallel edges are added, or are counts where `weight`
/// is None.
nb::object rows(const Network& network, nb::handle weight) {
  const CsrView graph = network.graph();
  std::vector<double> counted;
  const auto bytes = [](const auto& values) {
    return nb::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0]));
  };
  if (!weight.is_none()) {
    const Column& column = network.column(weight.ptr());
    const auto& values = network.multigraph() ? column.sum : column.least;
    if (network.multigraph() && !column.floats)
      for (const double sum : values)
        require<NotImplementedError>(std::abs(sum) < 0x1p53,
                                     "the sum of parallel edges is a whole number beyond 2**53");
    return nb::make_tuple(bytes(graph.offsets), bytes(graph.targets), bytes(values), column.floats);
  }
  counted.assign(graph.arcs(), 1.0);
  if (network.multigraph()) counted.assign(network.multiplicity().begin(), network.multiplicity().end());
  return nb::make_tuple(bytes(graph.offsets), bytes(graph.targets), bytes(counted), false);
}

}  // namespace

void bind_structure(nb::module_& m) {
  m.def("core_numbers", &core_numbers);
  m.def("triangles", &triangles);
  m.def("clustering", &clustering, nb::arg(), nb::arg("weight").none());
  m.def("closure", &triangle_closure);
  m.def("square_clustering", &square_clustering);
  m.def("reciprocal", &reciprocal);
  m.def("neighbour_sets", &neighbour_sets);
  m.def("predict", &predict);
  m.def("rows", &rows, nb::arg(), nb::arg("weight").none());
}

}  // namespace tessera::bind::networks
