// A cuFFT for the simulated device: transforms by the definition.
#include <cstdint>
#include <map>

#include "matrix.h"

namespace {

using simulated::Complex;

struct Plan {
  long long n, stride, in_distance, out_distance, batch;
  int in, out;
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

}  // namespace

extern "C" {

int cufftCreate(int* plan) { return *plan = next_plan++, 0; }
int cufftDestroy(int plan) { return plans.erase(plan), 0; }
int cufftSetStream(int, void*) { return 0; }
int cufftSetAutoAllocation(int, int on) { return on ? 4 : 0; }
int cufftSetWorkArea(int, void* memory) { return memory ? 0 : 4; }
int cufftXtMakePlanMany(int plan, int rank, long long* n, long long* in_embed, long long in_stride, long long in_distance, int in,
                        long long* out_embed, long long out_stride, long long out_distance, int out, long long batch, size_t* bytes,
                        int type) {
  if (rank != 1 || !in_embed || !out_embed || in_stride != out_stride || (type != 4 && type != 5)) return 4;
  plans[plan] = {*n, in_stride, in_distance, out_distance, batch, in, out};
  return *bytes = 64, 0;
}
int cufftXtExec(int handle, void* in, void* out, int direction) {
  const Plan& p = plans.at(handle);
  const bool from_real = p.in < 2, to_real = p.out < 2;
  for (long long b = 0; b < p.batch; ++b) {
    for (long long k = 0; k < (from_real ? p.n / 2 + 1 : p.n); ++k) {
      Complex sum = 0;
      for (long long j = 0; j < p.n; ++j) {
        const bool mirrored = to_real && j > p.n / 2;
        Complex x = load(in, p.in, b * p.in_distance + (mirrored ? p.n - j : j) * p.stride);
        if (mirrored) x = std::conj(x);
        sum += x * std::polar(1.0, direction * 2 * M_PI * static_cast<double>(j * k % p.n) / static_cast<double>(p.n));
      }
      store(out, p.out, b * p.out_distance + k * p.stride, sum);
    }
  }
  return 0;
}

}  // extern "C"
