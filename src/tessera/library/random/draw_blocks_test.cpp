#include "tessera/library/random/draw_blocks.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tessera/library/random/bounded.h"
#include "tessera/library/random/draw_many.h"
#include "tessera/library/random/with_blocks.h"

namespace tessera::library {
namespace {

constexpr size_t long_run = 50'001;

template <class G>
G make_generator() {
  if constexpr (std::is_same_v<G, Philox>)
    return Philox({1, 2}, {~uint64_t{0}, 3, 0, 0});
  else if constexpr (std::is_same_v<G, Mt19937>)
    return Mt19937();
  else
    return G(12, 34);
}

template <class G>
class DrawBlocks : public testing::Test {
 protected:
  void TearDown() override { runtime::set_thread_count(before_); }

  /// fill(generator, thread count) must give the same result and final state for any number of threads as for one.
  template <class T, class Fill>
  void expect_the_same(const G& start, Fill&& fill) {
    std::vector<T> expected(long_run), filled(long_run);
    G alone = start;
    runtime::set_thread_count(1);
    fill(alone, std::span<T>(expected));
    for (int count : {2, 3, 7}) {
      G together = start;
      runtime::set_thread_count(count);
      fill(together, std::span<T>(filled));
      EXPECT_EQ(filled, expected) << count << " threads";
      EXPECT_EQ(together.state(), alone.state()) << count << " threads";
    }
  }

 private:
  const int before_ = runtime::thread_count();
};

using Generators = testing::Types<Pcg64, Pcg64Dxsm, Philox, Mt19937>;
TYPED_TEST_SUITE(DrawBlocks, Generators);

TYPED_TEST(DrawBlocks, WordsInRunsAreTheWordsOneByOne) {
  if constexpr (!std::is_same_v<TypeParam, Mt19937>) {
    for (int64_t count : {0, 1, 2, 3, 4, 5, 7, 8, 63}) {
      auto walked = make_generator<TypeParam>();
      walked.next64();
      TypeParam skipped = walked, filled = walked;
      std::vector<uint64_t> words(static_cast<size_t>(count)), run(words.size());
      for (uint64_t& word : words) word = walked.next64();
      filled.fill(run);
      skipped.skip(count);
      EXPECT_EQ(run, words);
      EXPECT_EQ(filled.state(), walked.state()) << count;
      EXPECT_EQ(skipped.state(), walked.state()) << count;
    }
  }
}

TYPED_TEST(DrawBlocks, AHalfLeftOverComesFirst) {
  auto start = make_generator<TypeParam>();
  start.next32();
  this->template expect_the_same<float>(start, [](auto& bits, std::span<float> out) { fill_uniform(bits, out); });
  this->template expect_the_same<float>(start, [](auto& bits, std::span<float> out) { fill_normal(bits, out); });
  this->template expect_the_same<uint8_t>(start, [](auto& bits, std::span<uint8_t> out) {
    fill_integers(bits, DType::uint8, 3, 200, Rejection::multiply, static_cast<int64_t>(out.size()),
                  reinterpret_cast<char*>(out.data()));
  });
}

TYPED_TEST(DrawBlocks, AHalfLeftOverStaysWhereWordsAreDrawn) {
  auto start = make_generator<TypeParam>();
  start.next32();
  this->template expect_the_same<double>(start, [](auto& bits, std::span<double> out) { fill_normal(bits, out); });
  this->template expect_the_same<double>(start,
                                         [](auto& bits, std::span<double> out) { fill_exponential(bits, out, 3); });
  this->template expect_the_same<double>(start,
                                         [](auto& bits, std::span<double> out) { fill_uniform(bits, out, 2, 5); });
}

/// Draws by draw_chain, and the rest one by one.
template <class G, class Draw>
void fill_by_chain(G& bits, std::span<uint64_t> out, const Draw& draw) {
  KeptNormal none;
  size_t done = 0;
  if (runtime::thread_count() > 1) {
    done = static_cast<size_t>(
        draw_chain(bits, Unit::word, none, out, [&](auto& reader) { return PlainDraw(reader, draw); }));
  }
  for (uint64_t& x : out.subspan(done)) x = draw(bits);
}

TYPED_TEST(DrawBlocks, ChainsThatNeverMeetAreFollowed) {
  const auto three = [](auto& bits) { return bits.next64() ^ bits.next64() * 3 ^ bits.next64() * 5; };
  this->template expect_the_same<uint64_t>(
      make_generator<TypeParam>(), [&](auto& bits, std::span<uint64_t> out) { fill_by_chain(bits, out, three); });
}

TYPED_TEST(DrawBlocks, DrawsMayBeLongerThanBlocks) {
  const auto uneven = [](auto& bits) {
    uint64_t sum = bits.next64();
    for (uint64_t left = sum % 8192 ? sum % 3 : 9000; left > 0; --left) sum += bits.next64();
    return sum;
  };
  this->template expect_the_same<uint64_t>(
      make_generator<TypeParam>(), [&](auto& bits, std::span<uint64_t> out) { fill_by_chain(bits, out, uneven); });
}

TYPED_TEST(DrawBlocks, DrawsThatReadNothingAreLeftToTheCaller) {
  runtime::set_thread_count(3);
  auto bits = make_generator<TypeParam>();
  const auto before = bits.state();
  std::vector<double> out(long_run);
  KeptNormal none;
  const auto nothing = [](auto&) { return 1.0; };
  EXPECT_EQ(
      draw_chain(bits, Unit::word, none, std::span(out), [&](auto& reader) { return PlainDraw(reader, nothing); }), 0);
  EXPECT_EQ(bits.state(), before);
}

TYPED_TEST(DrawBlocks, AFailureReachesTheCallerAndLeavesTheStream) {
  runtime::set_thread_count(3);
  auto bits = make_generator<TypeParam>();
  const auto before = bits.state();
  std::vector<uint64_t> out(long_run);
  const auto failing = [](auto& source) {
    const uint64_t word = source.next64();
    if (word % 4096 == 0) throw std::runtime_error("refused");
    return word;
  };
  EXPECT_THROW(fill_by_chain(bits, out, failing), std::runtime_error);
  EXPECT_EQ(bits.state(), before);
}

TYPED_TEST(DrawBlocks, KeptNormalsGoFromBlockToBlock) {
  std::vector<double> expected(long_run), filled(long_run);
  const Distribution& row = distribution("lognormal", true);
  const Value values[] = {{.real = 0.5}, {.real = 2}};
  auto alone = make_generator<TypeParam>();
  runtime::set_thread_count(1);
  Sampler one(alone, true);
  draw_many(one, row, values, expected);
  for (int count : {2, 5}) {
    auto together = make_generator<TypeParam>();
    runtime::set_thread_count(count);
    Sampler many(together, true);
    draw_many(many, row, values, filled);
    EXPECT_EQ(filled, expected);
    EXPECT_EQ(together.state(), alone.state());
    EXPECT_EQ(many.kept.has, one.kept.has);
    EXPECT_EQ(many.kept.value, one.kept.value);
  }
}

}  // namespace
}  // namespace tessera::library
