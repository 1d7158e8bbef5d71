#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tessera/base/cpu_level.h"
#include "tessera/base/format.h"
#include "tessera/base/object_cache.h"
#include "tessera/codegen/samples/sample_kernels.h"

namespace tessera::codegen {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tessera_cache_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override {
    fs::permissions(folder, fs::perms::owner_all);
    fs::remove_all(folder);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path());
    return all;
  }
  /// Compiles with a new compiler and checks a result.
  void expect_compiles(const CompilerOptions& options) {
    std::unique_ptr<Compiler> compiler = open_compiler(options);
    std::vector<double> a(100, 3), c(100, 4), out(100);
    Binding({100})
        .add(a.data(), {100}, 8)
        .add(c.data(), {100}, 8)
        .add(out.data(), {100}, 8)
        .run(compiler->compile(chain_kernel(DType::float64, false), Tier::quick)->entry());
    EXPECT_EQ(out[99], (3.0 + 4.0) * 3.0 - 4.0);
  }
  std::string folder;
};

TEST_F(Cache, finds_what_was_stored_and_nothing_else) {
  ObjectCache cache(folder, 1 << 20);
  EXPECT_FALSE(cache.find("key"));
  cache.store("key", std::string("object\0with a zero", 18));
  EXPECT_EQ(cache.find("key"), std::string("object\0with a zero", 18));
  EXPECT_FALSE(cache.find("another"));
  EXPECT_EQ(cache.failures(), 0);
}

TEST_F(Cache, makes_its_folder) {
  ObjectCache cache(folder + "/deep/er", 1 << 20);
  cache.store("key", "object");
  EXPECT_EQ(cache.find("key"), "object");
}

TEST_F(Cache, drops_an_entry_with_any_byte_changed) {
  ObjectCache cache(folder, 1 << 20);
  for (size_t at = 0; at < 60; at += 3) {
    cache.store("key", "a quite ordinary object");
    std::fstream file(files()[0], std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put('\x7f');
    file.close();
    EXPECT_FALSE(cache.find("key")) << at;
    EXPECT_TRUE(files().empty());
  }
}

TEST_F(Cache, drops_an_entry_cut_short) {
  ObjectCache cache(folder, 1 << 20);
  for (int size : {0, 5, 20, 40, 50}) {
    cache.store("key", "a quite ordinary object");
    fs::resize_file(files()[0], size);
    EXPECT_FALSE(cache.find("key")) << size;
  }
}

TEST_F(Cache, stays_below_its_limit_and_keeps_what_was_used_last) {
  const std::string object(1000, 'x');
  ObjectCache cache(folder, 20000);
  for (int k = 0; k < 60; ++k) {
    cache.store("key" + std::to_string(k), object);
    EXPECT_TRUE(cache.find("key0")) << k;
  }
  int64_t bytes = 0;
  for (const fs::path& file : files()) bytes += static_cast<int64_t>(fs::file_size(file));
  EXPECT_LE(bytes, 20000);
  EXPECT_GT(bytes, 10000);
  EXPECT_TRUE(cache.find("key59"));
  EXPECT_FALSE(cache.find("key1"));
  cache.store("huge", std::string(30000, 'x'));
  EXPECT_FALSE(cache.find("huge"));
}

TEST_F(Cache, a_file_in_the_folders_place_costs_nothing_but_time) {
  const std::string path = folder + "/file";
  std::ofstream(path) << "not a folder";
  ObjectCache cache(path, 1 << 20);
  cache.store("key", "object");
  EXPECT_FALSE(cache.find("key"));
  EXPECT_EQ(cache.failures(), 1);
  expect_compiles({.cache_folder = path});
}

TEST_F(Cache, a_read_only_folder_is_still_read) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  ObjectCache(folder, 1 << 20).store("key", "object");
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  ObjectCache cache(folder, 1 << 20);
  EXPECT_EQ(cache.find("key"), "object");
  cache.store("new", "object");
  EXPECT_EQ(cache.failures(), 1);
}

