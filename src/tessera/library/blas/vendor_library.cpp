#include "tessera/library/blas/vendor_library.h"

#include <link.h>

#include <cstdlib>
#include <mutex>
#include <vector>

namespace tessera::library {

namespace {

std::mutex preferred_mutex;
std::string preferred_path;

// An OpenBLAS somebody already loaded is the one to share: two would fight over the cores.
int collect_loaded(dl_phdr_info* object, size_t, void* out) {
  const std::string path = object->dlpi_name ? object->dlpi_name : "";
  if (path.find("openblas") != std::string::npos) static_cast<std::vector<std::string>*>(out)->push_back(path);
  return 0;
}

std::vector<std::string> candidates() {
  std::vector<std::string> paths;
  {
    std::lock_guard lock(preferred_mutex);
    if (!preferred_path.empty()) paths.push_back(preferred_path);
  }
  if (const char* path = std::getenv("TESSERA_BLAS")) paths.push_back(path);
  dl_iterate_phdr(collect_loaded, &paths);
  for (const char* name : {"libopenblas64_.so.0", "libopenblas.so.0", "libopenblas.so", "libblas.so.3"}) paths.push_back(name);
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
  for (const std::string& path : candidates()) {
    if (try_open(path)) return;
  }
}

bool VendorLibrary::try_open(const std::string& path) {
  DynamicLibrary library = DynamicLibrary::try_open(path);
  if (!library) return false;
  for (const Naming& naming : namings) {
    if (!library.find((std::string(naming.prefix) + "cblas_dgemm" + naming.suffix).c_str())) continue;
    blas_ = std::move(library);
    prefix_ = naming.prefix;
    suffix_ = naming.suffix;
    wide_integers_ = naming.wide;
    if (!blas_.find((prefix_ + "dgesv_" + suffix_).c_str())) lapack_ = DynamicLibrary::try_open(naming.wide ? "liblapack64_.so.3" : "liblapack.so.3");
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

void* VendorLibrary::find_cblas(const std::string& name) const {
  return blas_.find((prefix_ + "cblas_" + name + suffix_).c_str());
}

void* VendorLibrary::find_lapack(const std::string& name) const {
  const std::string symbol = prefix_ + name + "_" + suffix_;
  return lapack_ ? lapack_.find(symbol.c_str()) : blas_.find(symbol.c_str());
}

}  // namespace tessera::library
