// A simulated cuFFT: transforms computed by the definition.
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "matrix.h"

namespace {

using simulated::Complex;

struct Plan {
  std::vector<long long> n, in_extents, out_extents;
  long long stride, in_distance, out_distance, batch;
  int in, out;

  bool from_real() const { return in < 2; }
  bool to_real() const { return out < 2; }
};
std::map<int, Plan> plans;
int next_plan = 1;

Complex load(const void* data, int type, long long i) {
  switch (type) {
    case 0: return static_cast<double>(static_cast<const float*>(data)[i]);
    case 1: return static_cast<const double*>(data)[i];
    case 4: return Complex(static_cast<const std::complex<float>*>(data)[i]);
    default: return static_cast<const Complex*>(data)[i];
  }
}

void store(void* data, int type, long long i, Complex value) {
  switch (type) {
    case 0: static_cast<float*>(data)[i] = static_cast<float>(value.real()); break;
    case 1: static_cast<double*>(data)[i] = value.real(); break;
    case 4: static_cast<std::complex<float>*>(data)[i] = std::complex<float>(value); break;
    default: static_cast<Complex*>(data)[i] = value;
  }
}

using Place = std::vector<long long>;

long long product(const Place& extents) {
  return std::accumulate(extents.begin(), extents.end(), 1LL, std::multiplies<>());
}

Place place(long long number, const Place& extents) {
  Place at(extents.size());
  for (size_t axis = extents.size(); axis-- > 0; number /= extents[axis]) at[axis] = number % extents[axis];
  return at;
}

long long offset(const Place& at, const Place& extents) {
  long long sum = 0;
  for (size_t axis = 0; axis < at.size(); ++axis) sum = sum * extents[axis] + at[axis];
  return sum;
}

}  // namespace

extern "C" {

int cufftCreate(int* plan) { return simulated::fails_to_start() ? 1 : (*plan = next_plan++, 0); }
int cufftDestroy(int plan) { return plans.erase(plan), 0; }
int cufftSetStream(int, void*) { return 0; }
int cufftSetAutoAllocation(int, int on) { return on ? 4 : 0; }
int cufftSetWorkArea(int, void* memory) { return memory ? 0 : 4; }
int cufftXtMakePlanMany(int plan, int rank, long long* n, long long* in_embed, long long in_stride,
                        long long in_distance, int in, long long* out_embed, long long out_stride,
                        long long out_distance, int out, long long batch, size_t* bytes, int type) {
  if (rank < 1 || rank > 3 || !in_embed || !out_embed || in_stride != out_stride || (type != 4 && type != 5)) return 4;
  const auto list = [&](const long long* from) { return std::vector<long long>(from, from + rank); };
  plans[plan] = {list(n), list(in_embed), list(out_embed), in_stride, in_distance, out_distance, batch, in, out};
  return *bytes = 64, 0;
}
int cufftXtExec(int handle, void* in, void* out, int direction) {
  const Plan& p = plans.at(handle);
  if (p.to_real() && p.n.size() > 1) return 4;
  // Real numbers have to be aligned as complex ones are.
  const auto is_odd = [](const void* data, int type) {
    return reinterpret_cast<uintptr_t>(data) % (type == 1 ? sizeof(Complex) : sizeof(std::complex<float>)) != 0;
  };
  if ((p.from_real() && is_odd(in, p.in)) || (p.to_real() && is_odd(out, p.out))) return 4;
  const long long count = product(p.n);
  for (long long b = 0; b < p.batch; ++b) {
    for (long long k = 0; k < count; ++k) {
      const Place to = place(k, p.n);
      if (p.from_real() && to.back() > p.n.back() / 2) continue;
      Complex sum = 0;
      for (long long j = 0; j < count; ++j) {
        Place from = place(j, p.n);
        double turns = 0;
        for (size_t axis = 0; axis < from.size(); ++axis)
          turns += static_cast<double>(from[axis] * to[axis] % p.n[axis]) / static_cast<double>(p.n[axis]);
        const bool mirrored = p.to_real() && from.back() > p.n.back() / 2;
        if (mirrored) from.back() = p.n.back() - from.back();
        const Complex x = load(in, p.in, b * p.in_distance + offset(from, p.in_extents) * p.stride);
        sum += (mirrored ? std::conj(x) : x) * std::polar(1.0, direction * 2 * M_PI * turns);
      }
      store(out, p.out, b * p.out_distance + offset(to, p.out_extents) * p.stride, sum);
    }
  }
  return 0;
}

}  // extern "C"
