#include "tessera/comm/node/node_communicator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "tessera/base/error.h"

namespace tessera::comm {
namespace {

/// A rank among others that only shared memory reaches.
class Alone final : public Communicator {
 public:
  Alone(int rank, int size) : rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const std::string& host() const override { return name_; }
  const std::string& library() const override { return name_; }
  void send(int, int, const char*, int64_t, Requests&) override { ADD_FAILURE(); }
  void receive(int, int, char*, int64_t, Requests&) override { ADD_FAILURE(); }
  bool test(Requests&) override { return ADD_FAILURE(), true; }
  bool has_arrived(int, int) override { return false; }
  void finish() override {}

 private:
  int rank_, size_;
  std::string name_ = "here";
};

/// Ranks in threads of one process.
class Node {
 public:
  explicit Node(int ranks) {
    constexpr int64_t all = INT64_MAX;
    SharedMemory memory;
    for (int k = 0; k < ranks; ++k) {
      const auto nbytes = static_cast<size_t>(NodeCommunicator::nbytes_for(ranks));
      void* begin = std::aligned_alloc(64, (nbytes + 63) / 64 * 64);
      std::memset(begin, 0, nbytes);
      memory_.emplace_back(static_cast<char*>(begin), std::free);
      memory.ranks.push_back(k);
      memory.begins.push_back(memory_.back().get());
    }
    for (int k = 0; k < ranks; ++k)
      made_.push_back(std::make_unique<NodeCommunicator>(std::make_unique<Alone>(k, ranks), memory, all));
  }
  NodeCommunicator& operator[](int rank) { return *made_[static_cast<size_t>(rank)]; }

