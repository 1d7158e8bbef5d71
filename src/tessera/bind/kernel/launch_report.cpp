#include "tessera/bind/kernel/launch_report.h"

#include <Python.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "tessera/bind/array/object.h"
#include "tessera/bind/convert/python_call.h"
#include "tessera/bind/engine/reports.h"

namespace tessera::bind {

using kernel::ReportLayout;
using kernel::ReportPart;
using kernel::ReportSite;

namespace {

/// Reports that nobody has looked at since a launch, in the order of the launches.
std::vector<std::shared_ptr<LaunchReport>>& pending() {
  static auto& all = *new std::vector<std::shared_ptr<LaunchReport>>;
  return all;
}

bool some_has_failed() {
  const auto reports = pending();  // others may launch while this thread waits
  return std::ranges::any_of(reports, [](const auto& report) { return report->has_failed(); });
}

Array zeros(int64_t words) {
  Engine& engine = Engine::instance();
  Array array = engine.empty(std::array{words}, DType::int64);
  std::memset(engine.write(array), 0, static_cast<size_t>(8 * words));
  return array;
}

/// As C prints it.
std::string written(const ReportPart& part, int64_t word) {
  if (!part.is_word) return part.text;
  if (part.dtype == DType::boolean) return word ? "True" : "False";
  if (part.dtype == DType::uint64) return std::to_string(static_cast<uint64_t>(word));
  if (part.dtype == DType::int64) return std::to_string(word);
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

// What one raises leaves the others for the next wait.
void check_launches() {
  while (!pending().empty()) {
    const std::shared_ptr<LaunchReport> report = pending().front();
    report->check();
  }
}

LaunchReport::LaunchReport(std::vector<ReportSite> sites, bool prints, bool at_once)
    : sites_(std::move(sites)), report_(zeros(ReportLayout::size)), at_once_(at_once) {
  if (prints) lines_.push_back(zeros(ReportLayout::line_words));
}

void LaunchReport::append_to(std::vector<Array>& arrays) const {
  arrays.push_back(report_);
  arrays.insert(arrays.end(), lines_.begin(), lines_.end());
}

void LaunchReport::note_launch(const std::shared_ptr<LaunchReport>& self) {
  if (!std::exchange(is_pending_, true)) pending().push_back(self);
  at_next_wait = check_launches;
  next_wait_throws = some_has_failed;
  if (at_once_) check();
}

void LaunchReport::check() {
  if (std::exchange(is_pending_, false)) std::erase_if(pending(), [&](const auto& one) { return one.get() == this; });
  if (pending().empty()) at_next_wait = nullptr;
  std::array<int64_t, ReportLayout::size> report;
  std::memcpy(report.data(), Engine::instance().read(report_), sizeof(report));
  if (report[ReportLayout::site] == 0 && report[ReportLayout::printed] == 0) return;
  std::memset(Engine::instance().write(report_), 0, sizeof(report));
  if (report[ReportLayout::printed] > 0) print_lines(report[ReportLayout::printed]);
  if (report[ReportLayout::site] > 0) raise(report);
}

bool LaunchReport::has_failed() const {
  return reinterpret_cast<const int64_t*>(Engine::instance().read(report_))[ReportLayout::site] != 0;
}

void LaunchReport::print_lines(int64_t words) {
  const auto* lines = reinterpret_cast<const int64_t*>(Engine::instance().read(lines_[0]));
  std::string text;
  int64_t at = 0;
  while (at < std::min(words, ReportLayout::line_words) && lines[at] > 0) {
    const ReportSite& site = sites_[static_cast<size_t>(lines[at] - 1)];
    const auto count = static_cast<int64_t>(words_of(site)) + 1;
    if (at + count > ReportLayout::line_words) break;
    ++at;
    for (const ReportPart& part : site.parts) text += written(part, part.is_word ? lines[at++] : 0);
    text += "\n";
  }
  if (words > ReportLayout::line_words)
    text += format("... the lines of {} were more than {} bytes: some are not printed\n", sites_[0].function,
                   8 * ReportLayout::line_words);
  // What finds no room leaves its words as they are.
  std::memset(Engine::instance().write(lines_[0]), 0, static_cast<size_t>(8 * ReportLayout::line_words));
  Object out = owned(Py_XNewRef(PySys_GetObject("stdout")));
  if (out.get() != Py_None) owned(PyObject_CallMethod(out.get(), "write", "s", text.c_str()));
}

void LaunchReport::raise(std::span<const int64_t> report) const {
  const ReportSite& site = sites_[static_cast<size_t>(report[ReportLayout::site] - 1)];
  const std::string where =
      format("In function '{}', file {}, line {}, tid={} ctaid={}", site.function, site.file, site.line,
             listed(report.subspan(ReportLayout::thread, 3)), listed(report.subspan(ReportLayout::block, 3)));
  Object values = owned(PyList_New(0));
  int64_t at = ReportLayout::values;
  for (const ReportPart& part : site.parts) {
    Object value = python_value(part, part.is_word ? report[static_cast<size_t>(at++)] : 0);
    checked(PyList_Append(values.get(), value.get()));
  }
  static PyObject* make_exception = import_attribute("tessera.cuda._exceptions", "make");
  Object exception = owned(PyObject_CallFunction(make_exception, "LsO", static_cast<long long>(site.exception),
                                                 where.c_str(), values.get()));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())), exception.get());
  throw ErrorAlreadySet();
}

}  // namespace tessera::bind
