#include "tessera/routines/network_calls/rounds.h"

namespace tessera::routines {

using namespace steps;

Ref<runtime::Buffer> filled(Launcher& launcher, int64_t count, int64_t value) {
  Ref<runtime::Buffer> made = launcher.allocate(count, whole);
  run_step(launcher, "fill", count, {{made->data(), whole, written}}, {value},
           [](const StepParts& s) { s.store(0, s.number(0)); });
  return made;
}

void copy_words(Launcher& launcher, int64_t count, const char* from, const char* to) {
  run_step(launcher, "copy words", count, {{from, whole}, {to, whole, written}}, {},
           [](const StepParts& s) { s.store(1, s.load(0)); });
}

void number_words(Launcher& launcher, int64_t count, const char* to) {
  run_step(launcher, "number", count, {{to, whole, written}}, {}, [](const StepParts& s) { s.store(0, s.i); });
}

Differences::Differences(Launcher& launcher, int64_t count, const char* x, const char* y)
    : mask_(launcher.allocate(count, DType::boolean)) {
  run_step(launcher, "differences", count, {{x, whole}, {y, whole}, {mask_->data(), DType::boolean, written}}, {},
           [](const StepParts& s) { s.store(2, s.b.ne(s.load(0), s.load(1))); });
  Selection selection(launcher, DType::boolean, count, mask_->data());
  count_ = selection.count();
  nodes_ = launcher.allocate(count_, whole);
  const char* out = nodes_->data();
  selection.find(std::span(&count, 1), std::span(&out, 1));
}

}  // namespace tessera::routines
