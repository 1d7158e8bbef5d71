#include "tessera/bind/function/einsum_shortcut.h"

#include <array>
#include <cctype>
#include <optional>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/scalar/elements.h"
#include "tessera/eager/host_array.h"
#include "tessera/library/host/sum_of_products.h"

namespace tessera::bind {

namespace {

/// Above this many products, pairwise contraction with the matrix library is faster.
constexpr int64_t most_products = 8192;

/// Subscripts of letters, commas and one arrow; other forms are left to the Python code.
struct Subscripts {
  std::array<std::array<char, 8>, 4> terms;
  std::array<int, 4> lengths{};
  int count = 0;
  std::array<char, 8> output;
  int kept = 0;
  bool has_output = false;

  static std::optional<Subscripts> read(const char* text, Py_ssize_t size) {
    Subscripts result;
    result.count = 1;
    for (Py_ssize_t k = 0; k < size; ++k) {
      char c = text[k];
      if (std::isalpha(static_cast<unsigned char>(c))) {
        int& length = result.has_output ? result.kept : result.lengths[result.count - 1];
        if (length == 8) return {};
        (result.has_output ? result.output : result.terms[result.count - 1])[length++] = c;
      } else if (c == ',' && !result.has_output && result.count < 4) {
        ++result.count;
      } else if (c == '-' && k + 1 < size && text[k + 1] == '>' && !result.has_output) {
        result.has_output = true;
        ++k;
      } else if (c != ' ') {
        return {};
      }
    }
    if (!result.has_output && !result.imply_output()) return {};
    return result;
  }

  /// Without an arrow: the labels that occur once, in alphabetical order.
  bool imply_output() {
    std::array<int, 128> seen{};
    for (int t = 0; t < count; ++t) {
      for (int k = 0; k < lengths[t]; ++k) ++seen[static_cast<int>(terms[t][k])];
    }
    for (int c = 0; c < 128; ++c) {
      if (seen[c] != 1) continue;
      if (kept == 8) return false;
      output[kept++] = static_cast<char>(c);
    }
    return true;
  }
};

/// The labels in loop order: the output's first, then the summed ones.
struct Labels {
  std::array<int8_t, 128> place;
  Dims extents;

  Labels() { place.fill(-1); }
  bool add(char label, int64_t extent) {
    int8_t& at = place[static_cast<int>(label)];
    if (at < 0) {
      at = static_cast<int8_t>(extents.size());
      extents.push_back(extent);
      return true;
    }
    if (extents[at] < 0) extents[at] = extent;
    return extents[at] == extent;
  }
};

}  // namespace

PyObject* einsum_shortcut(PyObject* const* args, Py_ssize_t nargs) {
  if (nargs < 2 || nargs > 5 || !PyUnicode_CheckExact(args[0]) || !PyUnicode_IS_COMPACT_ASCII(args[0])) return nullptr;
  for (Py_ssize_t k = 1; k < nargs; ++k) {
    if (Py_TYPE(args[k]) != ndarray_type) return nullptr;
  }
  return guarded([&]() -> PyObject* {
    auto* text = reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(args[0]));
    std::optional<Subscripts> read = Subscripts::read(text, PyUnicode_GET_LENGTH(args[0]));
    if (!read || read->count != nargs - 1) return nullptr;
    DType dtype = as_ndarray(args[1])->array.dtype();
    if (!library::has_sum_of_products(dtype)) return nullptr;

    Labels labels;
    for (int k = 0; k < read->kept; ++k) {
      if (labels.place[static_cast<int>(read->output[k])] >= 0) return nullptr;  // repeated: Python code reports it
      labels.add(read->output[k], -1);
    }
    for (int t = 0; t < read->count; ++t) {
      const Array& array = as_ndarray(args[t + 1])->array;
      if (array.dtype() != dtype || array.ndim() != read->lengths[t] || !eager::readable(array)) return nullptr;
      for (int k = 0; k < read->lengths[t]; ++k) {
        if (!labels.add(read->terms[t][k], array.shape()[k])) return nullptr;
      }
    }
    int64_t products = 1;
    for (int64_t extent : labels.extents) {
      if (extent < 0) return nullptr;  // the label occurs only in the output
      products *= extent;
      if (products > most_products) return nullptr;
    }
    int all = static_cast<int>(labels.extents.size());
    if (read->count == 1 && read->kept == all) return nullptr;  // a view

    std::array<library::Factor, 4> factors;
    for (int t = 0; t < read->count; ++t) {
      const Array& array = as_ndarray(args[t + 1])->array;
      library::Factor factor{eager::readable(array) + array.view.offset, {}};
      for (int k = 0; k < all; ++k) factor.steps.push_back(0);
      for (int k = 0; k < read->lengths[t]; ++k) {
        factor.steps[labels.place[static_cast<int>(read->terms[t][k])]] += array.view.strides[k];
      }
      factors[t] = std::move(factor);
    }
    Engine& engine = Engine::instance();
    Dims shape;
    for (int k = 0; k < read->kept; ++k) shape.push_back(labels.extents[k]);
    Array result = engine.empty(shape, dtype);
    library::sum_of_products({factors.data(), static_cast<size_t>(read->count)}, labels.extents, read->kept, dtype,
                             engine.write(result));
    return read->kept ? wrap(std::move(result)) : wrap_result(std::move(result));
  });
}

}  // namespace tessera::bind
