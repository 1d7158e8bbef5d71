#include "tessera/library/cuda/toolkit.h"

#include <atomic>
#include <cstdlib>
#include <map>

#include "tessera/base/error.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::library::cuda {

namespace {

std::function<std::vector<std::string>()>& package_folders_function() {
  static std::function<std::vector<std::string>()> function;
  return function;
}

constinit std::atomic<const std::vector<std::string>*> asked_folders = nullptr;

/// Where several threads come first, each asks, and the first answer holds: what was locked for the others would be
/// locked while Python runs.
const std::vector<std::string>& package_folders() {
  const std::vector<std::string>* known = asked_folders.load(std::memory_order_acquire);
  if (known) return *known;
  assert_nothing_locked("Python is asked for its packages' folders");
  const auto& ask = package_folders_function();
  auto answer = std::make_unique<const std::vector<std::string>>(ask ? ask() : std::vector<std::string>());
  if (!asked_folders.compare_exchange_strong(known, answer.get(), std::memory_order_acq_rel)) return *known;
  return *answer.release();
}

std::string variable(const char* name) {
  const char* value = secure_getenv(name);
  return value ? value : "";
}

/// The version that the library reports, such as "13.1.0".
std::string version_of(const Part& part, const DynamicLibrary& library) {
  const auto ask = library.find_function<int(int, int*)>(format("{}GetProperty", part.stem).c_str());
  std::string text;
  for (int place = 0; ask && place < 3; ++place) {
    int number = 0;
    if (ask(place, &number)) return {};
    text += (place ? "." : "") + std::to_string(number);
  }
  return text;
}

/// Failed searches, which are not repeated at every call.
class Missing {
 public:
  using Key = std::pair<const Part*, runtime::Family>;
  void throw_known(const Key& key) const {
    const std::lock_guard lock(mutex_);
    if (const auto at = all_.find(key); at != all_.end()) throw LibraryMissing(at->second);
  }
  void add(const Key& key, const LibraryMissing& missing) {
    const std::lock_guard lock(mutex_);
    all_.emplace(key, missing);
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    all_.clear();
  }

 private:
  mutable Mutex mutex_;
  std::map<Key, LibraryMissing> all_;
};

Missing& missing_parts() {
  static auto& missing = *new Missing;
  return missing;
}

}  // namespace

Places places_of_this_machine() {
  Places places;
  places.package_folders = package_folders();
  places.conda = variable("CONDA_PREFIX");
  places.cuda_home = variable("CUDA_HOME");
  if (places.cuda_home.empty()) places.cuda_home = variable("CUDA_PATH");
  if (places.cuda_home.empty()) places.cuda_home = "/usr/local/cuda";
  return places;
}

Found find_library(std::span<const std::string> names, const Places& places) {
  Found found;
  const auto take = [&](const std::string& path, const char* origin, const char* variable = nullptr) {
    std::string problem;
    found.library =
        variable ? DynamicLibrary::try_open_named(variable, path, &problem) : DynamicLibrary::try_open(path, &problem);
    if (found.library) found.origin = origin;
    if (found.problem.empty()) found.problem = problem;
    return !found.origin.empty();
  };
  for (const std::string& name : names) {
    if (DynamicLibrary library = DynamicLibrary::loaded(name)) return {std::move(library), "already loaded", ""};
  }
  for (const std::string& name : names)
    for (const std::string& folder : places.package_folders)
      if (take(folder + "/" + name, "Python package")) return found;
  for (const std::string& name : names)
    if (!places.conda.empty() && take(places.conda + "/lib/" + name, "conda", "CONDA_PREFIX")) return found;
  for (const std::string& name : names)
    if (take(name, "system")) return found;
  for (const std::string& name : names)
    for (const char* folder : {"/lib64/", "/lib/", "/targets/x86_64-linux/lib/"})
      if (!places.cuda_home.empty() && take(places.cuda_home + folder + name, "CUDA_HOME", "CUDA_HOME")) return found;
  return found;
}

std::vector<std::string> names_of(const Part& part, runtime::Family family, int driver_version) {
  if (family == runtime::Family::simulated) return {format("libsimulated_{}.so", part.stem)};
  std::vector<std::string> names;
  // A driver runs toolkits of its own major version and older ones.
  if (driver_version >= 13000) names.push_back(format("lib{}.so.{}", part.stem, part.version_13));
  names.push_back(format("lib{}.so.{}", part.stem, part.version_12));
  return names;
}

Found open_part(const Part& part, const runtime::Device* device, const Places& places) {
  constexpr int newest = 13000;
  const int driver = device ? device->facts().driver_version : newest;
  const runtime::Family family = device ? device->family() : runtime::Family::cuda;
  missing_parts().throw_known({&part, family});
  Found found = find_library(names_of(part, family, driver), places);
  if (found.library) return found;
  const bool is_new = driver >= 13000;
  const std::string message =
      format("{} {}: pip install {}, or tessera[{}] for all of CUDA's libraries", part.title,
             found.problem.empty() ? "was not found" : format("does not load ({})", found.problem),
             is_new ? part.package_13 : part.package_12, is_new ? "cuda13" : "cuda12");
  const LibraryMissing failure(part.title, message);
  missing_parts().add({&part, family}, failure);
  throw failure;
}

void forget_missing_parts() { missing_parts().forget(); }

}  // namespace tessera::library::cuda

namespace tessera::library {

void set_package_folders(std::function<std::vector<std::string>()> folders) {
  cuda::package_folders_function() = std::move(folders);
  cuda::asked_folders = nullptr;
  cuda::forget_missing_parts();
}

std::vector<LibraryFacts> device_libraries(const runtime::Device& device) {
  std::vector<LibraryFacts> facts;
  const cuda::Places places = cuda::places_of_this_machine();
  for (const cuda::Part* part : cuda::parts) {
    try {
      const cuda::Found found = cuda::open_part(*part, &device, places);
      facts.push_back({part->title, found.library.file(), found.origin, cuda::version_of(*part, found.library), ""});
    } catch (const LibraryMissing& missing) {
      facts.push_back({part->title, "", "", "", missing.what()});
    }
  }
  return facts;
}

void open_in_background(std::function<runtime::Device*()> device, std::string_view group, std::function<void()> done) {
  const cuda::Places places = cuda::places_of_this_machine();
  runtime::run_in_background([find = std::move(device), group = std::string(group), places, done = std::move(done)] {
    try {
      runtime::Device* device = find();
      if (!device || device->takes_ir()) return;
      if (group == "FFT") cuda::open_cufft(*device, places);
      if (group == "BLAS" || group == "LAPACK") cuda::open_cublas(*device, places);
      if (group == "LAPACK") cuda::open_cusolver(*device, places);
    } catch (const std::exception&) {  // the first call will report the problem
    }
    done();
  });
}

}  // namespace tessera::library
