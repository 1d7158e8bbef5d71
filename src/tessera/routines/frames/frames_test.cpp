// What tables are computed with, beside plain loops: on one thread and on several, below and above the sizes at which
// rows are cut into runs and parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>

#include "tessera/base/error.h"
#include "tessera/routines/frames/factorize.h"
#include "tessera/routines/frames/gather.h"
#include "tessera/routines/frames/group_pairs.h"
#include "tessera/routines/frames/groups.h"
#include "tessera/routines/frames/rank.h"
#include "tessera/routines/frames/window_reduce.h"
#include "tessera/routines/frames/words.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines::frames {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// With this many threads.
class Frames : public ::testing::TestWithParam<int> {
 protected:
  Frames() { runtime::set_thread_count(GetParam()); }
  ~Frames() override { runtime::set_thread_count(before_); }

  Rows drawn(int64_t count, int64_t range) {
    std::uniform_int_distribution<int64_t> draw(0, range - 1);
    Rows result(count);
    for (int64_t& each : result) each = draw(random_);
    return result;
  }

 private:
  int before_ = runtime::thread_count();
  std::mt19937_64 random_{7};
};

INSTANTIATE_TEST_SUITE_P(Threads, Frames, ::testing::Values(1, 3));

/// Codes by first appearance or in order, and first rows, of keys of which `null` is missing.
template <class Key>
std::pair<Rows, Rows> numbered(const std::vector<Key>& keys, const Key* null, FactorizeOptions options) {
  std::map<Key, int64_t> codes;
  Rows first, result;
  int64_t null_code = -1;
  for (size_t row = 0; row < keys.size(); ++row) {
    const int64_t next = static_cast<int64_t>(first.size());
    if (null && keys[row] == *null) {
      if (options.keep_null && null_code < 0) first.push_back(static_cast<int64_t>(row)), null_code = next;
      result.push_back(null_code);
      continue;
    }
    const auto [at, is_new] = codes.try_emplace(keys[row], next);
    if (is_new) first.push_back(static_cast<int64_t>(row));
    result.push_back(at->second);
  }
  if (!options.sorted) return {result, first};
  Rows rank(first.size()), sorted;
  for (const auto& [key, code] : codes) {
    rank[code] = static_cast<int64_t>(sorted.size());
    sorted.push_back(first[code]);
  }
  if (null_code >= 0) {
    rank[null_code] = static_cast<int64_t>(sorted.size());
    sorted.push_back(first[null_code]);
  }
  for (int64_t& code : result)
    if (code >= 0) code = rank[code];
  return {result, sorted};
}

