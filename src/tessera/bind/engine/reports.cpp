#include "tessera/bind/engine/reports.h"

#include <Python.h>

#include <array>
#include <string>

#include "tessera/base/notices.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/call_site.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/engine/kept.h"

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

/// Warns at the line that recorded the op, since a different line may be running now.
void warn_at(const SourceLine& line, const std::string& message) {
  static constinit Kept kept;
  PyObject* registries = kept.get(PyDict_New);
  Object file = owned(PyUnicode_FromString(line.file.c_str()));
  PyObject* registry = PyDict_GetItemWithError(registries, file.get());
  if (!registry) {
    Object made = owned(PyDict_New());
    checked(PyDict_SetItem(registries, file.get(), made.get()));
    registry = PyDict_GetItemWithError(registries, file.get());
  }
  checked(PyErr_WarnExplicit(PyExc_RuntimeWarning, message.c_str(), line.file.c_str(), line.line, nullptr, registry));
}

void warn(uint32_t events, std::string_view op, uint64_t site) {
  auto line = source_line(site);
  for (const EventWords& entry : event_words) {
    if (!(events & entry.event)) continue;
    std::string message = format("{} encountered in {}", entry.words, op);
    if (line) {
      warn_at(*line, message);
    } else {
      checked(PyErr_WarnEx(PyExc_RuntimeWarning, message.c_str(), 1));
    }
  }
}

}  // namespace

std::string_view name_of(const FloatReport& report) { return report.op == "copy" ? "cast" : report.op; }

void warn_at_site(uint32_t events, std::string_view op, const Context& context) {
  if (context.errors.over == ErrorMode::ignore) events &= ~static_cast<uint32_t>(ir::event_overflow);
  if (context.errors.invalid == ErrorMode::ignore) events &= ~static_cast<uint32_t>(ir::event_invalid);
  warn(events, op, context.site);
}

void deliver_pending_reports() {
  for (const FloatReport& report : Engine::instance().take_reports()) warn(report.events, name_of(report), report.site);
  for (const std::string& notice : Engine::instance().take_notices())
    checked(PyErr_WarnEx(PyExc_RuntimeWarning, notice.c_str(), 1));
  for (const std::string& notice : take_noted()) checked(PyErr_WarnEx(PyExc_RuntimeWarning, notice.c_str(), 1));
}

void finish_events(const ErrorState& state) {
  if (may_wait(state)) return;
  Engine::instance().synchronize();
  for (const FloatReport& report : Engine::instance().take_reports()) {
    handle_events(report.events, name_of(report), state);
  }
}

}  // namespace tessera::bind
