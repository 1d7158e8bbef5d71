#include "tessera/bind/reports.h"

#include <Python.h>

#include <array>
#include <string>

#include "tessera/bind/errors.h"

namespace tessera::bind {

namespace {

struct EventWords {
  uint32_t event;
  const char* words;
};

// In the order in which NumPy reports them.
constexpr std::array<EventWords, 4> event_words{{
    {ir::event_divide, "divide by zero"},
    {ir::event_overflow, "overflow"},
    {ir::event_underflow, "underflow"},
    {ir::event_invalid, "invalid value"},
}};

void warn(const FloatReport& report) {
  std::string op(ops::OpTable::standard()[report.op].name);
  for (const EventWords& entry : event_words) {
    if (!(report.events & entry.event)) continue;
    checked(PyErr_WarnEx(PyExc_RuntimeWarning, (std::string(entry.words) + " encountered in " + op).c_str(), 1));
  }
}

}  // namespace

void deliver_pending_reports() {
  for (const FloatReport& report : Engine::instance().take_reports()) warn(report);
}

}  // namespace tessera::bind
