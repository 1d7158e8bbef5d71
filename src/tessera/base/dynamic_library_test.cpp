#include "tessera/base/dynamic_library.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "tessera/base/notices.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

TEST(DynamicLibrary, what_the_environment_names_is_opened_only_where_others_could_not_put_it) {
  std::string folder = (fs::temp_directory_path() / "tessera_library_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string file = folder + "/libnamed_by_a_variable.so";
  fs::copy_file(DynamicLibrary::loaded("libm.so.6").file(), file);
  take_noted();
  ASSERT_EQ(chmod(file.c_str(), 0777), 0);
  std::string problem;
  EXPECT_FALSE(DynamicLibrary::try_open_named("TESSERA_BLAS", file, &problem));
  EXPECT_FALSE(DynamicLibrary::loaded(file));
  EXPECT_TRUE(problem.starts_with(file + " may be written by everyone (mode 0777)")) << problem;
  EXPECT_NE(problem.find("which TESSERA_BLAS names"), std::string::npos) << problem;
  EXPECT_FALSE(DynamicLibrary::try_open_named("TESSERA_BLAS", file));
  EXPECT_EQ(take_noted().size(), 1u);
  ASSERT_EQ(chmod(file.c_str(), 0755), 0);
  EXPECT_TRUE(DynamicLibrary::try_open_named("TESSERA_BLAS", file, &problem));
  EXPECT_TRUE(DynamicLibrary::try_open_named("TESSERA_BLAS", "libm.so.6"));
  EXPECT_TRUE(take_noted().empty());
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tessera
