/// ArrayCall: an algorithm as a call of the engine's table, on arrays of a graph's rows.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/bind/networks/results.h"
#include "tessera/ops/routine.h"

namespace tessera::bind::networks {

/// Which rows of a graph.
enum class RowsOf : uint8_t { graph, back, simple };

/// Operands in the order of the routine's parameters; arrays of the graph are kept with it, so they stay where they
/// were used.
class ArrayCall {
 public:
  /// Whether the engine should be asked at all: the thread's work may run on a device, and the graph is not small.
  static bool is_worthwhile(const Network& network);

  /// Whether a device was chosen, on which the algorithms that have a form for it are to run.
  static bool is_wanted();

  explicit ArrayCall(const Network& network) : network_(network) {}

  ArrayCall& rows(RowsOf which);
  /// The rows of the arcs that lead to each node, and a number for each of a column of the graph. Where there are none,
  /// a number that is not read.
  ArrayCall& incoming(std::span<const double> column);
  /// One number an arc of graph().
  ArrayCall& arcs(std::span<const double> column);
  ArrayCall& arcs(std::span<const int64_t> column);
  /// Elements for this call alone.
  ArrayCall& values(std::span<const double> values);
  ArrayCall& values(std::span<const int64_t> values);
  /// The same for nodes.
  ArrayCall& nodes(std::span<const Node> nodes);

  /// Runs the routine; the results are read on the host.
  ArrayCall& run(std::string_view routine, const ops::Arguments& arguments);
  template <class Value>
  std::vector<Value> result(int k) const {
    const auto [data, count] = read(k);
    const auto* begin = reinterpret_cast<const Value*>(data);
    return {begin, begin + count};
  }
  /// Numbers that are int64 there.
  std::vector<Node> result_nodes(int k) const;

 private:
  std::pair<const char*, int64_t> read(int k) const;

  const Network& network_;
  std::vector<Array> operands_, results_;
};

}  // namespace tessera::bind::networks
