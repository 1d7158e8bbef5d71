#include "tessera/base/trusted_path.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tessera/base/private_group.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

/// A folder owned by this user inside the system's temporary folder, which has the sticky bit.
class TrustedPathTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tessera_path_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
  }
  void TearDown() override { fs::remove_all(root); }

  std::string make_folder(const std::string& name, mode_t mode = 0700) {
    const std::string path = root + "/" + name;
    fs::create_directories(path);
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }
  std::string make_file(const std::string& name, mode_t mode = 0644) {
    const std::string path = root + "/" + name;
    std::ofstream(path) << "code";
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }
  std::string root;
};

std::string distrust(const std::string& path, Wanted wanted = Wanted::private_folder) {
  return open_trusted(path, wanted).distrust;
}

TEST_F(TrustedPathTest, a_folder_of_ones_own_is_opened) {
  const TrustedPath found = open_trusted(make_folder("mine") + "/", Wanted::private_folder);
  EXPECT_TRUE(found) << found.distrust << found.error;
}

TEST_F(TrustedPathTest, folders_are_made_for_this_user_alone) {
  EXPECT_EQ(open_trusted(root + "/deep/er", Wanted::private_folder).error, ENOENT);
  EXPECT_TRUE(open_trusted(root + "/deep/er", Wanted::private_folder, Missing::is_made));
  for (const char* made : {"/deep", "/deep/er"}) {
    struct stat facts;
    ASSERT_EQ(stat((root + made).c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777, 0700u);
  }
}

TEST_F(TrustedPathTest, a_folder_that_others_may_write_is_named_with_its_mode) {
  EXPECT_EQ(distrust(make_folder("group", 0770)), root + "/group may be written by its group (mode 0770)");
  EXPECT_EQ(distrust(make_folder("all", 0707)), root + "/all may be written by everyone (mode 0707)");
  EXPECT_EQ(distrust(make_folder("sticky", 01777)), root + "/sticky may be written by everyone (mode 1777)");
}

TEST_F(TrustedPathTest, a_parent_that_others_may_write_is_not_followed) {
  make_folder("all/inner");
  make_folder("all", 0777);
  EXPECT_EQ(distrust(root + "/all/inner"), root + "/all may be written by everyone (mode 0777)");
  EXPECT_EQ(distrust(root + "/all/new"), root + "/all may be written by everyone (mode 0777)");
  EXPECT_FALSE(open_trusted(root + "/all/new", Wanted::private_folder, Missing::is_made));
  EXPECT_FALSE(fs::exists(root + "/all/new"));
}

TEST_F(TrustedPathTest, a_parent_with_the_sticky_bit_is_followed) {
  make_folder("sticky/inner");
  make_folder("sticky", 01777);
  EXPECT_TRUE(open_trusted(root + "/sticky/inner", Wanted::private_folder));
}

TEST_F(TrustedPathTest, the_group_that_a_user_is_alone_in_counts_as_the_user_above_the_folder) {
  const std::string inner = make_folder("group/inner"), group = make_folder("group", 0770);
  struct stat facts;
  ASSERT_EQ(stat(group.c_str(), &facts), 0);
  const Descriptor opened(open(group.c_str(), O_RDONLY));
  const bool is_alone = is_alone_in_group(facts.st_gid, opened.number());
  if (geteuid() == 0) EXPECT_FALSE(is_alone);
  EXPECT_EQ(static_cast<bool>(open_trusted(inner, Wanted::private_folder)), is_alone);
  EXPECT_FALSE(open_trusted(group, Wanted::private_folder));
  make_folder("group", 0772);
  EXPECT_FALSE(open_trusted(inner, Wanted::private_folder));
}

TEST_F(TrustedPathTest, a_folder_that_is_a_symbolic_link_is_not_followed) {
  make_folder("target");
  fs::create_directory_symlink("target", root + "/link");
  EXPECT_EQ(distrust(root + "/link"), root + "/link is a symbolic link");
  EXPECT_EQ(distrust(root + "/link/"), root + "/link is a symbolic link");
}

TEST_F(TrustedPathTest, links_on_the_way_are_followed_with_the_same_care) {
  make_folder("target/inner");
  fs::create_directory_symlink("target", root + "/relative");
  fs::create_directory_symlink(root + "/target/../target", root + "/absolute");
  EXPECT_TRUE(open_trusted(root + "/relative/inner", Wanted::private_folder));
  EXPECT_TRUE(open_trusted(root + "/absolute/inner", Wanted::private_folder));
  make_folder("target", 0777);
  EXPECT_EQ(distrust(root + "/absolute/inner"), root + "/target may be written by everyone (mode 0777)");
  fs::create_directory_symlink("circle", root + "/circle");
  EXPECT_EQ(open_trusted(root + "/circle/inner", Wanted::private_folder).error, ELOOP);
}

TEST_F(TrustedPathTest, what_belongs_to_another_user_is_not_used) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  constexpr uid_t another = 65534;
  ASSERT_EQ(chown(make_folder("theirs").c_str(), another, 0), 0);
  fs::create_directories(root + "/theirs/inner");
  EXPECT_EQ(distrust(root + "/theirs"), root + "/theirs belongs to user 65534");
  EXPECT_EQ(distrust(root + "/theirs/inner"), root + "/theirs belongs to user 65534");
  make_folder("target/inner");
  fs::create_directory_symlink("target", root + "/link");
  ASSERT_EQ(lchown((root + "/link").c_str(), another, 0), 0);
  EXPECT_EQ(distrust(root + "/link/inner"), root + "/link is a symbolic link of user 65534");
  ASSERT_EQ(chown(make_file("code").c_str(), another, 0), 0);
  EXPECT_EQ(distrust(root + "/code", Wanted::code_file), root + "/code belongs to user 65534");
}

TEST_F(TrustedPathTest, a_file_of_code_may_be_behind_links_of_ones_own) {
  make_file("library.so.1");
  fs::create_symlink("library.so.1", root + "/library.so");
  EXPECT_TRUE(open_trusted(root + "/library.so", Wanted::code_file));
  make_file("library.so.1", 0666);
  EXPECT_EQ(distrust(root + "/library.so", Wanted::code_file),
            root + "/library.so.1 may be written by everyone (mode 0666)");
  EXPECT_EQ(open_trusted(root, Wanted::code_file).error, EISDIR);
}

TEST_F(TrustedPathTest, a_path_may_begin_in_the_working_folder) {
  const fs::path before = fs::current_path();
  fs::current_path(make_folder("work/inner"));
  EXPECT_TRUE(open_trusted("../inner", Wanted::private_folder));
  make_folder("work", 0777);
  EXPECT_EQ(distrust("."), root + "/work may be written by everyone (mode 0777)");
  fs::current_path(before);
}

TEST_F(TrustedPathTest, what_is_opened_stays_what_was_checked) {
  const TrustedPath found = open_trusted(make_folder("mine"), Wanted::private_folder);
  fs::rename(root + "/mine", root + "/moved");
  make_folder("mine", 0777);
  struct stat opened, moved;
  ASSERT_EQ(fstat(found.place.number(), &opened), 0);
  ASSERT_EQ(stat((root + "/moved").c_str(), &moved), 0);
  EXPECT_EQ(opened.st_ino, moved.st_ino);
}

}  // namespace
}  // namespace tessera