 private:
  std::vector<std::unique_ptr<char, void (*)(void*)>> memory_;
  std::vector<std::unique_ptr<NodeCommunicator>> made_;
};

std::vector<char> content(uint64_t seed, size_t nbytes) {
  std::mt19937_64 random(seed);
  std::vector<char> bytes(nbytes);
  for (size_t at = 0; at < nbytes; at += sizeof(uint64_t)) {
    const uint64_t word = random();
    std::memcpy(bytes.data() + at, &word, std::min(sizeof word, nbytes - at));
  }
  return bytes;
}

void wait_for(NodeCommunicator& rank, Requests& requests) {
  while (!rank.test(requests)) std::this_thread::yield();
}

TEST(NodeCommunicator, brings_a_message_that_was_asked_for_before_or_after_it_came) {
  Node node(2);
  for (const bool asks_first : {true, false}) {
    for (const size_t nbytes : {0, 1, 28000, 255000}) {
      const std::vector<char> sent = content(nbytes, nbytes);
      std::vector<char> got(nbytes);
      Requests sends, receives;
      if (asks_first) node[1].receive(0, 7, got.data(), static_cast<int64_t>(nbytes), receives);
      node[0].send(1, 7, sent.data(), static_cast<int64_t>(nbytes), sends);
      EXPECT_TRUE(node[0].test(sends));
      EXPECT_EQ(node[1].has_arrived(0, 7), !asks_first);
      if (!asks_first) node[1].receive(0, 7, got.data(), static_cast<int64_t>(nbytes), receives);
      EXPECT_TRUE(node[1].test(receives));
      EXPECT_EQ(got, sent);
      EXPECT_FALSE(node[1].has_arrived(0, 7));
    }
  }
}

TEST(NodeCommunicator, keeps_a_message_that_came_before_the_one_asked_for) {
  Node node(3);
  const std::vector<char> first = content(1, 100), second = content(2, 200), third = content(3, 300);
  Requests requests;
  node[2].send(0, 1, first.data(), 100, requests);
  node[2].send(0, 2, second.data(), 200, requests);
  node[2].send(0, 1, third.data(), 300, requests);
  EXPECT_TRUE(node[2].test(requests));
  std::vector<char> got(300);
  const auto take = [&](int tag, size_t nbytes) {
    got.resize(nbytes);
    Requests receives;
    node[0].receive(2, tag, got.data(), static_cast<int64_t>(nbytes), receives);
    EXPECT_TRUE(node[0].test(receives));
    return got;
  };
  EXPECT_EQ(take(2, 200), second);
  EXPECT_FALSE(node[0].has_arrived(2, 3));
  EXPECT_TRUE(node[0].has_arrived(2, 1));
  EXPECT_EQ(take(1, 100), first);
  EXPECT_EQ(take(1, 300), third);
}

TEST(NodeCommunicator, takes_a_long_message_in_parts_that_is_asked_for_while_it_comes) {
  Node node(2);
  const std::vector<char> sent = content(4, 5'000'000);
  std::vector<char> got(sent.size());
  Requests sends, receives;
  node[0].send(1, 9, sent.data(), static_cast<int64_t>(sent.size()), sends);
  EXPECT_FALSE(node[0].test(sends));
  EXPECT_TRUE(node[1].has_arrived(0, 9));
  node[1].receive(0, 9, got.data(), static_cast<int64_t>(got.size()), receives);
  EXPECT_FALSE(node[1].has_arrived(0, 9));
  while (!sends.empty() || !receives.empty()) {
    node[0].test(sends);
    node[1].test(receives);
  }
  EXPECT_EQ(got, sent);
}

TEST(NodeCommunicator, refuses_a_message_that_is_longer_than_was_expected) {
  Node node(2);
  const std::vector<char> sent = content(5, 64);
  char got[32];
  Requests sends, receives;
  node[0].send(1, 3, sent.data(), 64, sends);
  EXPECT_THROW(node[1].receive(0, 3, got, 32, receives), RuntimeError);
}

/// Every rank sends every other one messages of random lengths and tags; each is asked for in another order.
void exchange_at_random(int ranks, uint64_t seed) {
  constexpr int messages = 60, tags = 4;
  Node node(ranks);
  const auto lengths = [&](int from, int to) {
    std::mt19937_64 random(seed * 1000 + static_cast<uint64_t>(from * 31 + to));
    std::vector<std::pair<int, size_t>> all;
    for (int k = 0; k < messages; ++k) {
      const size_t most = random() % 8 == 0 ? 700'000 : random() % 4 == 0 ? 30'000 : 300;
      all.emplace_back(static_cast<int>(random() % tags), random() % most);
    }
    return all;
  };
  const auto seed_of = [&](int from, int to, int k) {
    return static_cast<uint64_t>((from * 64 + to) * messages + k) + 1;
  };
  std::vector<std::thread> threads;
  for (int own = 0; own < ranks; ++own)
    threads.emplace_back([&, own] {
      NodeCommunicator& rank = node[own];
      std::mt19937_64 random(seed + static_cast<uint64_t>(own));
      std::vector<std::vector<char>> sent, got, expected;
      Requests requests;
      for (int peer = 0; peer < ranks; ++peer) {
        if (peer == own) continue;
        // Of one tag in order; among tags in any.
        std::vector<std::pair<int, int>> order;
        const auto coming = lengths(peer, own);
        for (int k = 0; k < messages; ++k) order.emplace_back(coming[static_cast<size_t>(k)].first, k);
        if (random() % 2) std::ranges::stable_sort(order, {}, [](const auto& each) { return each.first; });
        const auto going = lengths(own, peer);
        for (int k = 0; k < messages; ++k) {
          const auto& [tag, nbytes] = going[static_cast<size_t>(k)];
          sent.push_back(content(seed_of(own, peer, k), nbytes));
          rank.send(peer, tag, sent.back().data(), static_cast<int64_t>(nbytes), requests);
          const auto& [their_tag, number] = order[static_cast<size_t>(k)];
          const size_t their_nbytes = coming[static_cast<size_t>(number)].second;
          got.emplace_back(their_nbytes);
          expected.push_back(content(seed_of(peer, own, number), their_nbytes));
          if (random() % 3 == 0) rank.has_arrived(peer, static_cast<int>(random() % tags));
          rank.receive(peer, their_tag, got.back().data(), static_cast<int64_t>(their_nbytes), requests);
          if (random() % 3 == 0) rank.test(requests);
        }
      }
      wait_for(rank, requests);
      EXPECT_EQ(got, expected);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(NodeCommunicator, brings_random_messages_whole_and_in_order) {
  for (uint64_t seed = 0; seed < 6; ++seed) exchange_at_random(2 + static_cast<int>(seed % 3), seed);
}

}  // namespace
}  // namespace tessera::comm
