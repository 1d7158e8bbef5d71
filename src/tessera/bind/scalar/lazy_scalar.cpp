#include "tessera/bind/scalar/lazy_scalar.h"

#include <array>
#include <new>
#include <utility>

#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/array/object.h"
#include "tessera/bind/engine/array_events.h"
#include "tessera/bind/engine/error_state.h"
#include "tessera/bind/engine/reports.h"

namespace tessera::bind {

bool may_be_lazy(const Array& array) {
  if (array.storage->current->data) [[likely]]
    return false;
  return array.dtype() != DType::bfloat16 && Engine::instance().devices().comes_from_device(array) &&
         may_wait(error_state());
}

PyObject* try_lazy_scalar(const Array& array) {
  if (!may_be_lazy(array)) [[likely]]
    return nullptr;
  PyTypeObject* type = &lazy_types[static_cast<int>(array.dtype())];
  LazyScalar* self = PyObject_New(LazyScalar, type);
  if (!self) throw ErrorAlreadySet();
  new (&self->array) Array(array);
  new (&self->view) View;
  self->value = self->source = nullptr;
  self->place = -1;
  return reinterpret_cast<PyObject*>(self);
}

namespace {

// Only this many of the most recent totals are synchronised at a block of warning filters; older totals warn when they
// are synchronised.
constexpr int most_totals = 64;
std::array<LazyScalar*, most_totals> totals{};
int next_total = 0;

}  // namespace

void forget_total(LazyScalar& lazy) {
  if (lazy.place >= 0) totals[static_cast<size_t>(std::exchange(lazy.place, -1))] = nullptr;
}

void check_totals() {
  for (int k = 0; k < most_totals; ++k) {
    LazyScalar* total = totals[static_cast<size_t>((next_total + k) % most_totals)];
    if (!total) continue;
    const Object held = Object::borrowed(reinterpret_cast<PyObject*>(total));
    true_scalar(held.get());
  }
}

void watch_total(PyObject* lazy, PyObject* source, const Context& context) {
  LazyScalar* self = as_lazy(lazy);
  const NdArray* reduced = as_ndarray(source);
  const bool is_view =
      reduced->base && is_ndarray(reduced->base) && as_ndarray(reduced->base)->array.storage == reduced->array.storage;
  self->source = checked(PyWeakref_NewRef(is_view ? reduced->base : source, nullptr));
  self->view = reduced->array.view;
  graph::Version& version = *reduced->array.storage->current;
  static uint32_t watched = 0;
  if (version.watched == 0) version.watched = ++watched;
  self->contents = version.watched;
  self->context = context;
  self->place = next_total++ % most_totals;
  next_total %= most_totals;
  LazyScalar*& entry = totals[static_cast<size_t>(self->place)];
  if (entry) entry->place = -1;
  entry = self;
}

namespace {

/// A finite total shows by itself that no floating-point event occurred. Otherwise the reduced array is checked, if it
/// still exists and was not written since; if not, nothing is reported.
void report_events(LazyScalar& self, const Array& total) {
  if (!self.source) return;
  const Object reference(std::exchange(self.source, nullptr));
  const Object source = owned(PyObject_CallNoArgs(reference.get()));
  if (source.get() == Py_None) return;
  const Array& owner = as_ndarray(source.get())->array;
  if (owner.storage->current->watched != self.contents) return;
  if (const uint32_t events = total_events(owner.with_view(self.view), total))
    warn_at_site(events, "reduce", self.context);
}

}  // namespace

PyObject* true_scalar(PyObject* object) {
  LazyScalar* self = as_lazy(object);
  if (self->value) return self->value;
  const Array array = self->array;  // another thread may synchronise meanwhile
  Object value = owned(make_numpy_scalar(array.dtype(), synchronise(array)));
  if (self->value) return self->value;
  self->value = value.release();
  self->array = {};
  forget_total(*self);
  report_events(*self, array);
  return self->value;
}

}  // namespace tessera::bind
