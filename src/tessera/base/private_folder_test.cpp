#include "tessera/base/private_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tessera/base/notices.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

class PrivateFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tessera_private_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    path = pattern;
    take_noted();
  }
  void TearDown() override { fs::remove_all(path); }

  std::optional<std::string> read(const std::string& name) const { return PrivateFolder::open(path)->read(name); }
  /// A valid file.
  std::string plant(const std::string& name) const {
    const std::string file = path + "/" + name;
    std::ofstream(file) << "planted";
    EXPECT_EQ(chmod(file.c_str(), 0600), 0);
    return file;
  }
  std::string path;
};

TEST_F(PrivateFolderTest, reads_what_was_written_and_keeps_it_from_others) {
  const auto folder = PrivateFolder::open(path);
  ASSERT_TRUE(folder);
  EXPECT_FALSE(folder->read("a"));
  EXPECT_TRUE(folder->write("a", std::string("one\0two", 7)));
  EXPECT_EQ(folder->read("a"), std::string("one\0two", 7));
  struct stat facts;
  ASSERT_EQ(stat((path + "/a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
  EXPECT_EQ(folder->list().size(), 1u);
  folder->remove("a");
  EXPECT_TRUE(folder->list().empty());
  EXPECT_TRUE(take_noted().empty());
}

TEST_F(PrivateFolderTest, lists_what_was_touched_last_as_the_latest) {
  const auto folder = PrivateFolder::open(path);
  folder->write("a", "12345");
  folder->write("b", "1");
  folder->touch("a");
  const auto entries = folder->list();
  ASSERT_EQ(entries.size(), 2u);
  const auto& a = entries[entries[0].name == "a" ? 0 : 1];
  const auto& b = entries[entries[0].name == "a" ? 1 : 0];
  EXPECT_EQ(a.size, 5);
  EXPECT_GE(a.used, b.used);
}

TEST_F(PrivateFolderTest, a_file_that_others_may_write_is_not_read) {
  EXPECT_EQ(chmod(plant("a").c_str(), 0620), 0);
  EXPECT_FALSE(read("a"));
  const auto said = take_noted();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_TRUE(
      said[0].starts_with(path + "/a may be written by its group (mode 0620), so others could put code of theirs"))
      << said[0];
  EXPECT_NE(said[0].find("TESSERA_CACHE"), std::string::npos);
}

TEST_F(PrivateFolderTest, links_and_what_is_no_file_are_not_read) {
  plant("target");
  fs::create_symlink("target", path + "/symbolic");
  EXPECT_FALSE(read("symbolic"));
  fs::create_hard_link(path + "/target", path + "/hard");
  EXPECT_FALSE(read("hard"));
  EXPECT_FALSE(read("target"));
  ASSERT_EQ(mkfifo((path + "/pipe").c_str(), 0600), 0);
  EXPECT_FALSE(read("pipe"));
  fs::create_directory(path + "/folder");
  EXPECT_FALSE(read("folder"));
}

TEST_F(PrivateFolderTest, a_file_of_another_user_is_not_read) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  ASSERT_EQ(chown(plant("a").c_str(), 65534, 0), 0);
  EXPECT_FALSE(read("a"));
}

TEST_F(PrivateFolderTest, what_was_planted_is_replaced_and_its_target_is_left) {
  plant("target");
  fs::create_symlink("target", path + "/a");
  const auto folder = PrivateFolder::open(path);
  EXPECT_TRUE(folder->write("a", "ours"));
  EXPECT_EQ(folder->read("a"), "ours");
  EXPECT_EQ(folder->read("target"), "planted");
}

TEST_F(PrivateFolderTest, says_once_that_a_folder_is_not_used) {
  EXPECT_EQ(PrivateFolder::problem(path), "");
  EXPECT_EQ(chmod(path.c_str(), 0777), 0);
  EXPECT_NE(PrivateFolder::problem(path), "");
  for (int turn = 0; turn < 3; ++turn) EXPECT_FALSE(PrivateFolder::open(path));
  EXPECT_TRUE(has_notices());
  EXPECT_EQ(take_noted().size(), 1u);
  EXPECT_FALSE(has_notices());
}

TEST_F(PrivateFolderTest, a_folder_put_in_its_place_later_is_not_seen) {
  const auto folder = PrivateFolder::open(path);
  const std::string kept = path + ".kept";
  fs::rename(path, kept);
  fs::create_directory(path);
  plant("a");
  EXPECT_FALSE(folder->read("a"));
  folder->write("b", "ours");
  EXPECT_TRUE(fs::exists(kept + "/b"));
  EXPECT_FALSE(fs::exists(path + "/b"));
  fs::remove_all(kept);
}

}  // namespace
}  // namespace tessera
