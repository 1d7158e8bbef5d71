#include "tessera/library/cuda/toolkit.h"

#include <gtest/gtest.h>

#include <barrier>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

#include "tessera/library/code_bundle.h"
#include "tessera/library/code_linker.h"
#include "tessera/library/source_compiler.h"

namespace tessera::library::cuda {
namespace {

namespace fs = std::filesystem;

/// A simulated machine of folders, each with a library under the requested names.
class Toolkit : public testing::Test {
 protected:
  Toolkit()
      : root_(fs::temp_directory_path() /
              ("toolkit" + std::to_string(getpid()) + testing::UnitTest::GetInstance()->current_test_info()->name())) {}
  ~Toolkit() override { fs::remove_all(root_); }

  std::string folder(const char* name) const { return (root_ / name).string(); }
  /// Any library serves; to the loader, a copy under another name is another library.
  void put(const std::string& in, const std::string& name) {
    fs::create_directories(in);
    fs::copy_file(DynamicLibrary::loaded("libm.so.6").file(), in + "/" + name);
  }
  Found find(std::initializer_list<std::string> names) const {
    return find_library(std::vector<std::string>(names), places_);
  }

  fs::path root_;
  Places places_{
      .package_folders = {folder("first"), folder("second")}, .conda = folder("conda"), .cuda_home = folder("cuda")};
};

TEST_F(Toolkit, packages_come_before_conda_and_CUDA_HOME) {
  put(folder("cuda") + "/lib64", "libtoolkit_a.so.1");
  EXPECT_EQ(find({"libtoolkit_a.so.1"}).origin, "CUDA_HOME");
  put(folder("conda") + "/lib", "libtoolkit_b.so.1");
  put(folder("cuda") + "/lib64", "libtoolkit_b.so.1");
  EXPECT_EQ(find({"libtoolkit_b.so.1"}).origin, "conda");
  put(folder("second"), "libtoolkit_c.so.1");
  put(folder("conda") + "/lib", "libtoolkit_c.so.1");
  const Found found = find({"libtoolkit_c.so.1"});
  EXPECT_EQ(found.origin, "Python package");
  EXPECT_EQ(found.library.file(), folder("second") + "/libtoolkit_c.so.1");
}

TEST_F(Toolkit, what_is_loaded_already_comes_first) {
  put(folder("first"), "libm.so.6");
  EXPECT_EQ(find({"libm.so.6"}).origin, "already loaded");
}

TEST_F(Toolkit, the_newer_version_wins_within_a_place) {
  put(folder("second"), "libtoolkit_d.so.13");
  put(folder("first"), "libtoolkit_d.so.12");
  EXPECT_EQ(find({"libtoolkit_d.so.13", "libtoolkit_d.so.12"}).library.file(),
            folder("second") + "/libtoolkit_d.so.13");
}

TEST_F(Toolkit, a_file_that_does_not_load_is_passed_over) {
  fs::create_directories(folder("first"));
  std::ofstream(folder("first") + "/libtoolkit_e.so.1") << "no library";
  put(folder("conda") + "/lib", "libtoolkit_e.so.1");
  EXPECT_EQ(find({"libtoolkit_e.so.1"}).origin, "conda");
}

TEST_F(Toolkit, what_is_there_and_does_not_load_is_told_from_what_is_not_there) {
  fs::create_directories(folder("first"));
  std::ofstream(folder("first") + "/libtoolkit_f.so.1") << "no library";
  const Found broken = find({"libtoolkit_f.so.1"});
  EXPECT_FALSE(broken.library);
  EXPECT_TRUE(broken.problem.starts_with(folder("first") + "/libtoolkit_f.so.1: ")) << broken.problem;
  const Found missing = find({"libtoolkit_nowhere.so.1"});
  EXPECT_FALSE(missing.library);
  EXPECT_EQ(missing.problem, "");
}

TEST(ToolkitFolders, packages_folders_are_asked_for_once) {
  int asked = 0;
  set_package_folders([&] { return ++asked, std::vector<std::string>{"/packages/nvidia/lib"}; });
  for (int turn = 0; turn < 3; ++turn)
    EXPECT_EQ(places_of_this_machine().package_folders, std::vector<std::string>{"/packages/nvidia/lib"});
  EXPECT_EQ(asked, 1);
  set_package_folders({});
  EXPECT_TRUE(places_of_this_machine().package_folders.empty());
}

/// As Python's: a thread has it while it calls the engine, and lets the others run while it is asked.
class Interpreter {
 public:
  std::vector<std::string> folders() {
    gil_.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gil_.lock();
    return {};
  }
  template <class Body>
  void run(Body&& body) {
    const std::lock_guard lock(gil_);
    body();
  }

 private:
  std::mutex gil_;
};

TEST(ToolkitFolders, threads_that_search_first_at_once_all_end) {
  for (int turn = 0; turn < 10; ++turn) {
    Interpreter interpreter;
    set_package_folders([&] { return interpreter.folders(); });
    std::barrier together(8);
    std::vector<std::jthread> threads;
    for (int k = 0; k < 8; ++k)
      threads.emplace_back([&, k] {
        together.arrive_and_wait();
        const auto uses = [&](auto&& use) {
          interpreter.run([&] {
            try {
              use();
            } catch (const std::exception&) {  // where the libraries are not there
            }
          });
        };
        for (int use = 0; use < 4; ++use) switch ((k + use) % 4) {
            case 0: uses([] { source_compiler(nullptr); }); break;
            case 1: uses([] { bundle_code({}); }); break;
            case 2: uses([] { link_code({}, {.capability = 80}); }); break;
            default: uses([] { open_part(cublas_part, nullptr, places_of_this_machine()); });
          }
      });
  }
  set_package_folders({});
}

TEST(ToolkitNames, a_driver_gets_libraries_no_newer_than_itself) {
  EXPECT_EQ(names_of(cusolver_part, runtime::Family::cuda, 13000),
            (std::vector<std::string>{"libcusolver.so.12", "libcusolver.so.11"}));
  EXPECT_EQ(names_of(cublas_part, runtime::Family::cuda, 12040), (std::vector<std::string>{"libcublas.so.12"}));
}

}  // namespace
}  // namespace tessera::library::cuda
