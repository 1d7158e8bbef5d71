#include "tessera/bind/kernel/numpy_stream.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "tessera/base/error.h"
#include "tessera/bind/kernel/distributions.h"
#include "tessera/kernel/options.h"

namespace tessera::bind {

using kernel::HostDraw;

namespace {

/// NumPy's global RandomState.
Object global_state() {
  Object module = owned(PyImport_ImportModule("numpy.random.mtrand"));
  return owned(PyObject_GetAttrString(module.get(), "_rand"));
}

/// Its state as a dict.
Object state_of(PyObject* owner) {
  Object get = owned(PyObject_GetAttrString(owner, "get_state"));
  Object keywords = owned(Py_BuildValue("{s:O}", "legacy", Py_False));
  Object none = owned(PyTuple_New(0));
  return owned(PyObject_Call(get.get(), none.get(), keywords.get()));
}

/// The bits of a number that operands ask for.
template <class Next, class Normal>
int64_t value_of(const int64_t* operands, Next next, Normal normal) {
  const auto first = std::bit_cast<double>(operands[1]), second = std::bit_cast<double>(operands[2]);
  double value = 0;
  switch (static_cast<HostDraw>(operands[0])) {
    case HostDraw::uniform: value = first + (second - first) * next(); break;
    case HostDraw::exponential: value = first * -std::log(1.0 - next()); break;
    case HostDraw::normal: value = first + second * normal(); break;
    case HostDraw::integer: break;
    case HostDraw::distribution: return draw_distribution(operands + 1, next, normal);
  }
  return std::bit_cast<int64_t>(value);
}

}  // namespace

NumpyStream::NumpyStream(bool draws_normal) : owner_(global_state()), draws_normal_(draws_normal) {
  Object bits = owned(PyObject_GetAttrString(owner_.get(), "_bit_generator"));
  capsule_ = owned(PyObject_GetAttrString(bits.get(), "capsule"));
  generator_ = static_cast<BitGenerator*>(PyCapsule_GetPointer(capsule_.get(), "BitGenerator"));
  if (!generator_) throw ErrorAlreadySet();
  begin();
}

NumpyStream::~NumpyStream() {
  // After an exception: what has been drawn stays drawn.
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  try {
    finish();
  } catch (...) {
    PyErr_Clear();
  }
  PyErr_Restore(type, value, trace);
}

void NumpyStream::begin() {
  if (!draws_normal_) return;
  const Object state = state_of(owner_.get());
  PyObject* has = PyDict_GetItemString(state.get(), "has_gauss");
  PyObject* value = PyDict_GetItemString(state.get(), "gauss");
  had_second_ = has_second_ = has && PyLong_AsLong(has) != 0;
  second_ = value ? PyFloat_AsDouble(value) : 0.0;
}

void NumpyStream::finish() {
  if (!draws_normal_ || (!had_second_ && !has_second_)) return;
  const Object state = state_of(owner_.get());
  Object has = owned(PyLong_FromLong(has_second_)), value = owned(PyFloat_FromDouble(has_second_ ? second_ : 0.0));
  if (PyDict_SetItemString(state.get(), "has_gauss", has.get()) < 0 ||
      PyDict_SetItemString(state.get(), "gauss", value.get()) < 0)
    throw ErrorAlreadySet();
  owned(PyObject_CallMethod(owner_.get(), "set_state", "(O)", state.get()));
  had_second_ = has_second_ = false;
}

/// As NumPy's legacy generator: Marsaglia's polar method, of whose two numbers the first is kept.
double NumpyStream::draw_normal() {
  if (has_second_) {
    has_second_ = false;
    return second_;
  }
  double x = 0, y = 0, square = 0;
  do {
    x = 2.0 * next() - 1.0;
    y = 2.0 * next() - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(square) / square);
  second_ = factor * x;
  has_second_ = true;
  return factor * y;
}

int64_t NumpyStream::source(int64_t which) const {
  return static_cast<int64_t>(which == 0 ? reinterpret_cast<uintptr_t>(generator_->next_double)
                                         : reinterpret_cast<uintptr_t>(generator_->state));
}

int64_t NumpyStream::next_bits() { return std::bit_cast<int64_t>(next()); }

int64_t NumpyStream::draw(const int64_t* operands) {
  if (static_cast<HostDraw>(operands[0]) == HostDraw::integer) return draw_integer(operands[1], operands[2]);
  return value_of(operands, [this] { return next(); }, [this] { return draw_normal(); });
}

/// As NumPy's legacy generator: words, or halves where they suffice, of which bits above the range's are dropped, until
/// one is inside.
int64_t NumpyStream::draw_integer(int64_t least, int64_t more) {
  const auto range = static_cast<uint64_t>(more);
  if (range == 0) return least;
  const uint64_t mask = ~uint64_t{0} >> std::countl_zero(range);
  const bool is_narrow = range <= UINT32_MAX;
  uint64_t value = 0;
  do {
    value = is_narrow ? generator_->next_uint32(generator_->state) : generator_->next_uint64(generator_->state);
    value &= mask;
  } while (value > range);
  return static_cast<int64_t>(static_cast<uint64_t>(least) + value);
}

namespace {

/// A stream of one thread's, which begins where the system's entropy says.
struct ThreadStream {
  std::mt19937_64 bits{std::random_device{}() ^ uint64_t{std::random_device{}()} << 32};
  std::uniform_real_distribution<double> numbers{0.0, 1.0};
  std::normal_distribution<double> normal{};
};

}  // namespace

int64_t draw_apart(const int64_t* operands) {
  thread_local ThreadStream stream;
  if (static_cast<HostDraw>(operands[0]) == HostDraw::integer) {
    std::uniform_int_distribution<int64_t> numbers(operands[1], operands[1] + operands[2]);
    return numbers(stream.bits);
  }
  return value_of(operands, [] { return stream.numbers(stream.bits); }, [] { return stream.normal(stream.bits); });
}

}  // namespace tessera::bind
