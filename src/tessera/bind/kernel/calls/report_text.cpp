#include "tessera/bind/kernel/calls/report_text.h"

#include <Python.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <string>

#include "tessera/base/format.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/engine/kept.h"
#include "tessera/bind/kernel/memory/text_memory.h"
#include "tessera/bind/kernel/type_words.h"

namespace tessera::bind {

using kernel::ReportLayout;
using kernel::ReportPart;
using kernel::ReportSite;

namespace {

std::string repr_of(double value, char format, int digits) {
  char* const repr = PyOS_double_to_string(value, format, digits, Py_DTSF_ADD_DOT_0, nullptr);
  if (!repr) throw ErrorAlreadySet();
  std::string own = repr;
  PyMem_Free(repr);
  return own;
}

std::string str_of_object(PyObject* object) {
  const Object text = owned(PyObject_Str(object));
  const char* bytes = PyUnicode_AsUTF8(text.get());
  if (!bytes) throw ErrorAlreadySet();
  return bytes;
}

/// As Python and NumPy write complex numbers.
std::string written_complex(const ReportPart& part, std::span<const int64_t> words) {
  static constinit Imported write("tessera.functions.printed", "write_complex");
  return str_of_object(owned(PyObject_CallFunction(write, "ddi", std::bit_cast<double>(words[0]),
                                                   std::bit_cast<double>(words[1]), int{part.is_single}))
                           .get());
}

/// A float as C prints it or, of functions, as Python does.
std::string written(const ReportPart& part, std::span<const int64_t> words, bool of_kernel) {
  if (!part.is_word) return part.text;
  if (is_complex(part.dtype)) return written_complex(part, words);
  const int64_t word = words[0];
  if (part.is_kept) {
    static constinit Imported take("tessera.functions.printed", "take");
    return str_of_object(owned(PyObject_CallFunction(take, "L", static_cast<long long>(word))).get());
  }
  if (part.is_string) {
    const Object text = owned(part.is_string == 'b' ? python_bytes(word) : python_text(word)),
                 repr = owned(PyObject_Repr(text.get()));
    return str_of_object(part.is_string == 's' ? text.get() : repr.get());
  }
  if (!part.texts.empty()) return part.texts.at(static_cast<size_t>(word));
  if (part.dtype == DType::boolean) return word ? "True" : "False";
  if (part.dtype == DType::uint64) return std::to_string(static_cast<uint64_t>(word));
  if (part.dtype == DType::int64) return std::to_string(word);
  if (!of_kernel) return repr_of(std::bit_cast<double>(word), 'r', 0);
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%f", std::bit_cast<double>(word));
  return text.data();
}

Object python_value(const ReportPart& part, std::span<const int64_t> words) {
  if (part.is_none) return Object(Py_NewRef(Py_None));
  if (part.is_word && !part.texts.empty()) return owned(from_utf8(part.texts.at(static_cast<size_t>(words[0]))));
  if (!part.is_word)
    return owned(PyUnicode_FromStringAndSize(part.text.data(), static_cast<Py_ssize_t>(part.text.size())));
  const int64_t word = words[0];
  if (part.is_string) return owned(part.is_string == 'b' ? python_bytes(word) : python_text(word));
  if (is_complex(part.dtype))
    return owned(PyComplex_FromDoubles(std::bit_cast<double>(word), std::bit_cast<double>(words[1])));
  if (part.dtype == DType::boolean) return owned(PyBool_FromLong(word != 0));
  if (part.dtype == DType::uint64) return owned(PyLong_FromUnsignedLongLong(static_cast<uint64_t>(word)));
  if (part.dtype == DType::int64) return owned(PyLong_FromLongLong(word));
  return owned(PyFloat_FromDouble(std::bit_cast<double>(word)));
}

/// The text of these values, one after the other.
Object joined_text(PyObject* values) {
  std::string all;
  for (Py_ssize_t k = 0; k < PyList_GET_SIZE(values); ++k) all += str_of_object(PyList_GET_ITEM(values, k));
  return owned(PyUnicode_FromStringAndSize(all.data(), static_cast<Py_ssize_t>(all.size())));
}

size_t words_of(const ReportSite& site) {
  size_t count = 0;
  for (const ReportPart& part : site.parts) count += part.words();
  return count;
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
    for (const ReportPart& part : site.parts) {
      text += written(part, lines.subspan(at, part.words()), of_kernel);
      at += part.words();
    }
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
  std::vector<Object> outer;  // of the tuples around
  auto at = static_cast<size_t>(ReportLayout::values);
  std::string text;
  for (const ReportPart& part : site.parts) {
    const std::span<const int64_t> words = report.subspan(at, part.words());
    at += part.words();
    if (site.is_one_text) {
      text += written(part, words, of_kernel);
    } else if (part.bracket == '(' || part.bracket == '[' || part.bracket == '{') {
      outer.push_back(std::move(values));
      values = owned(PyList_New(0));
    } else {
      Object value = part.bracket == ')'   ? owned(PyList_AsTuple(values.get()))
                     : part.bracket == ']' ? std::move(values)
                     : part.bracket == '}' ? joined_text(values.get())
                                           : python_value(part, words);
      if (part.bracket) {
        values = std::move(outer.back());
        outer.pop_back();
      }
      if (PyList_Append(values.get(), value.get()) < 0) throw ErrorAlreadySet();
    }
  }
  if (site.is_one_text && PyList_Append(values.get(), python_value({.text = text}, {}).get()) < 0)
    throw ErrorAlreadySet();
  static constinit Imported make_exception("tessera.functions.exceptions", "make");
  Object exception =
      owned(PyObject_CallFunction(make_exception, "LsOissi", static_cast<long long>(site.exception), where.c_str(),
                                  values.get(), int{of_kernel}, site.function.c_str(), site.file.c_str(), site.line));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
  throw ErrorAlreadySet();
}

}  // namespace tessera::bind
