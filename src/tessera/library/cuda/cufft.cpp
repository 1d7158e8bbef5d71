// Fourier transforms by cuFFT. A plan depends on shapes only and is cached; its workspace comes from the device's pool.

#include <array>
#include <list>

#include "tessera/base/error.h"
#include "tessera/base/mutex.h"
#include "tessera/library/cuda/cublas.h"
#include "tessera/library/cuda/toolkit.h"
#include "tessera/library/device_library.h"

namespace tessera::library::on_device {

using namespace cuda;

namespace {

/// Member, symbol and arguments; all functions return a status.
#define TESSERA_CUFFT_FUNCTIONS(X)                                                                                  \
  X(create, "cufftCreate", (int*))                                                                                  \
  X(destroy, "cufftDestroy", (int))                                                                                 \
  X(set_stream, "cufftSetStream", (int, void*))                                                                     \
  X(set_auto_allocation, "cufftSetAutoAllocation", (int, int))                                                      \
  X(set_work_area, "cufftSetWorkArea", (int, void*))                                                                \
  X(make_plan, "cufftXtMakePlanMany",                                                                               \
    (int, int, long long*, long long*, long long, long long, int, long long*, long long, long long, int, long long, \
     size_t*, int))                                                                                                 \
  X(run, "cufftXtExec", (int, void*, void*, int))

struct Cufft {
#define TESSERA_CUFFT_MEMBER(member, symbol, arguments) int(*member) arguments = nullptr;
  TESSERA_CUFFT_FUNCTIONS(TESSERA_CUFFT_MEMBER)
#undef TESSERA_CUFFT_MEMBER
};

/// Extents of the transformed axes, in cuFFT's integer type.
using Points = std::array<long long, most_fft_axes>;

/// The parameters that determine a plan: `batch` transforms of n points, with `stride` between points and `distance`
/// between transforms; `in` and `out` are the extents read and written.
struct PlanKey {
  int rank;
  Points n, in, out;
  long long batch, stride, in_distance, out_distance;
  int in_type, out_type;
  auto operator<=>(const PlanKey&) const = default;
};

struct Plan {
  int handle;
  size_t workspace;
};

void check(int status, const char* what, const Points& n) {
  if (status == 0) [[likely]]
    return;
  constexpr int alloc_failed = 2;
  const std::string message =
      format("fft of {} points failed on the GPU: {} (cuFFT status {})", n[0] * n[1] * n[2], what, status);
  if (status == alloc_failed) throw OutOfMemory(message);
  throw RuntimeError(message);
}

/// The plans of one device.
class Plans {
 public:
  Plans(runtime::Device& device, const Places& places)
      : device_(device),
        found_(open_part(cufft_part, &device, places)){
#define TESSERA_CUFFT_FIND(member, symbol, arguments) find_function(cufft_part, found_, table.member, symbol);
            TESSERA_CUFFT_FUNCTIONS(TESSERA_CUFFT_FIND)
#undef TESSERA_CUFFT_FIND
        }

        Plan find(const PlanKey& key) {
    for (auto at = plans_.begin(); at != plans_.end(); ++at) {
      if (at->first != key) continue;
      plans_.splice(plans_.begin(), plans_, at);
      return at->second;
    }
    if (plans_.size() >= most) {
      device_.stream().synchronize();  // an execution may still be in flight
      table.destroy(plans_.back().second.handle);
      plans_.pop_back();
    }
    Plan plan{};
    require_start(cufft_part, table.create(&plan.handle));
    check(table.set_auto_allocation(plan.handle, 0), "making a plan", key.n);
    Points n = key.n, in = key.in, out = key.out;
    const int double_types = key.in_type == type_f64 || key.in_type == type_c128;
    const int status = table.make_plan(plan.handle, key.rank, n.data(), in.data(), key.stride, key.in_distance,
                                       key.in_type, out.data(), key.stride, key.out_distance, key.out_type, key.batch,
                                       &plan.workspace, double_types ? type_c128 : type_c64);
    if (status) table.destroy(plan.handle);
    check(status, "making a plan", key.n);
    plans_.emplace_front(key, plan);
    return plan;
  }

