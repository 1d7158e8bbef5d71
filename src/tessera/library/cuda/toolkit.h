/// Toolkit: finds NVIDIA's libraries on this machine. Each is opened on first use.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tessera/base/dynamic_library.h"
#include "tessera/base/format.h"
#include "tessera/base/mutex.h"
#include "tessera/library/device_library.h"

namespace tessera::library::cuda {

/// One library, with its names in the CUDA 13 and CUDA 12 toolkits.
struct Part {
  const char* title;
  const char* stem;
  int version_13, version_12;  // of the shared object, as in libcublas.so.13
  const char* package_13;
  const char* package_12;
};

inline constexpr Part cublas_part{"cuBLAS", "cublas", 13, 12, "nvidia-cublas", "nvidia-cublas-cu12"};
inline constexpr Part cufft_part{"cuFFT", "cufft", 12, 11, "nvidia-cufft", "nvidia-cufft-cu12"};
inline constexpr Part cusolver_part{"cuSOLVER", "cusolver", 12, 11, "nvidia-cusolver", "nvidia-cusolver-cu12"};
inline constexpr Part nvrtc_part{"NVRTC", "nvrtc", 13, 12, "nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12"};
inline constexpr Part nvfatbin_part{"nvFatbin", "nvfatbin", 13, 12, "nvidia-nvfatbin", "nvidia-nvfatbin-cu12"};
inline constexpr Part nvjitlink_part{"nvJitLink", "nvJitLink", 13, 12, "nvidia-nvjitlink", "nvidia-nvjitlink-cu12"};
inline constexpr const Part* parts[] = {&cublas_part, &cufft_part, &cusolver_part, &nvrtc_part};

/// The locations that the search uses.
struct Places {
  std::vector<std::string> package_folders;  // of the `nvidia-*` wheels
  std::string conda;                         // CONDA_PREFIX
  std::string cuda_home;                     // CUDA_HOME or CUDA_PATH
};
/// Python is asked for its packages' folders by the first call, and other threads may run meanwhile: nothing may be
/// locked.
Places places_of_this_machine();

struct Found {
  DynamicLibrary library;
  std::string origin;   // "already loaded", "Python package", "conda", "system", "CUDA_HOME"; empty when not found
  std::string problem;  // why the first existing candidate does not load
};
/// Opens the first of `names` that loads: already loaded, from a Python package, conda, the system, CUDA_HOME, in this
/// order.
Found find_library(std::span<const std::string> names, const Places& places);

/// The file names of a part for a driver of this version (13000 for 13.0), the preferred one first.
std::vector<std::string> names_of(const Part& part, runtime::Family family, int driver_version);
/// Opens the part for a device; throws LibraryMissing naming the package to install. Null stands for a machine without
/// a device, where any version serves.
Found open_part(const Part& part, const runtime::Device* device, const Places& places);

/// Parts that were not found are looked for again: there are other folders now.
void forget_missing_parts();

/// Looks up a function of an opened part; throws LibraryMissing when it is missing.
template <class Function>
void find_function(const Part& part, const Found& found, Function*& function, const char* symbol) {
  function = found.library.find_function<Function>(symbol);
  if (!function)
    throw LibraryMissing(part.title, format("{} has no {}: it is older than CUDA 12", found.library.file(), symbol));
}

/// Throws LibraryMissing when a part that was found fails to initialise, for lack of memory or a supported driver.
inline void require_start(const Part& part, int status) {
  if (status) throw LibraryMissing(part.title, format("{} does not start (status {})", part.title, status));
}

/// Sets the libraries up on a device, as their first use does. Throws LibraryMissing.
void open_cublas(runtime::Device& device, const Places& places);
void open_cufft(runtime::Device& device, const Places& places);
void open_cusolver(runtime::Device& device, const Places& places);

/// A library's state for a device, State(device, places), created on first use. Devices and their libraries live as
/// long as the process. `known`: the places, where the caller has them.
template <class State>
State& state_of(runtime::Device& device, const Places* known = nullptr) {
  static Mutex mutex;
  static auto& all = *new std::map<runtime::Device*, std::unique_ptr<State>>;
  {
    const std::lock_guard lock(mutex);
    if (const auto at = all.find(&device); at != all.end() && at->second) return *at->second;
  }
  const Places places = known ? *known : places_of_this_machine();  // before the mutex is locked
  const std::lock_guard lock(mutex);
  std::unique_ptr<State>& entry = all[&device];
  if (!entry) entry = std::make_unique<State>(device, places);
  return *entry;
}

}  // namespace tessera::library::cuda
