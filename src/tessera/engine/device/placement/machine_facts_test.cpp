#include "tessera/engine/device/placement/machine_facts.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tessera/base/private_folder.h"
#include "tessera/runtime/cuda/cuda_device.h"
#include "tessera/runtime/cuda/fake_driver.h"

namespace tessera::engine {
namespace {

constexpr plan::MachineFacts machine{.host_bytes = 20e9,
                                     .host_steps = 10e9,
                                     .device_bytes = 4e12,
                                     .device_steps = 5e12,
                                     .to_device = 20e9,
                                     .to_host = 12e9};

TEST(MachineFacts, are_read_back_for_the_same_machine_only) {
  plan::MachineFacts found;
  const std::string text = write_facts(machine, "this one");
  EXPECT_FALSE(read_facts(text, "another", found));
  EXPECT_FALSE(read_facts(text.substr(0, text.size() / 2), "this one", found));
  EXPECT_FALSE(read_facts("this one\n1 2 3 4 0 6 7 8 9 10 11\n", "this one", found));
  ASSERT_TRUE(read_facts(text, "this one", found));
  EXPECT_EQ(write_facts(found, "this one"), text);
}

TEST(MachineFacts, of_a_device_without_memory_are_the_usual_ones) {
  runtime::cuda::FakeDriver fake;
  fake.capacity = size_t{1} << 20;
  const plan::MachineFacts facts = find_machine_facts(*runtime::cuda::open_device(fake.table, 0), "");
  EXPECT_EQ(facts.device_bytes, plan::MachineFacts().device_bytes);
}

TEST(MachineFacts, of_a_damaged_file_are_measured_anew) {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "tessera_facts_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  runtime::cuda::FakeDriver fake;
  fake.capacity = size_t{1} << 30;
  const auto device = runtime::cuda::open_device(fake.table, 0);
  const plan::MachineFacts first = find_machine_facts(*device, folder);
  EXPECT_GT(first.first_touch, 0);
  EXPECT_EQ(write_facts(find_machine_facts(*device, folder), "m"), write_facts(first, "m"));  // read from the file
  const auto file = fs::directory_iterator(folder)->path();
  std::ofstream(file, std::ios::trunc) << "3 dam";
  find_machine_facts(*device, folder);
  std::ifstream again(file);
  std::string machine;
  std::getline(again, machine);
  std::ostringstream rest;
  rest << again.rdbuf();
  plan::MachineFacts found;
  EXPECT_TRUE(read_facts(machine + "\n" + rest.str(), machine, found)) << rest.str();
  fs::remove_all(folder);
}

TEST(MachineFacts, measured_by_several_at_once_leave_one_whole_file) {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "tessera_facts_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  runtime::cuda::FakeDriver fake;
  fake.capacity = size_t{1} << 30;
  const auto device = runtime::cuda::open_device(fake.table, 0);
  const pid_t other = fork();
  if (other == 0) {  // writes what it measured while this process measures, too
    const plan::MachineFacts theirs = machine;
    for (int k = 0; k < 200; ++k)
      if (const auto kept = PrivateFolder::open(folder, Missing::is_made))
        for (const auto& entry : fs::directory_iterator(folder))
          kept->write(entry.path().filename().string(), write_facts(theirs, "theirs"));
    _exit(0);
  }
  for (int k = 0; k < 3; ++k) EXPECT_GT(find_machine_facts(*device, folder).first_touch, 0);
  int status = 0;
  ASSERT_EQ(waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
  const plan::MachineFacts last = find_machine_facts(*device, folder);
  EXPECT_EQ(write_facts(find_machine_facts(*device, folder), "m"), write_facts(last, "m"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tessera::engine
