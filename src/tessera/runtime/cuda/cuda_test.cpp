#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/runtime/cuda/cuda_device.h"
#include "tessera/runtime/cuda/fake_driver.h"
#include "tessera/runtime/cuda/memory_pool.h"
#include "tessera/runtime/cuda/staging.h"

namespace tessera::runtime::cuda {
namespace {

constexpr int64_t mebibyte = int64_t{1} << 20;

TEST(CudaPool, gives_back_what_was_freed_for_requests_of_about_the_size) {
  FakeDriver fake;
  MemoryPool pool(fake.table);
  const MemoryPool::Block block = pool.take(10 * mebibyte);
  pool.give_back(block);
  EXPECT_EQ(pool.take(10 * mebibyte - 5).address, block.address);
  EXPECT_EQ(fake.allocations, 1);
  EXPECT_EQ(pool.statistics().reuses, 1);
  EXPECT_NE(pool.take(2 * mebibyte).address, block.address);
}

TEST(CudaPool, never_hands_one_block_to_two) {
  FakeDriver fake;
  MemoryPool pool(fake.table);
  EXPECT_NE(pool.take(1000).address, pool.take(1000).address);
  EXPECT_EQ(pool.statistics().bytes_in_use, 2048);
}

TEST(CudaPool, frees_its_cache_before_it_gives_up) {
  FakeDriver fake;
  MemoryPool pool(fake.table);
  pool.give_back(pool.take(40 * mebibyte));
  EXPECT_EQ(pool.statistics().bytes_cached, 40 * mebibyte);
  const MemoryPool::Block large = pool.take(60 * mebibyte);
  EXPECT_EQ(pool.statistics().bytes_cached, 0);
  EXPECT_THROW(pool.take(10 * mebibyte), OutOfMemory);
  pool.give_back(large);
  EXPECT_NE(pool.take(10 * mebibyte).address, 0u);
}

TEST(CudaPool, keeps_to_its_limit) {
  FakeDriver fake;
  MemoryPool pool(fake.table);
  pool.set_limit(20 * mebibyte);
  pool.give_back(pool.take(16 * mebibyte));
  const MemoryPool::Block block = pool.take(8 * mebibyte);
  EXPECT_THROW(pool.take(16 * mebibyte), OutOfMemory);
  pool.set_limit(0);
  pool.give_back(block);
  EXPECT_EQ(pool.statistics().peak_bytes_in_use, 16 * mebibyte);
}

TEST(CudaStaging, copies_any_size_both_ways) {
  FakeDriver fake;
  fake.capacity = size_t{256} << 20;
  Staging staging(fake.table, nullptr, nullptr);
  for (size_t size : {size_t{1}, size_t{4096}, size_t{1} << 20, (size_t{50} << 20) + 13}) {
    std::vector<char> from(size), to(size);
    for (size_t k = 0; k < size; ++k) from[k] = static_cast<char>(k * 2654435761u >> 13);
    Address address = 0;
    ASSERT_EQ(fake.table.memory_allocate(&address, size), 0);
    staging.copy_in(address, from.data(), size);
    const CopyOut piece{to.data(), static_cast<const char*>(FakeDriver::as_pointer(address)), size};
    staging.copy_out({&piece, 1});
    EXPECT_EQ(from, to);
  }
}

TEST(CudaStaging, pins_memory_once_copies_repay_it) {
  FakeDriver fake;
  Staging staging(fake.table, nullptr, nullptr);
  std::vector<char> from(size_t{1} << 20), to(from.size());
  for (int turn = 0; turn < 15; ++turn) staging.copy_in(reinterpret_cast<Address>(to.data()), from.data(), from.size());
  EXPECT_EQ(fake.pinned, 0);
  staging.copy_in(reinterpret_cast<Address>(to.data()), from.data(), from.size());
  EXPECT_EQ(fake.pinned, 2);
}

TEST(CudaStaging, copies_pinned_memory_without_pieces) {
  FakeDriver fake;
  Staging staging(fake.table, nullptr, nullptr);
  const size_t size = size_t{40} << 20;
  std::vector<char> from(size), device(size), to(size);
  for (size_t k = 0; k < size; ++k) from[k] = static_cast<char>(k * 2654435761u >> 13);
  ASSERT_EQ(fake.table.host_register(from.data(), size, 0), 0);
  ASSERT_EQ(fake.table.host_register(to.data(), size, 0), 0);
  staging.copy_in(reinterpret_cast<Address>(device.data()), from.data(), size);
  EXPECT_EQ(fake.waits, 1);
  const CopyOut piece{to.data(), device.data(), size};
  staging.copy_out({&piece, 1});
  EXPECT_EQ(fake.pinned, 1);  // for small pieces
  EXPECT_EQ(from, to);
}

TEST(CudaStaging, waits_once_for_pieces_that_are_few) {
  FakeDriver fake;
  Staging staging(fake.table, nullptr, nullptr);
  std::vector<char> from(size_t{300} << 10), to(from.size());
  for (size_t k = 0; k < from.size(); ++k) from[k] = static_cast<char>(k * 2654435761u >> 13);
  const auto part = [&](size_t begin, size_t end) {
    return CopyOut{to.data() + begin, from.data() + begin, end - begin};
  };
  const CopyOut few[] = {part(0, 8), part(8, 8), part(8, 40'000)};
  staging.copy_out(few);
  EXPECT_EQ(fake.waits, 1);
  const CopyOut many[] = {part(40'000, 90'000), part(90'000, 240'000), part(240'000, 260'000),
                          part(260'000, from.size())};
  staging.copy_out(many);
  EXPECT_EQ(from, to);
}

TEST(CudaStaging, has_a_few_bytes_sent_once_a_program_synchronises_often) {
  FakeDriver fake;
  Staging staging(fake.table, nullptr, nullptr);
  const char from[] = "what the device has, in pieces";
  for (int turn = 0; turn < 20; ++turn) {
    char to[sizeof from] = {};
    const size_t cut = static_cast<size_t>(turn % 8);
    const CopyOut pieces[] = {
        {to, from, cut}, {to + cut, from + cut, 5}, {to + cut + 5, from + cut + 5, sizeof from - cut - 5}};
    staging.copy_out(pieces);
    ASSERT_STREQ(to, from);
  }
  EXPECT_GT(fake.copied_small, 20);
  EXPECT_GT(fake.waits, 0);
  EXPECT_LT(fake.waits, 10);
}

TEST(CudaDevice, turns_driver_codes_into_exceptions) {
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  EXPECT_EQ(device.facts().name, "fake");
  EXPECT_EQ(device.facts().capability, 10 * fake.capability + capability_minor);
  const Ref<Buffer> buffer = device.allocate(100);
  fake.failure = 700;
  EXPECT_THROW(device.stream().synchronize(), RuntimeError);
  try {
    device.stream().copy(buffer->data(), buffer->data(), 4);
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_NE(std::string(error.what()).find("made to fail (CUDA_ERROR_FAKE)"), std::string::npos);
  }
  fake.failure = out_of_memory;
  EXPECT_THROW(device.allocate(100), OutOfMemory);
  fake.failure = success;
}

TEST(CudaDevice, is_not_opened_when_no_kernels_are_made_for_it) {
  FakeDriver fake;
  fake.capability = 6;
  EXPECT_THROW(open_device(fake.table, 0), RuntimeError);
  EXPECT_EQ(fake.streams, 0);
}

TEST(CudaDevice, asks_for_room_before_it_gives_up) {
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  Ref<Buffer> held = device.allocate(40 << 20);
  int asked = 0;
  device.set_relief([&](int64_t nbytes) {
    EXPECT_EQ(nbytes, 50 << 20);
    held = nullptr;
    return ++asked == 1;
  });
  EXPECT_NE(device.allocate(50 << 20)->data(), nullptr);
  EXPECT_EQ(asked, 1);
  held = device.allocate(30 << 20);
  const Ref<Buffer> more = device.allocate(30 << 20);
  EXPECT_THROW(device.allocate(50 << 20), OutOfMemory);
}

TEST(CudaDevice, is_out_of_use_after_an_error_that_stays) {
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  const Ref<Buffer> buffer = device.allocate(100);
  fake.failure = 1;  // invalid argument
  EXPECT_THROW(device.stream().synchronize(), RuntimeError);
  EXPECT_TRUE(device.is_usable());
  fake.failure = 700;
  EXPECT_THROW(device.stream().synchronize(), DeviceFailure);
  fake.failure = success;
  EXPECT_FALSE(device.is_usable());
  EXPECT_NE(device.failure().find("waiting for the device"), std::string::npos);
  for (const int lasting : {214, 220, 226, 719, 721, 810, 911, 999})
    EXPECT_THROW(check(fake.table, lasting, "a call"), DeviceFailure) << lasting;
}

TEST(CudaDevice, runs_a_kernel_again_when_the_cache_held_its_memory) {
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  const auto program = device.load("text", "kernel");
  device.allocate(1 << 20);
  fake.needed_by_launch = fake.capacity;
  device.stream().launch(*program, {}, {});
  EXPECT_EQ(device.statistics().bytes_cached, 0);
  const Ref<Buffer> held = device.allocate(1 << 20);
  try {
    device.stream().launch(*program, {}, {});
    FAIL();
  } catch (const OutOfMemory&) {
    FAIL() << "who catches that counts on nothing having run";
  } catch (const RuntimeError&) {
  }
}

TEST(CudaDevice, queues_again_what_was_written_down) {
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  const auto program = device.load("text", "kernel");
  auto replay = device.stream().capture([&] { device.stream().launch(*program, {}, {}); });
  ASSERT_NE(replay, nullptr);
  device.stream().replay(*replay);
  device.stream().replay(*replay);
  EXPECT_EQ(fake.replays, 2);
  EXPECT_THROW(device.stream().capture([] { throw RuntimeError("no"); }), RuntimeError);
  replay = nullptr;
  EXPECT_EQ(fake.graphs, 0);
  EXPECT_EQ(fake.captures, 0);
  fake.failure = 801;  // not supported
  EXPECT_EQ(device.stream().capture([] {}), nullptr);
}

TEST(CudaDevice, launches_early_where_the_driver_can_and_nothing_is_written_down) {
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  const auto program = device.load("text", "kernel");
  const auto launch = [&] { device.stream().launch(*program, {}, {}, Begin::early); };
  launch();
  device.stream().launch(*program, {}, {});
  EXPECT_EQ(fake.launched_early, 1);
  const auto replay = device.stream().capture(launch);
  EXPECT_EQ(fake.captured.size(), 1u);
  fake.table.launch_with = nullptr;
  launch();
  EXPECT_EQ(fake.launched_early, 1);
}

TEST(CudaDevice, counts_what_its_stream_is_asked_for) {
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  Stream& stream = device.stream();
  const auto program = device.load("text", "kernel");
  const Ref<Buffer> memory = device.allocate(64);
  uint64_t before = stream.requests();
  stream.launch(*program, {}, {});
  EXPECT_EQ(stream.requests(), before + 1);
  const Ref<Buffer> more = device.allocate(64);  // makes no request to the stream
  EXPECT_EQ(stream.requests(), before + 1);
  const std::function<void()> others[] = {[&] { stream.copy(more->data(), memory->data(), 8); },
                                          [&] { stream.fill_zero(more->data(), 8); }, [&] { stream.handle(); },
                                          [&] { stream.record(); }};
  for (const auto& other : others) {
    before = stream.requests();
    other();
    EXPECT_GT(stream.requests(), before);
  }
}

TEST(CudaDevice, captures_parts_that_wait_for_no_more_than_they_need) {
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  const auto program = device.load("text", "kernel");
  const int launches[] = {1, 2, 0, 1, 1};  // per part
  const auto work = [&] {
    for (const int count : launches) {
      device.stream().begin_part();
      for (int k = 0; k < count; ++k) device.stream().launch(*program, {}, {});
    }
  };
  const std::vector<std::vector<int32_t>> after = {{}, {}, {1, 0}, {0}, {2}};
  auto replay = device.stream().capture(work, after);
  EXPECT_EQ(fake.captured, (std::vector<std::vector<int>>{{}, {}, {1}, {0}, {0, 2}}));
  EXPECT_TRUE(device.stream().rewrite(*replay, work));
  replay = device.stream().capture(work);
  EXPECT_EQ(fake.captured, (std::vector<std::vector<int>>{{}, {0}, {1}, {2}, {3}}));
  fake.refuses_branches = true;
  replay = device.stream().capture(work, after);
  EXPECT_EQ(fake.captured, (std::vector<std::vector<int>>{{}, {0}, {1}, {2}, {3}}));
  replay = nullptr;
  EXPECT_EQ(fake.captures, 0);
}

TEST(CudaDevice, captures_what_two_of_them_do) {
  FakeDriver fake;
  Device &first = *open_device(fake.table, 0), &second = *open_device(fake.table, 1);
  const auto program = first.load("text", "kernel"), other = second.load("text", "kernel");
  char value = 1;
  const auto work = [&] {
    first.stream().launch(*program, {}, std::span(&value, 1));
    second.stream().wait_for(*first.stream().record());
    second.stream().launch(*other, {}, std::span(&value, 1));
  };
  Stream* const beside[] = {&second.stream()};
  const auto replay = first.stream().capture(work, {}, beside);
  ASSERT_NE(replay, nullptr);
  EXPECT_EQ(fake.captured.size(), 2u);
  void *const leads = first.stream().handle(), *const follows = second.stream().handle();
  using Orders = std::vector<std::pair<void*, void*>>;
  const auto orders_of = [&](auto&& queue) {
    fake.orders.clear();
    queue();
    return fake.orders;
  };
  const auto run = [&] { first.stream().replay(*replay); };
  const auto launch = [&] { second.stream().launch(*other, {}, {}); };
  EXPECT_EQ(orders_of(run), (Orders{{leads, follows}}));
  EXPECT_EQ(orders_of(run), Orders{});  // the other one got nothing in between
  EXPECT_EQ(orders_of(launch), (Orders{{follows, leads}}));
  EXPECT_EQ(orders_of(launch), Orders{});
  EXPECT_EQ(orders_of(run), (Orders{{leads, follows}}));
  // Once other code may queue work there, that is not seen.
  second.stream().lend();
  EXPECT_EQ(orders_of(run), (Orders{{leads, follows}, {follows, leads}}));
  EXPECT_EQ(orders_of(run), (Orders{{leads, follows}, {follows, leads}}));
  value = 2;
  EXPECT_EQ(orders_of([&] { EXPECT_TRUE(first.stream().rewrite(*replay, work)); }), Orders{});
  EXPECT_EQ(fake.rewrites, 2);
}

TEST(CudaDevice, changes_the_parameters_of_what_was_written_down) {
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  const auto program = device.load("text", "kernel");
  const auto queue = [&](char first, char second) {
    return [&, first, second] {
      device.stream().launch(*program, {}, std::span(&first, 1));
      device.stream().launch(*program, {}, std::span(&second, 1));
    };
  };
  const auto replay = device.stream().capture(queue(1, 2));
  ASSERT_NE(replay, nullptr);
  EXPECT_TRUE(device.stream().rewrite(*replay, queue(1, 3)));
  EXPECT_EQ(fake.rewrites, 1);
  EXPECT_TRUE(device.stream().rewrite(*replay, queue(1, 3)));
  EXPECT_EQ(fake.rewrites, 1);
  EXPECT_FALSE(device.stream().rewrite(*replay, [] {}));
  EXPECT_FALSE(device.stream().rewrite(*replay, [&] { device.stream().launch(*program, {.blocks = {2, 1, 1}}, {}); }));
  fake.failure = 801;
  EXPECT_FALSE(device.stream().rewrite(*replay, queue(4, 3)));
}

TEST(CudaDevice, reaches_the_memory_of_another_where_the_driver_allows_it) {
  FakeDriver fake;
  Device &first = *open_device(fake.table, 0), &second = *open_device(fake.table, 1);
  second.reach(first);
  EXPECT_EQ(fake.reached, 0);
  fake.are_peers = true;
  first.reach(second);
  first.reach(second);
  EXPECT_EQ(fake.reached, 1);
  const Ref<Buffer> from = first.allocate(1000), to = second.allocate(1000);
  std::memset(from->data(), 7, 1000);
  second.stream().wait_for(*first.stream().record());
  second.stream().copy(to->data(), from->data(), 1000);
  EXPECT_EQ(fake.orders.back().first, second.stream().handle());
  EXPECT_EQ(fake.orders.back().second, first.stream().handle());
  EXPECT_EQ(std::memcmp(to->data(), from->data(), 1000), 0);
}

TEST(CudaDevice, copies_both_ways_at_once) {
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  const size_t nbytes = (size_t{9} << 20) + 5;
  std::vector<char> from(nbytes), to(nbytes);
  for (size_t k = 0; k < nbytes; ++k) from[k] = static_cast<char>(k * 2654435761u >> 13);
  const Ref<Buffer> old = device.allocate(nbytes), fresh = device.allocate(nbytes);
  device.stream().copy_in(old->data(), from.data(), nbytes);
  const int before = fake.streams;
  Stream &in = device.inbound(), &out = device.outbound();
  EXPECT_EQ(fake.streams - before, 2);
  for (int turn = 0; turn < 5; ++turn) {  // from the third iteration on through pinned memory
    std::thread home([&] { out.copy_out(to.data(), old->data(), nbytes); });
    in.copy_in(fresh->data(), from.data(), nbytes);
    home.join();
  }
  EXPECT_EQ(to, from);
  EXPECT_EQ(std::memcmp(fresh->data(), from.data(), nbytes), 0);
  device.inbound();
  EXPECT_EQ(fake.streams - before, 2);
}

TEST(CudaDevice, reuses_memory_once_its_buffer_is_gone) {
  FakeDriver fake;
  Device& device = *open_device(fake.table, 0);
  Ref<Buffer> buffer = device.allocate(5000);
  const char* data = buffer->data();
  buffer = nullptr;
  EXPECT_EQ(device.allocate(5000)->data(), data);
}

}  // namespace
}  // namespace tessera::runtime::cuda