TEST_P(Frames, WordsAreNumberedByFirstAppearanceOrInOrder) {
  for (const auto [rows, range] : {std::pair<int64_t, int64_t>{100, 7},
                                   {5000, int64_t{1} << 40},
                                   {400'000, 50},
                                   {400'000, int64_t{1} << 60},
                                   {400'000, 300'000}}) {
    std::vector<uint64_t> words;
    for (const int64_t each : drawn(rows, range)) words.push_back(static_cast<uint64_t>(each) * 3);
    words[rows / 2] = words[rows / 3] = null_word;
    for (const bool keep_null : {false, true})
      for (const bool sorted : {false, true}) {
        const FactorizeOptions options{.nullable = true, .keep_null = keep_null, .sorted = sorted};
        Rows codes(rows);
        const Rows first = factorize(words, options, std::span(codes));
        const auto [expected, expected_first] = numbered(words, &null_word, options);
        EXPECT_EQ(codes, expected) << rows << " rows below " << range;
        EXPECT_EQ(first, expected_first);
        std::vector<int32_t> narrow(rows);
        EXPECT_EQ(factorize(words, options, std::span(narrow)), expected_first);
        EXPECT_TRUE(std::ranges::equal(narrow, expected));
      }
  }
}

TEST_P(Frames, IntegersAreNumberedWithoutWords) {
  std::vector<int32_t> values;
  for (const int64_t each : drawn(300'000, 1000)) values.push_back(static_cast<int32_t>(each) - 500);
  const ColumnView column{
      .data = reinterpret_cast<const char*>(values.data()), .dtype = DType::int32, .stride = 4, .size = 300'000};
  for (const bool sorted : {false, true}) {
    Rows codes(values.size());
    const Rows first = factorize(column, false, false, sorted, std::span(codes));
    const auto [expected, expected_first] = numbered<int32_t>(values, nullptr, {.sorted = sorted});
    EXPECT_EQ(codes, expected);
    EXPECT_EQ(first, expected_first);
  }
}

TEST_P(Frames, SeveralKeysAreNumberedTogether) {
  const int64_t rows = 300'000;
  for (const int64_t size : {int64_t{30}, int64_t{70'000}}) {
    const Rows one = drawn(rows, size), other = drawn(rows, 90);
    std::vector<int32_t> narrow(other.begin(), other.end());
    narrow[7] = narrow[200'000] = -1;
    const CodesView keys[] = {std::span(one), std::span(narrow)};
    const int64_t sizes[] = {size, 90};
    std::vector<int64_t> words(rows);
    for (int64_t row = 0; row < rows; ++row) words[row] = narrow[row] < 0 ? -1 : one[row] * 90 + narrow[row];
    for (const bool sorted : {false, true}) {
      const int64_t null = -1;
      const auto [expected, expected_first] = numbered(words, &null, {.sorted = sorted});
      Rows codes(rows);
      EXPECT_EQ(factorize(keys, sizes, sorted, std::span(codes)), expected_first);
      EXPECT_EQ(codes, expected);
    }
  }
}

TEST_P(Frames, TextsOfAnyLengthAreNumbered) {
  for (const auto [rows, range, length] :
       {std::tuple<int64_t, int64_t, size_t>{3000, 40, 7}, {3000, 900, 15}, {3000, 900, 40}, {300'000, 250'000, 24}}) {
    std::vector<std::string> texts;
    for (const int64_t each : drawn(rows, range)) {
      std::string text = std::to_string(each * 7919);
      text.insert(0, std::string(length - std::min(length, text.size() + each % 3), 'x'));
      texts.push_back(text);
    }
    texts[rows / 2] = texts[rows / 4] = "";
    std::string bytes;
    Rows offsets{0};
    std::vector<uint8_t> valid(rows / 8 + 1, 0xff);
    for (const std::string& text : texts) {
      if (text.empty()) valid[(offsets.size() - 1) / 8] &= static_cast<uint8_t>(~(1 << ((offsets.size() - 1) % 8)));
      bytes += text;
      offsets.push_back(static_cast<int64_t>(bytes.size()));
    }
    const TextsView view{.data = bytes.data(), .offsets = offsets, .valid = valid.data()};
    const std::string none;
    for (const bool sorted : {false, true}) {
      const FactorizeOptions options{.nullable = true, .keep_null = sorted, .sorted = sorted};
      Rows codes(rows);
      const Rows first = factorize(view, options, std::span(codes));
      const auto [expected, expected_first] = numbered(texts, &none, options);
      EXPECT_EQ(codes, expected) << rows << " texts of " << length;
      EXPECT_EQ(first, expected_first);
    }
  }
}

TEST_P(Frames, RowsAreOrderedAndNumberedByGroup) {
  for (const int64_t rows : {0, 1, 1000, 300'000}) {
    Rows codes = drawn(rows, 50);
    for (int64_t row = 0; row < rows; row += 11) codes[row] = -1;
    Rows starts(51), order(rows), numbers(rows), behind(rows), seen(50, 0);
    order_by_group(std::span(codes), starts, order);
    number_within_groups(std::span(codes), 50, false, numbers);
    number_within_groups(std::span(codes), 50, true, behind);
    for (int64_t row = 0; row < rows; ++row) {
      if (codes[row] < 0) continue;
      EXPECT_EQ(numbers[row], seen[codes[row]]++);
      EXPECT_EQ(order[starts[codes[row]] + numbers[row]], row);
      EXPECT_EQ(starts[codes[row] + 1] - starts[codes[row]], numbers[row] + behind[row] + 1);
    }
  }
}

TEST_P(Frames, RowsAreGathered) {
  const int64_t rows = 100'003;
  std::vector<uint32_t> table(2 * rows);
  for (size_t at = 0; at < table.size(); ++at) table[at] = static_cast<uint32_t>(at * 2654435761u);
  Rows asked = drawn(60'001, rows);
  asked[5] = asked[60'000] = -1;
  const ElementsView from{.data = reinterpret_cast<const char*>(table.data()),
                          .itemsize = 4,
                          .columns = 2,
                          .rows = rows,
                          .column_stride = 4 * rows};
  std::vector<uint32_t> out(2 * asked.size());
  const uint32_t none = 77;
  gather_elements(from, asked, reinterpret_cast<const char*>(&none), reinterpret_cast<char*>(out.data()));
  for (size_t at = 0; at < asked.size(); ++at)
    for (int64_t column = 0; column < 2; ++column)
      ASSERT_EQ(out[column * asked.size() + at], asked[at] < 0 ? none : table[column * rows + asked[at]]);
  for (const int64_t wrong : {rows, int64_t{-2}}) {
    asked[9] = wrong;
    EXPECT_THROW(gather_elements(from, asked, nullptr, reinterpret_cast<char*>(out.data())), IndexError);
  }

  std::vector<uint8_t> mask(rows);
  for (int64_t row = 0; row < rows; ++row) mask[row] = table[row] % 3 == 0;
  const auto places = places_where(mask);
  const Buffer<int64_t> kept = rows_where(mask);
  std::vector<uint32_t> compressed(2 * kept.size());
  compress_elements(from, mask, places, reinterpret_cast<char*>(compressed.data()));
  ASSERT_EQ(kept.size(), std::ranges::count(mask, 1));
  for (int64_t at = 0; at < kept.size(); ++at) {
    ASSERT_TRUE(mask[kept[at]]);
    ASSERT_EQ(compressed[at], table[kept[at]]);
    ASSERT_EQ(compressed[kept.size() + at], table[rows + kept[at]]);
  }
}

TEST_P(Frames, TextsAreGathered) {
  std::string bytes;
  Rows offsets{0};
  for (int64_t row = 0; row < 3001; ++row) {
    bytes += std::string(row % 23, static_cast<char>('a' + row % 26));
    offsets.push_back(static_cast<int64_t>(bytes.size()));
  }
  const TextsView texts{.data = bytes.data(), .offsets = offsets};
  Rows asked = drawn(20'000, 3001);
  asked[7] = asked[19'999] = -1;
  Rows places(asked.size() + 1);
  gather_offsets(texts, asked, places);
  std::string out(places.back(), '?');
  std::vector<uint8_t> valid((asked.size() + 7) / 8);
  gather_texts(texts, asked, places, out.data(), valid.data());
  for (size_t at = 0; at < asked.size(); ++at) {
    ASSERT_EQ(valid[at / 8] >> (at % 8) & 1, asked[at] >= 0);
    const std::string expected =
        asked[at] < 0 ? "" : bytes.substr(offsets[asked[at]], offsets[asked[at] + 1] - offsets[asked[at]]);
    ASSERT_EQ(out.substr(places[at], places[at + 1] - places[at]), expected);
  }
  asked[3] = 3001;
  EXPECT_THROW(gather_offsets(texts, asked, places), IndexError);
}

TEST_P(Frames, CorrelationsAreThoseOfTheDefinition) {
  const int64_t rows = 600'000, groups = 3;
  Rows codes = drawn(rows, groups), noise = drawn(rows, 1000);
  std::vector<double> x(rows), y(rows);
  for (int64_t row = 0; row < rows; ++row) {
    x[row] = row % 97 == 0 ? missing : static_cast<double>(row % 1013);
    y[row] = x[row] * 0.5 + static_cast<double>(noise[row]);
  }
  const auto column = [&](const std::vector<double>& values) {
    return ColumnView{.data = reinterpret_cast<const char*>(values.data()), .stride = 8, .size = rows};
  };
  const std::vector<int32_t> narrow(codes.begin(), codes.end());
  PairRequest request{.first = column(x), .second = column(y), .codes = std::span(narrow)};
  std::vector<double> correlations(groups), covariances(groups), of_first(groups), of_second(groups);
  group_pairs(request, {correlations, of_first, of_second});
  request.correlation = false;
  group_pairs(request, {covariances, of_first, of_second});
  std::vector<double> alone(groups), unused(groups);
  request.second = request.first;
  group_pairs(request, {alone, unused, unused});
  EXPECT_EQ(alone, of_first);  // as y is nowhere missing alone
  for (int64_t group = 0; group < groups; ++group) {
    long double n = 0, sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
    for (int64_t row = 0; row < rows; ++row) {
      if (codes[row] != group || std::isnan(x[row])) continue;
      n += 1, sx += x[row], sy += y[row], sxx += x[row] * x[row], syy += y[row] * y[row], sxy += x[row] * y[row];
    }
    const long double cov = sxy - sx * sy / n, vx = sxx - sx * sx / n, vy = syy - sy * sy / n;
    EXPECT_NEAR(correlations[group], static_cast<double>(cov / sqrtl(vx * vy)), 1e-12);
    EXPECT_NEAR(covariances[group], static_cast<double>(cov / (n - 1)), 1e-6);
  }
}

TEST_P(Frames, WindowsThatMoveForwardGiveWhatOthersGive) {
  const int64_t rows = 50'000;
  std::vector<double> values(rows);
  const Rows drawn_values = drawn(rows, 1000);
  for (int64_t row = 0; row < rows; ++row)
    values[row] = row % 31 == 0 ? missing : static_cast<double>(drawn_values[row]);
  std::fill(values.begin() + 40'000, values.begin() + 40'500, 0.1);
  Rows starts(rows), ends(rows);
  for (int64_t row = 0; row < rows; ++row) {
    ends[row] = row + 1;
    starts[row] = std::max<int64_t>(0, row - 99 - row / 1000);
  }
  for (const WindowOp op : {WindowOp::sum, WindowOp::mean, WindowOp::minimum, WindowOp::maximum, WindowOp::variance}) {
    WindowRequest request{.op = op, .values = values, .starts = starts, .ends = ends, .least_count = 2};
    std::vector<double> out(rows);
    window_reduce(request, out);
    for (int64_t row = 0; row < rows; row += 37) {
      double count = 0, sum = 0, least = 1e300, largest = -1e300, squares = 0;
      for (int64_t at = starts[row]; at < ends[row]; ++at) {
        if (std::isnan(values[at])) continue;
        count += 1, sum += values[at], least = std::min(least, values[at]), largest = std::max(largest, values[at]);
      }
      for (int64_t at = starts[row]; at < ends[row]; ++at)
        if (!std::isnan(values[at])) squares += (values[at] - sum / count) * (values[at] - sum / count);
      if (count < 2) {
        EXPECT_TRUE(std::isnan(out[row]));
        continue;
      }
      const double expected = op == WindowOp::sum       ? sum
                              : op == WindowOp::mean    ? sum / count
                              : op == WindowOp::minimum ? least
                              : op == WindowOp::maximum ? largest
                                                        : squares / (count - 1);
      EXPECT_NEAR(out[row], expected, 1e-9 * std::max(1.0, std::abs(expected))) << row;
    }
    if (op == WindowOp::mean) EXPECT_EQ(out[40'450], 0.1);
  }
}

TEST_P(Frames, WindowsThatAllLieAlikeGiveWhatListedOnesGive) {
  const int64_t rows = 40'000;
  std::vector<double> values(rows), listed(rows), fixed(rows);
  const Rows drawn_values = drawn(rows, 1000);
  for (int64_t row = 0; row < rows; ++row)
    values[row] = row % 31 == 0 ? missing : static_cast<double>(drawn_values[row]) / 7;
  for (const auto [first, last] : {std::pair<int64_t, int64_t>{-99, 1}, {-50, 51}, {2, 9}, {0, 0}, {-30'000, 1}}) {
    Rows starts(rows), ends(rows);
    for (int64_t row = 0; row < rows; ++row) {
      starts[row] = std::clamp<int64_t>(row + first, 0, rows);
      ends[row] = std::clamp<int64_t>(row + last, 0, rows);
    }
    for (const WindowOp op : {WindowOp::sum, WindowOp::mean, WindowOp::minimum, WindowOp::variance}) {
      window_reduce({.op = op, .values = values, .starts = starts, .ends = ends}, listed);
      window_reduce({.op = op, .values = values, .fixed = FixedWindows{first, last}}, fixed);
      for (int64_t row = 0; row < rows; ++row)
        EXPECT_TRUE(fixed[row] == listed[row] || (std::isnan(fixed[row]) && std::isnan(listed[row]))) << row;
    }
  }
}

TEST_P(Frames, ElementsAreRanked) {
  const int64_t rows = 120'000;
  std::vector<double> values(rows), out(rows);
  const Rows drawn_values = drawn(rows, 900);
  for (int64_t row = 0; row < rows; ++row)
    values[row] = row % 41 == 0 ? missing : static_cast<double>(drawn_values[row]);
  std::fill(values.begin(), values.begin() + 70'000, 450.0);  // a run longer than a block
  std::map<double, int64_t> counts;
  int64_t present = 0;
  for (const double value : values)
    if (!std::isnan(value)) ++counts[value], ++present;
  for (const Ties ties : {Ties::average, Ties::least, Ties::largest, Ties::first, Ties::dense}) {
    rank({.values = {.data = reinterpret_cast<const char*>(values.data()), .stride = 8, .size = rows}, .ties = ties},
         out);
    std::map<double, double> expected;
    int64_t before = 0;
    double dense = 0;
    for (const auto& [value, count] : counts) {
      const double least = static_cast<double>(before + 1), largest = static_cast<double>(before + count);
      expected[value] = ties == Ties::average   ? (least + largest) / 2
                        : ties == Ties::largest ? largest
                        : ties == Ties::dense   ? ++dense
                                                : least;
      before += count;
    }
    for (int64_t row = 0; row < rows; ++row) {
      if (std::isnan(values[row]))
        ASSERT_TRUE(std::isnan(out[row]));
      else
        ASSERT_EQ(out[row], ties == Ties::first ? expected[values[row]]++ : expected[values[row]]) << row;
    }
  }
}

}  // namespace
}  // namespace tessera::routines::frames
