#include "tessera/runtime/host/host_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/runtime/adopted_buffer.h"

namespace tessera::runtime {
namespace {

constexpr size_t mib = size_t{1} << 20;

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

TEST(HostPoolTest, BlocksAreAlignedAndLargeEnough) {
  for (size_t n : {size_t{0}, size_t{1}, size_t{64}, size_t{65}, size_t{1000}, size_t{1025}, size_t{32768},
                   size_t{32769}, mib - 1, 3 * mib, 5 * mib + 7}) {
    Ref<Buffer> buffer = HostPool::instance().allocate(n);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 64, 0u);
    EXPECT_EQ(buffer->nbytes(), n);
    EXPECT_GE(buffer->capacity(), n);
    std::memset(buffer->data(), 0x5A, n);
  }
}

TEST(HostPoolTest, FreedBlocksAreUsedAgain) {
  for (size_t n : {size_t{100}, size_t{100000}, 4 * mib}) {
    char* first = HostPool::instance().allocate(n)->data();
    EXPECT_EQ(HostPool::instance().allocate(n)->data(), first);
  }
}

TEST(HostPoolTest, ImpossibleSizesAreRefusedWithTheirSize) {
  auto message = [](size_t n) -> std::string {
    try {
      HostPool::instance().allocate(n);
    } catch (const OutOfMemory& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(size_t{8} << 40).find("Unable to allocate 8.00 TiB"), std::string::npos);
  EXPECT_NE(message(size_t{1} << 62).find("Unable to allocate 4.00 EiB"), std::string::npos);
  EXPECT_NE(message(~size_t{0}), "");
  HostPool::instance().allocate(10 * mib);  // the program continues
}

TEST(HostPoolTest, ZerosAreZerosAfterBlocksOfTheirSizeWereWritten) {
  HostPool& pool = HostPool::instance();
  for (int turn = 0; turn < 3; ++turn) {
    Ref<Buffer> used = pool.allocate(8 * mib);
    std::memset(used->data(), 1, used->nbytes());
    used = nullptr;
    Ref<Buffer> zeros = pool.allocate_zeros(8 * mib);
    for (size_t k = 0; k < zeros->nbytes(); k += 4096) ASSERT_EQ(zeros->data()[k], 0);
    std::memset(zeros->data(), 1, zeros->nbytes());
  }
  pool.trim();
}

TEST(HostPoolTest, TheLimitHolds) {
  HostPool& pool = HostPool::instance();
  pool.set_limit(pool.statistics().bytes_in_use + static_cast<int64_t>(10 * mib));
  Ref<Buffer> kept = pool.allocate(8 * mib);
  EXPECT_THROW(pool.allocate(4 * mib), OutOfMemory);
  kept = nullptr;
  EXPECT_NO_THROW(pool.allocate(4 * mib));
  pool.set_limit(0);
}

TEST(HostPoolTest, StatisticsAddUp) {
  HostPool& pool = HostPool::instance();
  int64_t before = pool.statistics().bytes_in_use;
  Ref<Buffer> small = pool.allocate(1000), large = pool.allocate(mib);
  EXPECT_EQ(pool.statistics().bytes_in_use, before + static_cast<int64_t>(small->capacity() + large->capacity() + 64));
  // The last reference may be dropped on another thread.
  std::thread([&] {
    small = nullptr;
    large = nullptr;
  }).join();
  EXPECT_EQ(pool.statistics().bytes_in_use, before);
  pool.trim();
}

TEST(HostPoolTest, IdleMemoryDoesNotRaiseThePeak) {
  HostPool& pool = HostPool::instance();
  pool.trim();
  // What earlier tests used at once may stay idle, too.
  const int64_t most = std::max<int64_t>(190 * mib, pool.statistics().peak_bytes_in_use);
  int64_t before = resident_bytes(), peak = 0;
  // Sizes for which no idle block fits: idle blocks must be freed before more is mapped.
  for (size_t n = 40; n < 200; n += 30) {
    Ref<Buffer> buffer = pool.allocate(n * mib);
    std::memset(buffer->data(), 1, buffer->nbytes());
    peak = std::max(peak, resident_bytes() - before);
  }
  EXPECT_LT(peak, static_cast<int64_t>(1.1 * static_cast<double>(most)) + static_cast<int64_t>(40 * mib));
  pool.trim();
  EXPECT_LT(resident_bytes() - before, static_cast<int64_t>(10 * mib));
}

TEST(HostPoolTest, BuffersOfManyThreadsDoNotOverlap) {
  std::vector<std::thread> threads;
  std::atomic<int> overwritten = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &overwritten] {
      struct Kept {
        Ref<Buffer> buffer;
        size_t bytes;
        char content;
      };
      const auto is_intact = [](const Kept& kept) {
        return std::all_of(kept.buffer->data(), kept.buffer->data() + kept.bytes,
                           [&](char byte) { return byte == kept.content; });
      };
      std::vector<Kept> kept;
      for (int k = 0; k < 3000; ++k) {
        const size_t bytes = static_cast<size_t>((k * 7919 + t) % 20000) * (k % 16 == 0 ? 10 : 1);
        kept.push_back({HostPool::instance().allocate(bytes), bytes, static_cast<char>(31 * t + k)});
        std::memset(kept.back().buffer->data(), kept.back().content, bytes);
        if (kept.size() <= 20) continue;
        overwritten += !is_intact(kept[k % 20]);
        kept.erase(kept.begin() + k % 20);
      }
      for (const Kept& last : kept) overwritten += !is_intact(last);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(overwritten, 0);
}

TEST(BufferTest, AdoptedMemoryIsReleasedOnce) {
  int released = 0;
  double value = 3;
  {
    Ref<Buffer> buffer = adopt(&value, sizeof value, [&] { ++released; });
    Ref<Buffer> copy = buffer;
    EXPECT_EQ(copy->data(), reinterpret_cast<char*>(&value));
  }
  EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace tessera::runtime
