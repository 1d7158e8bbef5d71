#include <algorithm>
#include <cmath>
#include <random>

#include "tessera/base/format.h"
#include "tessera/base/hash.h"
#include "tessera/plan/tests/laboratory/history.h"

namespace tessera::plan {

namespace {

/// Draws that are the same everywhere, which std's distributions are not.
class Draws {
 public:
  explicit Draws(uint64_t seed) : bits_(seed) {}
  double unit() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low * std::pow(high / low, unit()); }  // even in its logarithm
  int count(int low, int high) { return low + static_cast<int>(bits_() % static_cast<uint64_t>(high - low + 1)); }
  bool chance(double p) { return unit() < p; }

 private:
  std::mt19937_64 bits_;
};

/// One operation of a loop's body.
struct Line {
  std::string work;
  double host = 0, device = 0;
  std::vector<int> reads;
  int result = -1;       // position in the body's table of arrays; -1: none is kept
  bool is_read = false;  // the host reads its result
};

class Maker {
 public:
  explicit Maker(uint64_t seed) : draws_(seed) { history_.name = format("random {}", seed); }

  History make() {
    const int phases = draws_.chance(0.2) ? 2 : 1;
    const int resident = draws_.count(0, 2);
    for (int k = 0; k < resident; ++k)
      table_.push_back(make_array(size(), draws_.chance(0.3), draws_.count(1, 1 << 20)));
    for (int k = 0; k < phases; ++k) loop(static_cast<size_t>(resident));
    return std::move(history_);
  }

 private:
  int64_t size() { return static_cast<int64_t>(draws_.between(1 << 16, 1e9)); }

  int make_array(int64_t nbytes, bool is_outside, int site) {
    const int number = add(nbytes, is_outside);
    history_.events.push_back({.kind = Event::Kind::make, .array = number, .site = static_cast<uint64_t>(site)});
    return number;
  }
  int add(int64_t nbytes, bool is_outside) {
    history_.arrays.push_back({format("a{}", history_.arrays.size()), nbytes, is_outside});
    return static_cast<int>(history_.arrays.size()) - 1;
  }
  void drop(int array) { history_.events.push_back({.kind = Event::Kind::drop, .array = array}); }

  /// One pass, short loops, long ones.
  int iterations() {
    const double kind = draws_.unit();
    return kind < 0.25 ? 1 : kind < 0.4 ? draws_.count(2, 19) : draws_.count(20, 120);
  }

  void loop(size_t resident) {
    // Of each iteration: inputs that are new in it, then what it makes.
    const int fresh = resident == 0 ? draws_.count(1, 2) : draws_.count(0, 1);
    std::vector<std::pair<int64_t, int>> inputs;
    for (int k = 0; k < fresh; ++k) inputs.emplace_back(size(), draws_.count(1, 1 << 20));
    const bool is_outside = draws_.chance(0.7);
    const int lines = draws_.count(std::max(1, fresh), 5), times = iterations();
    std::vector<Line> body;
    size_t known = resident + inputs.size();
    const size_t most = static_cast<size_t>(most_live) - 1;
    std::vector<int64_t> sizes;
    for (size_t k = 0; k < resident; ++k) sizes.push_back(history_.arrays[static_cast<size_t>(table_[k])].nbytes);
    for (const auto& [nbytes, site] : inputs) sizes.push_back(nbytes);
    for (int k = 0; k < lines; ++k) {
      Line line{.work = format("w{}", works_++)};
      int64_t nbytes = 0;
      if (k < fresh) {  // inputs are there to be used
        line.reads.push_back(static_cast<int>(resident) + k);
        nbytes += inputs[static_cast<size_t>(k)].first;
      }
      for (int j = draws_.count(1, 2); j > 0; --j) {
        const int position = draws_.count(0, static_cast<int>(known) - 1);
        if (std::ranges::find(line.reads, position) != line.reads.end()) continue;
        line.reads.push_back(position);
        nbytes += sizes[static_cast<size_t>(position)];
      }
      if (draws_.chance(0.25)) {
        line.result = static_cast<int>(draws_.count(0, static_cast<int>(resident + inputs.size()) - 1));  // rewritten
      } else if (known < most) {
        line.result = static_cast<int>(known++);
        sizes.push_back(draws_.chance(0.3) ? 8 : sizes[static_cast<size_t>(line.reads[0])]);
      }
      if (line.result >= 0) nbytes += sizes[static_cast<size_t>(line.result)];
      const auto size = static_cast<double>(nbytes);
      // Elementwise work by its bytes, matrices by much more, and loops over rows that keep no device busy.
      const double effort = draws_.chance(0.3) ? draws_.between(1, 300) : draws_.between(0.3, 4);
      line.host = 2e-6 + effort * size / 50e9;
      const double gain = draws_.chance(0.2) ? draws_.between(0.02, 1) : draws_.between(1, 60);
      line.device = 6e-6 * draws_.between(1, 8) + line.host / gain;
      line.is_read = line.result >= 0 && draws_.chance(0.25);
      body.push_back(line);
    }
    history_.iterations = std::max(history_.iterations, times);
    for (int time = 0; time < times; ++time) iterate(body, resident, inputs, is_outside, sizes);
  }

