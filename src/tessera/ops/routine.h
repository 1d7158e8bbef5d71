/// Routine: the descriptor of an operation that is neither elementwise nor a reduction, such as a sort or a search: its
/// name, parameters, inference and cost. Implementations are registered beside it (routines/table.h).
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tessera/layout/view.h"
#include "tessera/ops/cost.h"

namespace tessera::ops {

enum class ParameterKind : uint8_t {
  array,
  arrays,  // a sequence of any number
  integer,
  boolean,
  real,
  integers,  // a sequence; the last parameter
};

/// A parameter as Python callers see it; one without a default is required.
struct Parameter {
  std::string_view name;
  ParameterKind kind = ParameterKind::array;
  std::optional<double> otherwise = {};  // the default of a parameter that is not an array
};

/// One argument that is not an array.
class Argument {
 public:
  Argument(int64_t value) : bits_(value) {}
  Argument(int value) : bits_(value) {}
  Argument(bool value) : bits_(value) {}
  Argument(DType value) : bits_(static_cast<int64_t>(value)) {}
  Argument(double value) : bits_(std::bit_cast<int64_t>(value)) {}
  int64_t bits() const { return bits_; }

 private:
  int64_t bits_;
};

/// The arguments of a call that are not arrays, in the order of the routine's parameters.
class Arguments {
 public:
  Arguments() = default;
  Arguments(std::initializer_list<Argument> values) {
    for (const Argument& value : values) add(value);
  }
  void add(const Argument& value) { bits_.push_back(value.bits()); }
  int size() const { return static_cast<int>(bits_.size()); }
  int64_t integer(int k) const { return bits_[static_cast<size_t>(k)]; }
  bool boolean(int k) const { return integer(k) != 0; }
  double real(int k) const { return std::bit_cast<double>(integer(k)); }
  DType dtype(int k) const { return static_cast<DType>(integer(k)); }
  /// All from number `first` on, for a list at the end.
  std::span<const int64_t> from(int first) const {
    return std::span<const int64_t>(bits_).subspan(static_cast<size_t>(first));
  }
  std::span<const int64_t> bits() const { return bits_; }

 private:
  SmallVector<int64_t, 4> bits_;
};

/// A call as inference and costs see it: the operands' shapes and dtypes, and the other arguments.
struct CallView {
  std::span<const View* const> operands;
  const Arguments& arguments;
  const View& operand(int k) const { return *operands[static_cast<size_t>(k)]; }
};

/// A new array, in C order.
struct ResultType {
  Dims shape;
  DType dtype = DType::float64;
};

/// When a call runs. Calls are recorded where shapes, dtypes and errors do not depend on elements.
enum class CallTime : uint8_t {
  recorded,
  when_settled,  // recorded, but at once where the operands are settled on the host
  at_call,
};

struct Routine {
  std::string_view name;  // NumPy's name, or tessera's where NumPy has none
  std::string_view doc;
  std::vector<Parameter> parameters;
  int result_count = 1;
  /// Fills in the results' types, unless they depend on elements; throws what NumPy raises for these shapes, dtypes and
  /// arguments.
  void (*infer)(const CallView& call, std::span<ResultType> results) = nullptr;
  Cost (*cost)(const CallView& call) = nullptr;
  CallTime time = CallTime::recorded;
  uint16_t id = 0;            // set by the table
  bool vendor_bits = false;   // bits differ between a vendor's library and the host's
  bool writes_first = false;  // operand 0 is written in place, so it runs at the call; other operands are copies where
                              // they share its memory
};

}  // namespace tessera::ops
