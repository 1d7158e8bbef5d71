#include "tessera/codegen/cuda_cpp/host_functions.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "tessera/base/format.h"
#include "tessera/base/mutex.h"
#include "tessera/codegen/cuda_cpp/block_checks.h"
#include "tessera/codegen/cuda_cpp/builtins.h"
#include "tessera/codegen/cuda_cpp/module_record.h"

namespace tessera::codegen::cuda_cpp {

namespace {

/// Arguments of printf as clang lays them out for a device: one after the other, each at a multiple of its size.
class Packed {
 public:
  explicit Packed(const char* at) : at_(at) {}
  template <class T>
  T next() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, at_ + offset_, sizeof(T));
    offset_ += sizeof(T);
    return value;
  }

 private:
  const char* at_;
  size_t offset_ = 0;
};

/// One conversion of a format, beginning at '%'.
struct Conversion {
  std::string text;  // with * replaced
  char letter = 0;
  bool is_wide = false;
};

Conversion read_conversion(const char*& at, Packed& values) {
  Conversion made{.text = "%"};
  for (++at; *at; ++at) {
    if (*at == '*') {
      made.text += std::to_string(values.next<int>());
      continue;
    }
    made.is_wide |= *at == 'l' || *at == 'z' || *at == 'j' || *at == 't';
    made.text += *at;
    if (std::strchr("diouxXeEfFgGaAcspn%", *at)) {
      made.letter = *at++;
      break;
    }
  }
  return made;
}

template <class T>
void put(std::string& to, const Conversion& conversion, T value) {
  const int size = std::snprintf(nullptr, 0, conversion.text.c_str(), value);
  if (size <= 0) return;
  std::vector<char> text(static_cast<size_t>(size) + 1);
  std::snprintf(text.data(), text.size(), conversion.text.c_str(), value);
  to.append(text.data(), static_cast<size_t>(size));
}

int print(const char* format, const char* packed) {
  Packed values(packed);
  std::string line;
  int count = 0;
  for (const char* at = format; *at;) {
    if (*at != '%') {
      line += *at++;
      continue;
    }
    const Conversion conversion = read_conversion(at, values);
    count += conversion.letter != '%' && conversion.letter != 0;
    switch (conversion.letter) {
      case '%': line += '%'; break;
      case 's': put(line, conversion, values.next<const char*>()); break;
      case 'p': put(line, conversion, values.next<const void*>()); break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A': put(line, conversion, values.next<double>()); break;
      case 0:
      case 'n': line += conversion.text; break;
      default:
        if (conversion.is_wide)
          put(line, conversion, values.next<long long>());
        else
          put(line, conversion, values.next<int>());
    }
  }
  std::fwrite(line.data(), 1, line.size(), stdout);
  return count;
}

void fail(const HostLaunch* launch, const BlockState* block, int64_t thread, const char* expression, const char* file,
          int line) {
  if (!launch->failure || launch->failure->load()) return;
  const auto along = [&](int axis, int64_t before) {
    return thread / before % launch->block[static_cast<size_t>(axis)];
  };
  auto* text =
      new std::string(format("{}:{}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.", file, line,
                             block->index[0], block->index[1], block->index[2], along(0, 1), along(1, launch->block[0]),
                             along(2, int64_t{launch->block[0]} * launch->block[1]), expression));
  std::string* none = nullptr;
  if (!launch->failure->compare_exchange_strong(none, text)) delete text;
}

int32_t check_access(BlockState* block, int64_t thread, const char* address, int64_t nbytes, const char* base,
                     int64_t length, int32_t kind, const char* place, const char* name, const char* value) {
  const CheckedAccess access{.address = address,
                             .nbytes = nbytes,
                             .base = base,
                             .length = length,
                             .kind = kind,
                             .place = place,
                             .name = name,
                             .value = value};
  return block->checks->access(thread, access);
}
void check_divisor(BlockState* block, int64_t thread, const char* place) {
  block->checks->divide_by_zero(thread, place);
}
void check_fence(BlockState* block, int64_t thread, const char*) { block->checks->fence(thread); }
void check_return(BlockState* block, int64_t thread, const char*) { block->checks->end_by_return(thread); }

/// The steps of XORWOW's five words, which are linear over bits: rows are what each bit of the state becomes.
class XorwowSteps {
 public:
  using Words = std::array<uint32_t, 5>;
  static constexpr size_t bits = 160;
  using Matrix = std::vector<Words>;

  /// What 2^k steps do.
  static const Matrix& of_power(size_t k) {
    static Mutex mutex;
    static auto& all = *new std::deque<Matrix>;  // references stay valid
    const std::lock_guard lock(mutex);
    if (all.empty()) all.push_back(one_step());
    while (all.size() <= k) all.push_back(twice(all.back()));
    return all[k];
  }
  static Words apply(const Matrix& matrix, const Words& state) {
    Words made{};
    for (size_t bit = 0; bit < bits; ++bit)
      if (state[bit / 32] >> (bit % 32) & 1)
        for (size_t k = 0; k < made.size(); ++k) made[k] ^= matrix[bit][k];
    return made;
  }

