#include "tessera/bind/kernel/launch/launch_report.h"

#include <Python.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/errors.h"
#include "tessera/bind/engine/reports.h"
#include "tessera/bind/kernel/calls/report_text.h"

namespace tessera::bind {

using kernel::ReportLayout;
using kernel::ReportSite;

namespace {

/// Reports that nobody has looked at since a launch, in the order of the launches.
std::vector<std::shared_ptr<LaunchReport>>& pending() {
  static auto& all = *new std::vector<std::shared_ptr<LaunchReport>>;
  return all;
}

bool text_is_pending = false;  // in the buffers of the driver and of C's library

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

}  // namespace

void begin_printing_launch() {
  PyObject* output = PySys_GetObject("stdout");
  if (!output || output == Py_None) return;
  const Object flushed(PyObject_CallMethod(output, "flush", nullptr));
  if (!flushed) PyErr_Clear();
}

void note_printing_launch() {
  text_is_pending = true;
  at_next_wait = check_launches;
  if (!next_wait_throws) next_wait_throws = some_has_failed;
}

// What one raises leaves the others for the next wait.
void check_launches() {
  if (std::exchange(text_is_pending, false)) {
    Engine::instance().synchronize();
    std::fflush(stdout);
    if (pending().empty() && !text_is_pending) at_next_wait = nullptr;  // others launch more while this waits
  }
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
  task_ = Engine::instance().settings().task();
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
  if (report[ReportLayout::printed] > 0) {
    print_lines(sites_,
                {reinterpret_cast<const int64_t*>(Engine::instance().read(lines_[0])), ReportLayout::line_words},
                report[ReportLayout::printed], true);
    // What finds no room leaves its words as they are.
    std::memset(Engine::instance().write(lines_[0]), 0, static_cast<size_t>(8 * ReportLayout::line_words));
  }
  if (report[ReportLayout::site] == 0) return;
  try {
    throw_report(sites_, report, true);
  } catch (...) {
    set_python_error();
    if (!task_.empty() && task_ != Engine::instance().settings().task()) add_note("launched in " + task_);
    throw ErrorAlreadySet();
  }
}

bool LaunchReport::has_failed() const {
  return reinterpret_cast<const int64_t*>(Engine::instance().read(report_))[ReportLayout::site] != 0;
}

}  // namespace tessera::bind