  Cufft table;
  Mutex mutex;  // from find() until the plan has been run: it keeps a stream and a workspace

 private:
  static constexpr size_t most = 64;
  runtime::Device& device_;
  Found found_;
  std::list<std::pair<PlanKey, Plan>> plans_;  // most recently used first
};

}  // namespace

}  // namespace tessera::library::on_device

void tessera::library::cuda::open_cufft(runtime::Device& device, const Places& places) {
  device.stream().handle();
  state_of<on_device::Plans>(device, &places);
}

namespace tessera::library::on_device {

void fft(runtime::Device& device, FftKind kind, const Strided& in, const Strided& out, int axis, int rank) {
  Plans& plans = state_of<Plans>(device);
  const size_t first = static_cast<size_t>(axis + 1 - rank), count = static_cast<size_t>(rank);
  PlanKey key{.rank = rank, .n = {1, 1, 1}, .in = {1, 1, 1}, .out = {1, 1, 1}};
  const Strided& points = kind == FftKind::real_backward ? out : in;
  int64_t outer = 1, inner = 1, have = 1, give = 1;
  for (size_t i = 0; i < in.view.shape.size(); ++i) {
    if (i < first || i >= first + count) {
      (i < first ? outer : inner) *= in.view.shape[i];
      continue;
    }
    key.n[i - first] = points.view.shape[i];
    have *= key.in[i - first] = in.view.shape[i];
    give *= key.out[i - first] = out.view.shape[i];
  }
  // One call with a single stride covers the lines of the last axis, or the columns of one matrix.
  const int64_t calls = inner == 1 ? 1 : outer;
  key.batch = inner == 1 ? outer : inner;
  key.stride = inner;
  key.in_distance = inner == 1 ? have : 1;
  key.out_distance = inner == 1 ? give : 1;
  key.in_type = data_type(in.view.dtype);
  key.out_type = data_type(out.view.dtype);
  void* stream = device.stream().handle();
  const std::lock_guard lock(plans.mutex);
  const Plan plan = plans.find(key);
  const Ref<runtime::Buffer> workspace = device.allocate(plan.workspace + 1);
  check(plans.table.set_stream(plan.handle, stream), "choosing a stream", key.n);
  check(plans.table.set_work_area(plan.handle, workspace->data()), "giving it memory", key.n);
  const bool backward = kind == FftKind::backward || kind == FftKind::real_backward;
  const int64_t lines = inner == 1 ? outer : inner;  // of one call
  const int64_t read = have * lines * in.view.itemsize(), written = give * lines * out.view.itemsize();
  // cuFFT refuses real numbers that are not aligned as complex ones are: those go through memory of their own.
  const auto is_odd = [](const char* data, const Strided& of) {
    return !is_complex(of.view.dtype) && reinterpret_cast<uintptr_t>(data) % (2 * of.view.itemsize()) != 0;
  };
  Ref<runtime::Buffer> aligned;
  for (int64_t call = 0; call < calls; ++call) {
    char* from = in.data + call * read;
    char* to = out.data + call * written;
    const bool copies_in = is_odd(from, in), copies_out = is_odd(to, out);
    if ((copies_in || copies_out) && !aligned) aligned = device.allocate(copies_in ? read : written);
    if (copies_in) device.stream().copy(aligned->data(), from, read);
    char* const source = copies_in ? aligned->data() : from;
    char* const target = copies_out ? aligned->data() : to;
    check(plans.table.run(plan.handle, source, target, backward ? 1 : -1), "running", key.n);
    if (copies_out) device.stream().copy(to, aligned->data(), written);
  }
}

}  // namespace tessera::library::on_device
