#include "tessera/library/blas/vendor_library.h"

#include <link.h>

#include <cstdlib>
#include <vector>

#include "tessera/base/mutex.h"

namespace tessera::library {

namespace {

constexpr const char* variable = "TESSERA_BLAS";
Mutex preferred_mutex;
std::string preferred_path;

// An OpenBLAS that the process has loaded already is shared: two would compete for the cores.
int collect_loaded(dl_phdr_info* object, size_t, void* out) {
  const std::string path = object->dlpi_name ? object->dlpi_name : "";
  if (path.find("openblas") != std::string::npos) static_cast<std::vector<std::string>*>(out)->push_back(path);
  return 0;
}

std::string preference() {
  std::lock_guard lock(preferred_mutex);
  return preferred_path;
}

std::vector<std::string> candidates() {
  std::vector<std::string> paths;
  dl_iterate_phdr(collect_loaded, &paths);
  for (const char* name : {"libopenblas64_.so.0", "libopenblas.so.0", "libopenblas.so", "libblas.so.3"})
    paths.push_back(name);
  return paths;
}

struct Naming {
  const char* prefix;
  const char* suffix;
  bool wide;
};
constexpr Naming namings[] = {{"scipy_", "64_", true}, {"", "64_", true}, {"scipy_", "", false}, {"", "", false}};

}  // namespace

VendorLibrary::VendorLibrary() {
  const std::string preferred = preference();
  if (!preferred.empty() && take(DynamicLibrary::try_open(preferred))) return;
  const char* path = secure_getenv(variable);
  if (path && take(DynamicLibrary::try_open_named(variable, path))) return;
  for (const std::string& candidate : candidates()) {
    if (take(DynamicLibrary::try_open(candidate))) return;
  }
}

bool VendorLibrary::take(DynamicLibrary library) {
  if (!library) return false;
  for (const Naming& naming : namings) {
    if (!library.find((std::string(naming.prefix) + "cblas_dgemm" + naming.suffix).c_str())) continue;
    blas_ = std::move(library);
    prefix_ = naming.prefix;
    suffix_ = naming.suffix;
    wide_integers_ = naming.wide;
    if (!blas_.find((prefix_ + "dgesv_" + suffix_).c_str()))
      lapack_ = DynamicLibrary::try_open(naming.wide ? "liblapack64_.so.3" : "liblapack.so.3");
    return true;
  }
  return false;
}

const VendorLibrary& VendorLibrary::instance() {
  static const VendorLibrary library;
  return library;
}

void VendorLibrary::prefer(const std::string& path) {
  std::lock_guard lock(preferred_mutex);
  preferred_path = path;
}

int VendorLibrary::threads() const {
  auto* get = blas_ ? blas_.find_function<int()>((prefix_ + "openblas_get_num_threads" + suffix_).c_str()) : nullptr;
  return get ? get() : 0;
}

void VendorLibrary::set_threads(int count) const {
  auto* set =
      blas_ ? blas_.find_function<void(int)>((prefix_ + "openblas_set_num_threads" + suffix_).c_str()) : nullptr;
  if (set) set(count);
}

namespace {

/// The guards that are there, and the number of threads before the first.
struct {
  Mutex mutex;
  int guards = 0;
  int threads_before = 0;
} one_thread;

}  // namespace

VendorLibrary::OneThread::OneThread() {
  const std::lock_guard lock(one_thread.mutex);
  if (one_thread.guards++ > 0) return;
  one_thread.threads_before = instance().threads();
  if (one_thread.threads_before > 1) instance().set_threads(1);
}

VendorLibrary::OneThread::~OneThread() {
  const std::lock_guard lock(one_thread.mutex);
  if (--one_thread.guards == 0 && one_thread.threads_before > 1) instance().set_threads(one_thread.threads_before);
}

void* VendorLibrary::find_cblas(const std::string& name) const {
  return blas_.find((prefix_ + "cblas_" + name + suffix_).c_str());
}

void* VendorLibrary::find_lapack(const std::string& name) const {
  const std::string symbol = prefix_ + name + "_" + suffix_;
  return lapack_ ? lapack_.find(symbol.c_str()) : blas_.find(symbol.c_str());
}

}  // namespace tessera::library