 private:
  static Matrix one_step() {
    Matrix made(bits);
    for (size_t bit = 0; bit < bits; ++bit) {
      Words v{};
      v[bit / 32] = uint32_t{1} << (bit % 32);
      const uint32_t t = v[0] ^ (v[0] >> 2);
      made[bit] = {v[1], v[2], v[3], v[4], (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1))};
    }
    return made;
  }
  static Matrix twice(const Matrix& once) {
    Matrix made(bits);
    for (size_t bit = 0; bit < bits; ++bit) made[bit] = apply(once, once[bit]);
    return made;
  }
};

/// Advances the words by count * 2^power steps.
void skip_xorwow(uint32_t* words, uint64_t count, int power) {
  XorwowSteps::Words state;
  std::memcpy(state.data(), words, sizeof(state));
  for (size_t k = static_cast<size_t>(power); count; ++k, count >>= 1)
    if (count & 1) state = XorwowSteps::apply(XorwowSteps::of_power(k), state);
  std::memcpy(words, state.data(), sizeof(state));
}

template <class T>
constexpr void* address_of(T* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

// Of both precisions: sin and sinf.
#define TESSERA_ONE(name)                                            \
  {#name, address_of(static_cast<double (*)(double)>(&::name))}, {   \
    #name "f", address_of(static_cast<float (*)(float)>(&::name##f)) \
  }
#define TESSERA_TWO(name)                                                   \
  {#name, address_of(static_cast<double (*)(double, double)>(&::name))}, {  \
    #name "f", address_of(static_cast<float (*)(float, float)>(&::name##f)) \
  }

namespace {

const HostFunction all_functions[] = {
    TESSERA_ONE(acos),
    TESSERA_ONE(acosh),
    TESSERA_ONE(asin),
    TESSERA_ONE(asinh),
    TESSERA_ONE(atan),
    TESSERA_ONE(atanh),
    TESSERA_ONE(cbrt),
    TESSERA_ONE(ceil),
    TESSERA_ONE(cos),
    TESSERA_ONE(cosh),
    TESSERA_ONE(erf),
    TESSERA_ONE(erfc),
    TESSERA_ONE(exp),
    TESSERA_ONE(exp2),
    TESSERA_ONE(expm1),
    TESSERA_ONE(fabs),
    TESSERA_ONE(floor),
    TESSERA_ONE(j0),
    TESSERA_ONE(j1),
    TESSERA_ONE(lgamma),
    TESSERA_ONE(log),
    TESSERA_ONE(log10),
    TESSERA_ONE(log1p),
    TESSERA_ONE(log2),
    TESSERA_ONE(logb),
    TESSERA_ONE(nearbyint),
    TESSERA_ONE(rint),
    TESSERA_ONE(round),
    TESSERA_ONE(sin),
    TESSERA_ONE(sinh),
    TESSERA_ONE(sqrt),
    TESSERA_ONE(tan),
    TESSERA_ONE(tanh),
    TESSERA_ONE(tgamma),
    TESSERA_ONE(trunc),
    TESSERA_ONE(y0),
    TESSERA_ONE(y1),
    TESSERA_TWO(atan2),
    TESSERA_TWO(copysign),
    TESSERA_TWO(fdim),
    TESSERA_TWO(fmax),
    TESSERA_TWO(fmin),
    TESSERA_TWO(fmod),
    TESSERA_TWO(hypot),
    TESSERA_TWO(nextafter),
    TESSERA_TWO(pow),
    TESSERA_TWO(remainder),
    {"frexp", address_of(static_cast<double (*)(double, int*)>(&::frexp))},
    {"frexpf", address_of(static_cast<float (*)(float, int*)>(&::frexpf))},
    {"ldexp", address_of(static_cast<double (*)(double, int)>(&::ldexp))},
    {"ldexpf", address_of(static_cast<float (*)(float, int)>(&::ldexpf))},
    {"modf", address_of(static_cast<double (*)(double, double*)>(&::modf))},
    {"modff", address_of(static_cast<float (*)(float, float*)>(&::modff))},
    {"ilogb", address_of(static_cast<int (*)(double)>(&::ilogb))},
    {"ilogbf", address_of(static_cast<int (*)(float)>(&::ilogbf))},
    {"jn", address_of(static_cast<double (*)(int, double)>(&::jn))},
    {"jnf", address_of(static_cast<float (*)(int, float)>(&::jnf))},
    {"yn", address_of(static_cast<double (*)(int, double)>(&::yn))},
    {"ynf", address_of(static_cast<float (*)(int, float)>(&::ynf))},
    {"sincos", address_of(&::sincos)},
    {"sincosf", address_of(&::sincosf)},
    {"malloc", address_of(&::malloc)},
    {"free", address_of(&::free)},
    {"memcmp", address_of(&::memcmp)},
    {"strlen", address_of(static_cast<size_t (*)(const char*)>(&::strlen))},
    {"tessera_skip_xorwow", address_of(&skip_xorwow)},
    {"vprintf", address_of(&print)},
    {fail_symbol, address_of(&fail)},
    {access_symbol, address_of(&check_access)},
    {divisor_symbol, address_of(&check_divisor)},
    {return_symbol, address_of(&check_return)},
    {fence_symbol, address_of(&check_fence)},
};

}  // namespace

std::span<const HostFunction> host_functions() { return all_functions; }

#undef TESSERA_ONE
#undef TESSERA_TWO

}  // namespace tessera::codegen::cuda_cpp
