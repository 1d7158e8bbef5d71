#include "tessera/bind/kernel/report_text.h"

#include <Python.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <string>

#include "tessera/base/format.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/errors.h"

namespace tessera::bind {

using kernel::ReportLayout;
using kernel::ReportPart;
using kernel::ReportSite;

namespace {

/// A float as C prints it or, of functions, as Python does.
std::string written(const ReportPart& part, int64_t word, bool of_kernel) {
  if (!part.is_word) return part.text;
  if (part.dtype == DType::boolean) return word ? "True" : "False";
  if (part.dtype == DType::uint64) return std::to_string(static_cast<uint64_t>(word));
  if (part.dtype == DType::int64) return std::to_string(word);
  if (!of_kernel) {
    char* const repr = PyOS_double_to_string(std::bit_cast<double>(word), 'r', 0, Py_DTSF_ADD_DOT_0, nullptr);
    if (!repr) throw ErrorAlreadySet();
    std::string own = repr;
    PyMem_Free(repr);
    return own;
  }
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%f", std::bit_cast<double>(word));
  return text.data();
}

Object python_value(const ReportPart& part, int64_t word) {
  if (!part.is_word)
    return owned(PyUnicode_FromStringAndSize(part.text.data(), static_cast<Py_ssize_t>(part.text.size())));
  if (part.dtype == DType::boolean) return owned(PyBool_FromLong(word != 0));
  if (part.dtype == DType::uint64) return owned(PyLong_FromUnsignedLongLong(static_cast<uint64_t>(word)));
  if (part.dtype == DType::int64) return owned(PyLong_FromLongLong(word));
  return owned(PyFloat_FromDouble(std::bit_cast<double>(word)));
}

size_t words_of(const ReportSite& site) {
  return static_cast<size_t>(std::ranges::count_if(site.parts, &ReportPart::is_word));
}

std::string listed(std::span<const int64_t> three) { return format("[{}, {}, {}]", three[0], three[1], three[2]); }

}  // namespace

void print_lines(std::span<const ReportSite> sites, std::span<const int64_t> lines, int64_t words, bool of_kernel) {
  std::string text;
  size_t at = 0;
  const auto written_words = static_cast<size_t>(std::min(words, ReportLayout::line_words));
  while (at < written_words && lines[at] > 0) {
    const ReportSite& site = sites[static_cast<size_t>(lines[at] - 1)];
    if (at + words_of(site) + 1 > lines.size()) break;
    ++at;
    for (const ReportPart& part : site.parts) text += written(part, part.is_word ? lines[at++] : 0, of_kernel);
    text += "\n";
  }
  if (words > ReportLayout::line_words)
    text += format("... the lines of {} were more than {} bytes: some are not printed\n", sites[0].function,
                   8 * ReportLayout::line_words);
  Object out = owned(Py_XNewRef(PySys_GetObject("stdout")));
  if (out.get() != Py_None) owned(PyObject_CallMethod(out.get(), "write", "s", text.c_str()));
}

void throw_report(std::span<const ReportSite> sites, std::span<const int64_t> report, bool of_kernel) {
  const ReportSite& site = sites[static_cast<size_t>(report[ReportLayout::site] - 1)];
  std::string where = format("In function '{}', file {}, line {}", site.function, site.file, site.line);
  if (of_kernel)
    where += format(", tid={} ctaid={}", listed(report.subspan(ReportLayout::thread, 3)),
                    listed(report.subspan(ReportLayout::block, 3)));
  Object values = owned(PyList_New(0));
  auto at = static_cast<size_t>(ReportLayout::values);
  std::string text;
  for (const ReportPart& part : site.parts) {
    const int64_t word = part.is_word ? report[at++] : 0;
    if (site.is_one_text) {
      text += written(part, word, of_kernel);
      continue;
    }
    Object value = python_value(part, word);
    checked(PyList_Append(values.get(), value.get()));
  }
  if (site.is_one_text) checked(PyList_Append(values.get(), python_value({.text = text}, 0).get()));
  static PyObject* make_exception = import_attribute("tessera.functions.exceptions", "make");
  Object exception = owned(PyObject_CallFunction(make_exception, "LsOi", static_cast<long long>(site.exception),
                                                 where.c_str(), values.get(), int{of_kernel}));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
  throw ErrorAlreadySet();
}

}  // namespace tessera::bind
