#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tessera/base/error.h"
#include "tessera/bind/array/ndarray.h"
#include "tessera/bind/engine/without_gil.h"
#include "tessera/bind/random/random.h"
#include "tessera/library/random/fill.h"

namespace tessera::bind {

namespace nb = nanobind;

namespace {

using Words = std::vector<uint64_t>;
using Bits = std::shared_ptr<RandomBits>;

library::uint128 join(uint64_t high, uint64_t low) { return library::uint128{high} << 64 | low; }

/// A generator of NumPy's kind from the words of its seed sequence.
std::unique_ptr<library::BitGenerator> make_generator(const std::string& kind, const Words& w) {
  const auto need = [&](size_t count) {
    require<ValueError>(w.size() == count, "{}: {} seed words but {} are needed", kind, w.size(), count);
  };
  if (kind == "MT19937") {
    auto generator = std::make_unique<library::Mt19937>();
    const std::vector<uint32_t> key(w.begin(), w.end());
    generator->set_key(key);
    return generator;
  }
  if (kind == "Philox") {
    need(6);
    return std::make_unique<library::Philox>(library::Philox::Key{w[0], w[1]},
                                             library::Philox::Counter{w[2], w[3], w[4], w[5]});
  }
  if (kind == "SFC64") {
    need(3);
    return std::make_unique<library::Sfc64>(std::array{w[0], w[1], w[2]});
  }
  need(4);
  if (kind == "PCG64DXSM") return std::make_unique<library::Pcg64Dxsm>(join(w[0], w[1]), join(w[2], w[3]));
  require<ValueError>(kind == "PCG64", "no bit generator named {}", kind);
  return std::make_unique<library::Pcg64>(join(w[0], w[1]), join(w[2], w[3]));
}

Bits make_bits(const std::string& kind, const Words& words) {
  auto bits = std::make_shared<RandomBits>();
  bits->generator = make_generator(kind, words);
  return bits;
}

constexpr const char* capsule_name = "BitGenerator";  // NumPy's

/// The lock that NumPy holds while it draws without the GIL; long draws here do the same.
class PythonLock final : public OuterLock {
 public:
  explicit PythonLock(const nb::object& lock) : acquire_(lock.attr("acquire")), release_(lock.attr("release")) {}
  void lock() override {
    const WithGil gil;
    acquire_();
  }
  void unlock() override {
    const WithGil gil;
    release_();
  }

 private:
  nb::object acquire_, release_;
};

Bits make_shared_bits(std::unique_ptr<library::BitGenerator> generator, const nb::object& lock) {
  return Bits(new RandomBits{.generator = std::move(generator), .mutex = BitsLock(std::make_unique<PythonLock>(lock))});
}

/// This function and the next draw from a NumPy bit generator, which must outlive the result.
Bits from_capsule(nb::handle capsule, const nb::object& lock) {
  void* table = PyCapsule_GetPointer(capsule.ptr(), capsule_name);
  if (!table) throw nb::python_error();
  return make_shared_bits(
      std::make_unique<library::ForeignBits>(static_cast<const library::ForeignBits::Table*>(table)), lock);
}

/// The Mersenne Twister of one of NumPy's own generators, given its capsule and lock.
Bits share_twister(nb::handle capsule, const nb::object& lock) {
  void* table = PyCapsule_GetPointer(capsule.ptr(), capsule_name);
  if (!table) throw nb::python_error();
  auto* state = static_cast<library::Mt19937::State*>(static_cast<library::ForeignBits::Table*>(table)->state);
  return make_shared_bits(std::make_unique<library::Mt19937>(*state), lock);
}

/// The table of functions that NumPy's own Generator draws from; it keeps the bits alive.
struct ExportedBits {
  library::ForeignBits::Table table;
  Bits bits;
};

nb::object to_capsule(const Bits& bits) {
  auto exported = std::make_unique<ExportedBits>(ExportedBits{library::ForeignBits::table_of(*bits->generator), bits});
  PyObject* capsule = PyCapsule_New(&exported->table, capsule_name, [](PyObject* object) {
    std::unique_ptr<ExportedBits>(static_cast<ExportedBits*>(PyCapsule_GetPointer(object, capsule_name)));
  });
  if (!capsule) throw nb::python_error();
  exported.release();  // the capsule owns it from here on
  return nb::steal(capsule);
}

/// delta as four words, the lowest first.
void advance(RandomBits& bits, const Words& delta) {
  std::lock_guard lock(bits.mutex);
  if (auto* philox = dynamic_cast<library::Philox*>(bits.generator.get())) {
    return philox->advance({delta.at(0), delta.at(1), delta.at(2), delta.at(3)});
  }
  const auto move = [&](auto* pcg) {
    if (!pcg) return false;
    pcg->advance(join(delta.at(1), delta.at(0)));
    pcg->forget_half();
    return true;
  };
  if (move(dynamic_cast<library::Pcg64*>(bits.generator.get()))) return;
  require<TypeError>(move(dynamic_cast<library::Pcg64Dxsm*>(bits.generator.get())),
                     "this bit generator cannot advance");
}

void seed(RandomBits& bits, const std::vector<uint32_t>& numbers, bool single) {
  std::lock_guard lock(bits.mutex);
  auto* twister = dynamic_cast<library::Mt19937*>(bits.generator.get());
  require<TypeError>(twister != nullptr, "can only re-seed a MT19937 BitGenerator");
  if (single) {
    twister->seed(numbers.at(0));
  } else {
    twister->seed(std::span<const uint32_t>(numbers));
  }
}

nb::object raw(RandomBits& bits, nb::handle size) {
  const std::optional<Dims> shape = to_size(size);
  if (!shape) {
    const auto draw = [&] {
      std::lock_guard lock(bits.mutex);
      return bits.generator->next_raw();
    };
    return nb::int_(draw());
  }
  Engine& engine = Engine::instance();
  Array out = engine.empty(*shape, DType::uint64);
  const std::span words(reinterpret_cast<uint64_t*>(engine.write(out)), static_cast<size_t>(out.size()));
  {
    std::lock_guard lock(bits.mutex);
    library::fill_raw(*bits.generator, words);
  }
  return nb::steal(wrap(std::move(out)));
}

}  // namespace

void bind_random_bits(nb::module_& m) {
  nb::class_<RandomBits>(m, "Bits")
      .def("state", [](RandomBits& bits) { return bits.generator->state(); })
      .def("set_state",
           [](RandomBits& bits, const Words& words) {
             std::lock_guard lock(bits.mutex);
             bits.generator->set_state(words);
           })
      .def("advance", advance)
      .def("seed", seed)
      .def("raw", raw, nb::arg().none());
  m.def("make_bits", make_bits);
  m.def("bits_from_capsule", from_capsule);
  m.def("share_twister", share_twister);
  m.def("to_capsule", to_capsule);
  m.def("share_lock",
        [](const Bits& bits, const nb::object& lock) { bits->mutex.share(std::make_unique<PythonLock>(lock)); });
}

}  // namespace tessera::bind
