#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/runtime/cuda/cuda_device.h"
#include "tessera/runtime/cuda/fake_driver.h"
#include "tessera/runtime/user_streams.h"

namespace tessera::runtime::cuda {
namespace {

using Orders = std::vector<std::pair<void*, void*>>;

/// A device and one user's stream.
class UserStreamOfCuda : public testing::Test {
 protected:
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  std::shared_ptr<Program> program = device.load("text", "kernel");
  std::shared_ptr<UserStream> stream = device.user_streams()->make();
  void* own = device.stream().handle();

  /// What was ordered by the work.
  template <class Work>
  Orders orders_of(Work&& work) {
    fake.orders.clear();
    work();
    return fake.orders;
  }
  void launch(Stream& where) { where.launch(*program, {}, {}); }
};

TEST_F(UserStreamOfCuda, follows_the_devices_own_stream_once_that_had_work) {
  void* user = reinterpret_cast<char*>(&fake) + fake.streams;
  EXPECT_EQ(orders_of([&] { launch(stream->stream()); }), (Orders{{user, own}}));
  EXPECT_EQ(orders_of([&] { launch(stream->stream()); }), Orders{});
  EXPECT_EQ(orders_of([&] { launch(device.stream()); }), (Orders{{own, user}}));
  EXPECT_EQ(orders_of([&] { launch(device.stream()); }), Orders{});
  EXPECT_EQ(orders_of([&] { launch(stream->stream()); }), (Orders{{user, own}}));
}

TEST_F(UserStreamOfCuda, is_found_by_its_handle) { EXPECT_EQ(device.user_streams()->make(stream->share()), stream); }

TEST_F(UserStreamOfCuda, of_other_code_is_not_used_when_it_goes) {
  int other_code = 0;
  std::shared_ptr<UserStream> external = device.user_streams()->make(&other_code);
  launch(external->stream());
  EXPECT_EQ(orders_of([&] { external.reset(); }), Orders{});
}

TEST_F(UserStreamOfCuda, is_not_ordered_against_others) {
  const std::shared_ptr<UserStream> other = device.user_streams()->make();
  launch(stream->stream());
  launch(other->stream());
  EXPECT_EQ(orders_of([&] {
              launch(stream->stream());
              launch(other->stream());
              stream->stream().record();
            }),
            Orders{});
  EXPECT_EQ(orders_of([&] { device.stream().synchronize(); }).size(), 2u);
}

TEST_F(UserStreamOfCuda, keeps_memory_until_its_work_is_done) {
  Ref<Buffer> memory = device.allocate(5000);
  const char* data = memory->data();
  launch(stream->stream());
  fake.busy = true;
  stream->hold({std::exchange(memory, nullptr)});
  const Ref<Buffer> other = device.allocate(5000);
  EXPECT_NE(other->data(), data);
  fake.busy = false;
  EXPECT_EQ(device.allocate(5000)->data(), data);
  stream->hold({device.allocate(5000)});
  stream->release_done();
  EXPECT_EQ(device.allocate(5000)->data(), data);
}

TEST_F(UserStreamOfCuda, gives_memory_up_where_there_is_no_other) {
  fake.busy = true;
  stream->hold({device.allocate(40 << 20)});
  EXPECT_NE(device.allocate(50 << 20)->data(), nullptr);
  EXPECT_GT(fake.waits, 0);
  EXPECT_THROW(device.allocate(80 << 20), OutOfMemory);
}

TEST_F(UserStreamOfCuda, copies_pinned_memory_at_once) {
  UserStreams& all = *device.user_streams();
  const size_t nbytes = 9 << 20;
  const Ref<Buffer> pinned = all.allocate_pinned(nbytes), memory = device.allocate(nbytes);
  EXPECT_TRUE(all.is_pinned(pinned->data(), nbytes));
  EXPECT_FALSE(all.is_pinned(pinned->data(), nbytes + 1));
  std::memset(pinned->data(), 7, nbytes);
  const int copies = fake.copies, waits = fake.waits;
  stream->start_copy_in(memory->data(), pinned->data(), nbytes);
  std::memset(pinned->data(), 0, nbytes);
  stream->start_copy_out(pinned->data(), memory->data(), nbytes);
  EXPECT_EQ(fake.copies, copies + 2);
  EXPECT_EQ(fake.waits, waits);
  EXPECT_EQ(pinned->data()[nbytes - 1], 7);
}

TEST_F(UserStreamOfCuda, pins_memory_in_place) {
  UserStreams& all = *device.user_streams();
  std::vector<char> memory(1000);
  EXPECT_FALSE(all.is_pinned(memory.data(), memory.size()));
  all.pin(memory.data(), memory.size());
  EXPECT_TRUE(all.is_pinned(memory.data() + 10, 990));
  all.unpin(memory.data());
  EXPECT_FALSE(all.is_pinned(memory.data(), memory.size()));
  EXPECT_THROW(all.unpin(memory.data()), RuntimeError);
}

TEST_F(UserStreamOfCuda, is_destroyed_after_the_devices_own_stream_was_ordered_behind_it) {
  void* user = stream->share();
  EXPECT_EQ(orders_of([&] { stream = nullptr; }), (Orders{{own, user}}));
  EXPECT_EQ(fake.streams_destroyed, 1);
  EXPECT_EQ(orders_of([&] { launch(device.stream()); }), Orders{});
}

TEST_F(UserStreamOfCuda, of_other_code_may_have_work_at_any_time) {
  stream = device.user_streams()->make(&fake.streams);
  for (int turn = 0; turn < 2; ++turn)
    EXPECT_EQ(orders_of([&] { launch(device.stream()); }), (Orders{{own, &fake.streams}}));
  stream = nullptr;
  EXPECT_EQ(fake.streams_destroyed, 1) << "the one before";
}

TEST_F(UserStreamOfCuda, takes_times) {
  const std::unique_ptr<Event> start = stream->stream().record_timed(), end = stream->stream().record_timed();
  EXPECT_GE(end->since(*start), 0);
  fake.busy = true;
  EXPECT_FALSE(end->is_done());
}

TEST(CudaProgram, is_allowed_much_dynamic_shared_memory_once) {
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  const auto program = device.load("text", "kernel");
  const auto launch = [&](uint32_t bytes) { device.stream().launch(*program, {.shared_bytes = bytes}, {}); };
  launch(48 << 10);
  EXPECT_EQ(fake.dynamic_bytes, 48 << 10);
  EXPECT_EQ(fake.allowed_dynamic, 0);
  launch(64 << 10);
  EXPECT_EQ(fake.allowed_dynamic, 64 << 10);
  fake.allowed_dynamic = 0;
  launch(50 << 10);
  EXPECT_EQ(fake.allowed_dynamic, 0);
}

}  // namespace
}  // namespace tessera::runtime::cuda
