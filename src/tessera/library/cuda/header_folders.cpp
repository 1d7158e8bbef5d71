#include "tessera/library/cuda/header_folders.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tessera::library::cuda {

namespace fs = std::filesystem;

namespace {

/// 13 where the folder has the headers of CUDA 13; 0 where it has others.
int major_of(const fs::path& folder) {
  std::ifstream file(folder / "cuda_runtime_api.h");
  constexpr std::string_view define = "#define CUDART_VERSION";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(define)) return std::atoi(line.c_str() + define.size()) / 1000;
  return 0;
}

class Folders {
 public:
  explicit Folders(int major) : major_(major) {}

  /// The folder of a whole toolkit.
  bool add_toolkit(const fs::path& folder) {
    if (major_of(folder) != major_) return false;
    add(folder);
    add(folder / "cccl");
    return true;
  }
  void add(const fs::path& folder) {
    std::error_code error;
    const std::string name = fs::weakly_canonical(folder, error).string();
    if (!error && fs::is_directory(name, error) && std::ranges::find(found_, name) == found_.end())
      found_.push_back(name);
  }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  int major_;
  std::vector<std::string> found_;
};

/// `nvidia/cu13/include`; for CUDA 12 a folder for each package, `nvidia/cuda_runtime/include` among them.
void add_packages(Folders& folders, const fs::path& root, int major) {
  std::error_code error;
  if (folders.add_toolkit(root / ("cu" + std::to_string(major)) / "include")) return;
  if (major_of(root / "cuda_runtime" / "include") != major) return;
  std::vector<fs::path> packages;
  for (const fs::directory_entry& entry : fs::directory_iterator(root, error)) packages.push_back(entry.path());
  std::ranges::sort(packages);
  for (const fs::path& package : packages)
    if (!package.filename().string().starts_with("cu1")) folders.add(package / "include");
}

}  // namespace

std::vector<std::string> header_folders(const std::string& library, const Places& places, int major) {
  Folders folders(major);
  std::error_code error;
  const fs::path file = fs::weakly_canonical(library, error);
  folders.add_toolkit(file.parent_path().parent_path() / "include");
  for (const std::string& package : places.package_folders)
    add_packages(folders, fs::path(package).parent_path().parent_path(), major);
  if (!places.conda.empty()) {
    folders.add_toolkit(fs::path(places.conda) / "include");
    folders.add_toolkit(fs::path(places.conda) / "targets" / "x86_64-linux" / "include");
  }
  if (!places.cuda_home.empty()) folders.add_toolkit(fs::path(places.cuda_home) / "include");
  return folders.take();
}

}  // namespace tessera::library::cuda
