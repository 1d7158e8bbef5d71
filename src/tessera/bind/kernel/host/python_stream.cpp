#include "tessera/bind/kernel/host/python_stream.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "tessera/base/error.h"
#include "tessera/kernel/options.h"

namespace tessera::bind {

namespace {

constexpr int state_words = 624;

/// CPython's object, as its _randommodule.c has it; that it does is checked.
struct RandomObject {
  PyObject_HEAD int index;
  uint32_t words[state_words];
};

/// Whether memory behind the object is what its method says.
bool is_laid_out_so(PyObject* owner, const RandomObject& object) {
  if (Py_TYPE(owner)->tp_basicsize < static_cast<Py_ssize_t>(sizeof(RandomObject))) return false;
  const Object state = owned(PyObject_CallMethod(owner, "getstate", nullptr));
  PyObject* const words = PyTuple_GetItem(state.get(), 1);
  if (!words) throw ErrorAlreadySet();
  if (PyTuple_Size(words) != state_words + 1) return false;
  for (int k = 0; k < state_words; ++k)
    if (PyLong_AsUnsignedLong(PyTuple_GET_ITEM(words, k)) != object.words[k]) return false;
  return PyLong_AsLong(PyTuple_GET_ITEM(words, state_words)) == object.index;
}

}  // namespace

void PythonStream::begin() {
  const Object module = owned(PyImport_ImportModule("random"));
  owner_ = owned(PyObject_GetAttrString(module.get(), "_inst"));
  auto& object = *reinterpret_cast<RandomObject*>(owner_.get());
  static PyTypeObject* known = nullptr;  // under Python's lock
  if (known != Py_TYPE(owner_.get())) {
    require<RuntimeError>(is_laid_out_so(owner_.get(), object),
                          "random: this Python's generator lies otherwise in memory; draw from numpy.random");
    known = Py_TYPE(owner_.get());
  }
  index_ = &object.index;
  words_ = object.words;
}

/// As the Mersenne twister's authors have it (Matsumoto and Nishimura, 1998).
void PythonStream::refill() {
  constexpr int shift = 397;
  const auto mix = [&](int k, int next, int far) {
    const uint32_t y = (words_[k] & 0x80000000U) | (words_[next] & 0x7fffffffU);
    words_[k] = words_[far] ^ (y >> 1) ^ ((y & 1U) ? 0x9908b0dfU : 0U);
  };
  for (int k = 0; k < state_words - shift; ++k) mix(k, k + 1, k + shift);
  for (int k = state_words - shift; k < state_words - 1; ++k) mix(k, k + 1, k + shift - state_words);
  mix(state_words - 1, 0, shift - 1);
  *index_ = 0;
}

uint32_t PythonStream::next_word() {
  if (*index_ >= state_words) [[unlikely]]
    refill();
  uint32_t y = words_[(*index_)++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680U;
  y ^= (y << 15) & 0xefc60000U;
  return y ^ (y >> 18);
}

double PythonStream::next() {
  const uint32_t high = next_word() >> 5, low = next_word() >> 6;
  return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0);
}

void PythonStream::take_second() {
  const Object second = owned(PyObject_GetAttrString(owner_.get(), "gauss_next"));
  holds_second_ = true;
  has_second_ = second.get() != Py_None;
  if (has_second_) second_ = PyFloat_AsDouble(second.get());
}

double PythonStream::draw_normal() {
  if (!holds_second_) [[unlikely]]
    take_second();
  if (has_second_) {
    has_second_ = false;
    return second_;
  }
  const double angle = next() * 2.0 * std::numbers::pi;
  const double radius = std::sqrt(-2.0 * std::log(1.0 - next()));
  second_ = std::sin(angle) * radius;
  has_second_ = true;
  return std::cos(angle) * radius;
}

void PythonStream::finish() {
  if (!std::exchange(holds_second_, false)) return;
  const Object second = has_second_ ? owned(PyFloat_FromDouble(second_)) : Object(Py_NewRef(Py_None));
  if (PyObject_SetAttrString(owner_.get(), "gauss_next", second.get()) < 0) throw ErrorAlreadySet();
}

/// As CPython seeds by an integer: init_by_array of the Mersenne twister's authors, by the words of its absolute value.
void PythonStream::seed(int64_t value) {
  const uint64_t size = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const uint32_t key[] = {static_cast<uint32_t>(size), static_cast<uint32_t>(size >> 32)};
  const int keys = key[1] != 0 ? 2 : 1;
  words_[0] = 19650218U;
  for (int k = 1; k < state_words; ++k)
    words_[k] = 1812433253U * (words_[k - 1] ^ (words_[k - 1] >> 30)) + static_cast<uint32_t>(k);
  int at = 1;
  const auto mix = [&](uint32_t factor, uint32_t more, bool is_less) {
    const uint32_t mixed = words_[at] ^ ((words_[at - 1] ^ (words_[at - 1] >> 30)) * factor);
    words_[at] = is_less ? mixed - static_cast<uint32_t>(at) : mixed + more;
    if (++at < state_words) return;
    words_[0] = words_[state_words - 1];
    at = 1;
  };
  for (int k = 0; k < state_words; ++k) mix(1664525U, key[k % keys] + static_cast<uint32_t>(k % keys), false);
  for (int k = 1; k < state_words; ++k) mix(1566083941U, 0, true);
  words_[0] = 0x80000000U;
  *index_ = state_words;
  holds_second_ = true;
  has_second_ = false;
}

int64_t PythonStream::source(kernel::RandomSource which) {
  if (!owner_) begin();
  const auto address = [](auto* at) { return static_cast<int64_t>(reinterpret_cast<uintptr_t>(at)); };
  constexpr auto normal = [](void* stream) { return static_cast<PythonStream*>(stream)->draw_normal(); };
  switch (which) {
    case kernel::RandomSource::words: return address(words_);
    case kernel::RandomSource::place: return address(index_);
    case kernel::RandomSource::normal: return address(+normal);
    case kernel::RandomSource::argument: return address(this);
  }
  return 0;
}

int64_t PythonStream::draw(const int64_t* operands) {
  if (!owner_) begin();
  seed(operands[1]);
  return 0;
}

}  // namespace tessera::bind