TEST_F(Cache, what_others_may_write_is_neither_read_nor_written) {
  ObjectCache cache(folder, 1 << 20);
  cache.store("key", "object");
  fs::permissions(folder, fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(cache.find("key"));
  cache.store("new", "object");
  EXPECT_EQ(cache.failures(), 1);
  EXPECT_EQ(files().size(), 1u);
  fs::permissions(folder, fs::perms::group_write, fs::perm_options::remove);
  EXPECT_TRUE(cache.find("key"));
  fs::permissions(files()[0], fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(cache.find("key"));
}

/// A file and a planted replacement swap places thousands of times: the object read is the one that was checked.
TEST_F(Cache, a_file_that_changes_places_with_a_planted_one_is_never_loaded) {
  ObjectCache(folder, 1 << 20).store("key", "good");
  const std::string place = files()[0].string();
  const std::string good = place + ".good", planted = place + ".planted", link = place + ".link";
  fs::copy_file(place, good);
  ObjectCache(folder, 1 << 20).store("key", "evil");
  fs::copy_file(place, planted);
  fs::permissions(planted, fs::perms::others_write, fs::perm_options::add);
  fs::create_symlink(planted, link);
  const auto is_swapped = [&](const std::string& next) {
    const std::string draft = place + ".draft";
    if (next == link) {
      fs::copy_symlink(link, draft);
    } else {
      fs::copy_file(next, draft);
    }
    return rename(draft.c_str(), place.c_str()) == 0;
  };
  fs::remove(place);
  std::atomic<bool> done{false};
  std::jthread other([&] {
    for (int turn = 0; !done; ++turn) EXPECT_TRUE(is_swapped(turn % 3 == 0 ? good : turn % 3 == 1 ? planted : link));
  });
  ObjectCache cache(folder, 1 << 20);
  int loaded = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (int turn = 0; turn < 3000 || (loaded == 0 && std::chrono::steady_clock::now() < end); ++turn) {
    const std::optional<std::string> found = cache.find("key");
    EXPECT_TRUE(!found || *found == "good");
    loaded += found.has_value();
  }
  done = true;
  EXPECT_GT(loaded, 0);
}

TEST_F(Cache, a_full_disk_leaves_no_half_entry) {
  // A limit on file size fails the write as a full disk does.
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    ObjectCache cache(folder, 1 << 20);
    cache.store("key", std::string(5000, 'x'));
    _exit(cache.failures() == 1 && !cache.find("key") ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(files().empty());
}

TEST_F(Cache, several_processes_share_a_folder) {
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process) {
    const pid_t child = fork();
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    bool good = true;
    ObjectCache cache(folder, 30000);
    for (int k = 0; k < 400; ++k) {
      const std::string key = "key" + std::to_string(k % 40);
      const std::string object(500 + k % 40, static_cast<char>('a' + k % 26));
      const std::optional<std::string> found = cache.find(key);
      if (found) good &= found->size() == object.size() || found->size() == 500u + static_cast<size_t>(k) % 40;
      cache.store(key, object);
    }
    _exit(good ? 0 : 1);
  }
  for (pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const fs::path& file : files()) EXPECT_EQ(file.extension(), ".tessera");
}

TEST_F(Cache, serves_a_new_compiler_and_repairs_itself) {
  const CompilerOptions options{.cache_folder = folder};
  expect_compiles(options);
  ASSERT_EQ(files().size(), 1u);
  const auto written = fs::file_size(files()[0]);
  expect_compiles(options);
  fs::resize_file(files()[0], written / 2);
  expect_compiles(options);
  ASSERT_EQ(files().size(), 1u);
  EXPECT_EQ(fs::file_size(files()[0]), written);
}

TEST_F(Cache, keeps_tiers_and_processor_levels_apart) {
  for (int level : {2, 3}) {
    std::unique_ptr<Compiler> compiler = open_compiler({.cache_folder = folder, .cpu_level = level});
    compiler->compile(chain_kernel(DType::float64, false), Tier::quick);
    compiler->compile(chain_kernel(DType::float64, false), Tier::full);
  }
  EXPECT_EQ(files().size(), 4u);
}

TEST_F(Cache, threads_compile_at_once) {
  std::unique_ptr<Compiler> compiler = open_compiler({.cache_folder = folder});
  std::vector<std::jthread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 6; ++k) {
        std::vector<double> a(10, 3), c(10, 4), out(10);
        Binding({10})
            .add(a.data(), {10}, 8)
            .add(c.data(), {10}, 8)
            .add(out.data(), {10}, 8)
            .run(compiler->compile(chain_kernel(DType::float64, k % 2), Tier::quick)->entry());
        wrong += out[9] != 17;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST(Target, is_the_level_that_the_rest_of_the_process_has) {
  const std::string target = open_compiler()->target();
  EXPECT_TRUE(target.starts_with(format("x86-64-v{} ", cpu_level()))) << target;
  setenv("TESSERA_CPU_LEVEL", "none that is known", 1);
  EXPECT_EQ(open_compiler()->target(), target);
  unsetenv("TESSERA_CPU_LEVEL");
}

}  // namespace
}  // namespace tessera::codegen