  void iterate(const std::vector<Line>& body, size_t resident, const std::vector<std::pair<int64_t, int>>& inputs,
               bool is_outside, const std::vector<int64_t>& sizes) {
    table_.resize(resident);
    for (const auto& [nbytes, site] : inputs) table_.push_back(make_array(nbytes, is_outside, site));
    for (const Line& line : body) {
      Event event{.work = line.work, .host = line.host, .device = line.device};
      for (const int position : line.reads) event.reads.push_back(table_[static_cast<size_t>(position)]);
      const auto result = static_cast<size_t>(line.result);
      if (line.result >= 0) event.writes.push_back(add(sizes[result], false));
      const int written = line.result >= 0 ? event.writes[0] : -1;
      history_.events.push_back(std::move(event));
      if (written < 0) continue;
      if (result < table_.size())
        drop(table_[result]), table_[result] = written;
      else
        table_.push_back(written);
      if (line.is_read) history_.events.push_back({.kind = Event::Kind::read, .array = written});
    }
    while (table_.size() > resident) drop(table_.back()), table_.pop_back();
  }

  Draws draws_;
  History history_;
  std::vector<int> table_;
  int works_ = 0;
};

}  // namespace

History random_history(uint64_t seed) { return Maker(seed).make(); }

MachineFacts laboratory_facts() {
  return {.host_bytes = 100e9,
          .to_device = 50e9,
          .to_host = 40e9,
          .launch = 5e-6,
          .synchronise = 15e-6,
          .copy_start = 8e-6};
}

Truth random_truth(uint64_t seed) {
  Draws draws(seed ^ 0x7472757468);
  Truth truth{.facts = laboratory_facts(), .host_copy = laboratory_host_copy * draws.between(0.7, 1.4), .seed = seed};
  truth.facts.to_device *= draws.between(0.7, 1.4);
  truth.facts.to_host *= draws.between(0.7, 1.4);
  truth.facts.synchronise *= draws.between(0.5, 2);
  return truth;
}

Truth recorded_truth(const History& history, uint64_t seed) {
  const MachineFacts facts = history.facts.value_or(laboratory_facts());
  return {.facts = facts, .host_copy = 1 / facts.first_touch, .seed = seed, .noise = 0.1};
}

double Truth::seconds(const Event& event, size_t number, bool on_device) const {
  Draws work(Hash().add(seed).add(std::string_view(event.work)).add(on_device ? 1 : 0).value());
  Draws run(Hash().add(seed).add(number).add(on_device ? 1 : 0).value());
  const double measured = on_device ? event.ran_device : event.ran_host;
  const double factor = most > 1 ? work.between(1 / most, most) : 1;
  const double noisy = 1 + noise * (2 * run.unit() - 1) + (noise > 0 && run.chance(0.005) ? 3 : 0);
  return (measured > 0 ? measured : (on_device ? event.device : event.host) * factor) * noisy;
}

}  // namespace tessera::plan
