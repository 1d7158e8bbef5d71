#include "tessera/bind/kernel/host/numpy_stream.h"

#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <string_view>

#include "tessera/base/error.h"
#include "tessera/kernel/options.h"
#include "tessera/library/random/bounded.h"
#include "tessera/library/random/distributions.h"
#include "tessera/library/random/polar.h"

namespace tessera::bind {

using kernel::HostDraw;
using library::Sampler;

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

/// By their numbers, which tessera/functions/numpy_library/distributions.py has, too.
constexpr std::array<std::string_view, 25> distribution_names{"standard_gamma",
                                                              "beta",
                                                              "chisquare",
                                                              "noncentral_chisquare",
                                                              "f",
                                                              "gumbel",
                                                              "laplace",
                                                              "logistic",
                                                              "lognormal",
                                                              "pareto",
                                                              "power",
                                                              "rayleigh",
                                                              "standard_cauchy",
                                                              "standard_t",
                                                              "triangular",
                                                              "vonmises",
                                                              "wald",
                                                              "weibull",
                                                              "binomial",
                                                              "geometric",
                                                              "hypergeometric",
                                                              "logseries",
                                                              "negative_binomial",
                                                              "poisson",
                                                              "zipf"};

/// The bits of a number of a distribution; operands are its number and its parameters as doubles.
int64_t draw_distribution(Sampler& sampler, const int64_t* operands) {
  static const auto rows = [] {
    std::array<const library::Distribution*, distribution_names.size()> all{};
    for (size_t k = 0; k < all.size(); ++k) all[k] = &library::distribution(distribution_names[k], true);
    return all;
  }();
  const library::Distribution& row = *rows[static_cast<size_t>(operands[0])];
  std::array<library::Value, 3> parameters{};
  for (size_t k = 0; k < row.parameters.size(); ++k) {
    const auto given = std::bit_cast<double>(operands[1 + k]);
    if (row.parameters[k].integer)
      parameters[k].integer = static_cast<int64_t>(given);
    else
      parameters[k].real = given;
  }
  return row.draw ? std::bit_cast<int64_t>(row.draw(sampler, parameters.data()))
                  : row.draw_integer(sampler, parameters.data());
}

/// The bits of a number that operands ask for.
int64_t draw_from(Sampler& sampler, const int64_t* operands) {
  const auto first = std::bit_cast<double>(operands[1]), second = std::bit_cast<double>(operands[2]);
  double value = 0;
  switch (static_cast<HostDraw>(operands[0])) {
    case HostDraw::uniform: value = first + (second - first) * sampler.uniform(); break;
    case HostDraw::exponential: value = first * sampler.exponential(); break;
    case HostDraw::normal: value = first + second * sampler.normal(); break;
    case HostDraw::integer:
      return static_cast<int64_t>(
          static_cast<uint64_t>(operands[1]) +
          library::draw_bounded(sampler.bits, static_cast<uint64_t>(operands[2]), library::Rejection::mask));
    case HostDraw::distribution: return draw_distribution(sampler, operands + 1);
    case HostDraw::seed: break;  // of NumPy's stream only
  }
  return std::bit_cast<int64_t>(value);
}

}  // namespace

NumpyStream::NumpyStream(bool draws_normal) : owner_(global_state()), draws_normal_(draws_normal) {
  Object bits = owned(PyObject_GetAttrString(owner_.get(), "_bit_generator"));
  const bool is_mersenne = std::string_view(Py_TYPE(bits.get())->tp_name).ends_with("MT19937");
  capsule_ = owned(PyObject_GetAttrString(bits.get(), "capsule"));
  table_ = static_cast<const library::ForeignBits::Table*>(PyCapsule_GetPointer(capsule_.get(), "BitGenerator"));
  if (!table_) throw ErrorAlreadySet();
  if (is_mersenne) twister_.emplace(*mersenne_state());
  sampler_.emplace(bits_.emplace(table_), true);
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
  had_second_ = has && PyLong_AsLong(has) != 0;
  sampler_->kept = {had_second_, value ? PyFloat_AsDouble(value) : 0.0};
}

void NumpyStream::finish() {
  library::KeptNormal& kept = sampler_->kept;
  if (!draws_normal_ || (!had_second_ && !kept.has)) return;
  const Object state = state_of(owner_.get());
  Object has = owned(PyLong_FromLong(kept.has)), value = owned(PyFloat_FromDouble(kept.has ? kept.value : 0.0));
  if (PyDict_SetItemString(state.get(), "has_gauss", has.get()) < 0 ||
      PyDict_SetItemString(state.get(), "gauss", value.get()) < 0)
    throw ErrorAlreadySet();
  owned(PyObject_CallMethod(owner_.get(), "set_state", "(O)", state.get()));
  had_second_ = kept.has = false;
}

int64_t NumpyStream::source(kernel::RandomSource which) {
  static int behind_all = library::Mt19937::size;  // is only read
  const auto address = [](auto* at) { return static_cast<int64_t>(reinterpret_cast<uintptr_t>(at)); };
  switch (which) {
    case kernel::RandomSource::words: return address(table_->state);
    case kernel::RandomSource::place: return address(twister_ ? &mersenne_state()->position : &behind_all);
    case kernel::RandomSource::normal: return address(&NumpyStream::next_normal);
    case kernel::RandomSource::argument: return address(this);
  }
  return 0;
}

double NumpyStream::next_normal(void* stream) {
  auto& self = *static_cast<NumpyStream*>(stream);
  return self.twister_ ? library::polar_normal(*self.twister_, self.sampler_->kept) : self.sampler_->normal();
}

int64_t NumpyStream::next_bits() { return std::bit_cast<int64_t>(sampler_->uniform()); }

library::Mt19937::State* NumpyStream::mersenne_state() const {
  return static_cast<library::Mt19937::State*>(table_->state);
}

void NumpyStream::seed(uint32_t value) {
  require<TypeError>(twister_.has_value(), "numpy.random.seed: NumPy's global stream is not of MT19937");
  twister_->seed(value);
  sampler_->kept = {};
}

int64_t NumpyStream::draw(const int64_t* operands) {
  if (static_cast<HostDraw>(operands[0]) != HostDraw::seed) return draw_from(*sampler_, operands);
  seed(static_cast<uint32_t>(operands[1]));
  return 0;
}

int64_t draw_apart(const int64_t* operands) {
  /// Begins where the system's entropy says.
  struct ThreadStream {
    library::Pcg64 bits{random_word(), random_word()};
    Sampler sampler{bits, true};

    static library::uint128 random_word() {
      std::random_device device;
      library::uint128 word = 0;
      for (int k = 0; k < 4; ++k) word = word << 32 | device();
      return word;
    }
  };
  thread_local ThreadStream stream;
  return draw_from(stream.sampler, operands);
}

}  // namespace tessera::bind
