// Draws of a seeded stream on a device: the host prepares jumps, decides what rounding of its functions may change, and
// computes the few numbers that need them.
#include <cmath>
#include <mutex>
#include <numbers>
#include <optional>
#include <vector>

#include "tessera/library/random/polar.h"
#include "tessera/library/random/skip.h"
#include "tessera/library/random/with_blocks.h"
#include "tessera/library/random/ziggurat.h"
#include "tessera/routines/stream_draw/stream_draw.h"
#include "tessera/routines/stream_draw/twister_words.h"
#include "tessera/runtime/host/host_pool.h"
#include "tessera/runtime/host/threads.h"

namespace tessera::routines {

namespace {

using library::uint128;

int64_t high(uint128 x) { return static_cast<int64_t>(x >> 64); }
int64_t low(uint128 x) { return static_cast<int64_t>(x); }

/// What StreamWords reads: scalars, and a table.
struct SourceData {
  std::vector<int64_t> scalars, table;
};

/// `steps_back`: the stream begins so many words before the generator's next one.
template <bool dxsm>
std::optional<SourceData> source_of(const library::Pcg64Of<dxsm>& bits, int steps_back) {
  using Jump = typename library::Pcg64Of<dxsm>::Jump;
  SourceData data;
  // The plain output is that of the state after a step, DXSM's of the one before.
  const uint128 delta = static_cast<uint128>(dxsm ? 0 : 1) - static_cast<uint128>(steps_back);
  const uint128 state = bits.jump(delta)(bits.position());
  const Jump row = bits.jump(draw_threads);
  data.scalars = {high(state), low(state), high(row.factor), low(row.factor), high(row.offset), low(row.offset)};
  for (int level = 0; level < jump_levels; ++level) {
    const Jump once = bits.jump(level == 0 ? uint128{1} : static_cast<uint128>(draw_words) << (8 * (level - 1)));
    Jump many;
    for (int64_t k = 0; k < jump_rows; ++k, many = many.then(once))
      data.table.insert(data.table.end(), {high(many.factor), low(many.factor), high(many.offset), low(many.offset)});
  }
  return data;
}

/// Nothing where the words that are left of a counter's four are not its own.
std::optional<SourceData> source_of(const library::Philox& bits, int steps_back) {
  const std::vector<uint64_t> state = bits.state();
  library::Philox::Counter counter, left;
  std::copy_n(state.begin(), 4, counter.begin());
  std::copy_n(state.begin() + 6, 4, left.begin());
  const auto position = static_cast<int64_t>(state[10]);
  if (position < 4 && left != library::Philox::block(counter, {state[4], state[5]})) return std::nullopt;
  const int64_t next = position - steps_back, blocks = next < 0 ? -1 : next / 4;
  const uint64_t sign = blocks < 0 ? ~uint64_t{0} : 0;
  library::Philox moved({}, counter);
  moved.advance({static_cast<uint64_t>(blocks), sign, sign, sign});
  const std::vector<uint64_t> begin = moved.state();
  SourceData data;
  for (int k = 0; k < 4; ++k) data.scalars.push_back(static_cast<int64_t>(begin[static_cast<size_t>(k)]));
  data.scalars.insert(data.scalars.end(),
                      {static_cast<int64_t>(state[4]), static_cast<int64_t>(state[5]), next - 4 * blocks});
  data.table = {0};
  return data;
}

/// Its words are made before: their number is filled in then.
std::optional<SourceData> source_of(const library::Mt19937&, int) { return SourceData{.scalars = {0}, .table = {0}}; }

/// Counts the units that are drawn from a generator.
template <class G>
struct CountedBits {
  G bits;
  int64_t units = 0;
  uint64_t next64() {
    ++units;
    return bits.next64();
  }
  uint32_t next32() {
    ++units;
    return bits.next32();
  }
  double next_double() {
    ++units;
    return bits.next_double();
  }
};

DrawForm form_of(const StreamDraw& draw) {
  DrawForm form{.source = static_cast<WordSource>(draw.generator), .method = draw.method, .dtype = draw.dtype};
  form.is_scaled = draw.is_scaled;
  form.is_half = draw.dtype == DType::float32;
  if (!draw.is_integer()) return form;
  form.dtype = itemsize(draw.dtype) == 8 ? DType::uint64 : DType::uint32;
  form.is_half = draw.range() <= 0xffffffffu;
  const uint64_t most = form.is_half ? 0xffffffffu : ~uint64_t{0};
  if (draw.range() == most) form.method = DrawMethod::masked;
  return form;
}

/// The parameters of the kernels, and how many numbers a unit yields on average.
struct Parameters {
  std::vector<int64_t> scalars;
  double yield = 1;

  Parameters(const StreamDraw& draw, const DrawForm& form) {
    if (form.is_scaled) scalars = {draw.first, draw.second};
    // Measured with 10^7 numbers; an estimate that only decides how many blocks are drawn.
    if (form.method == DrawMethod::normal) yield = 0.97805;
    if (form.method == DrawMethod::exponential) yield = 0.96732;
    if (form.method == DrawMethod::polar) yield = std::numbers::pi / 4;
    const uint64_t range = draw.range(), most = form.is_half ? 0xffffffffu : ~uint64_t{0};
    if (form.method == DrawMethod::masked) {
      const uint64_t mask = ~uint64_t{0} >> std::countl_zero(range);
      scalars = {draw.first, draw.second, static_cast<int64_t>(mask)};
      yield = static_cast<double>(range) / static_cast<double>(mask);
    } else if (form.method == DrawMethod::bounded) {
      const uint64_t scale = range + 1, threshold = (most - range) % scale;
      scalars = {draw.first, static_cast<int64_t>(scale), static_cast<int64_t>(threshold)};
      yield = 1 - static_cast<double>(threshold) / static_cast<double>(most);
    }
  }
};

/// One draw on a device.
template <class G>
class DeviceDraw {
 public:
  DeviceDraw(DeviceCall& call, const StreamDraw& draw, const G& bits, const library::KeptNormal& kept)
      : call_(call),
        launcher_(call.launcher),
        draw_(draw),
        form_(form_of(draw)),
        parameters_(draw, form_),
        bits_(bits),
        count_(draw.count()),
        first_entry_(form_.is_half && library::has_half(bits_)),
        kept_(kept) {
    if constexpr (is_twister) twister_.emplace(launcher_, bits);
  }

  const library::KeptNormal& kept() const { return kept_; }
  /// Returns the generator after the draw; nothing where the host must draw.
  std::optional<G> run() {
    const std::optional<SourceData> source = source_of(bits_, static_cast<int>(first_entry_));
    if (!source) return std::nullopt;
    if constexpr (is_twister) {
      if (!twister_->is_known()) return std::nullopt;
    }
    upload(*source);
    scalars_ = source->scalars;
    if (form_.is_half) scalars_.insert(scalars_.end(), {first_entry_, pending_half()});
    scalars_.insert(scalars_.end(), parameters_.scalars.begin(), parameters_.scalars.end());
    if (form_.method == DrawMethod::uniform) return draw_units();
    return draw_rejecting();
  }

 private:
  static constexpr bool is_twister = std::is_same_v<G, library::Mt19937>;

  const char* out() const { return call_.result(0).data; }
  int64_t pending_half() {
    if constexpr (is_twister)
      return 0;
    else
      return static_cast<int64_t>(bits_.halves().kept);
  }
  /// The buffer and the scalars of the kernels' words, where they read so many blocks of them.
  const char* words_for(int64_t blocks) {
    if constexpr (is_twister) {
      scalars_[0] = blocks * draw_words + draw_words_ahead;
      return twister_->make(scalars_[0], !form_.is_half);
    } else {
      return tables_->data();
    }
  }

  /// A copy of the generator whose next unit is this one of the stream.
  G at_unit(int64_t unit) const {
    if constexpr (is_twister) {
      return twister_->after(form_.is_half ? unit : 2 * unit);
    } else {
      G moved = bits_;
      form_.is_half ? library::skip_halves(moved, std::max<int64_t>(unit - first_entry_, 0)) : moved.skip(unit);
      return moved;
    }
  }

  void upload(const SourceData& source) {
    std::vector<int64_t> words = source.table;
    const auto append = [&](const auto& table) {
      const size_t begin = words.size();
      words.resize(begin + sizeof table / 8);
      std::memcpy(words.data() + begin, &table, sizeof table);
      return begin;
    };
    const auto& tables = library::ZigguratTables::instance();
    std::vector<size_t> begins;
    const auto append_all = [&](const auto& t) { begins = {append(t.inside), append(t.width), append(t.height)}; };
    const bool is_single = form_.dtype == DType::float32;
    if (form_.method == DrawMethod::normal)
      is_single ? append_all(tables.normal_float) : append_all(tables.normal);
    else if (form_.method == DrawMethod::exponential)
      is_single ? append_all(tables.exponential_float) : append_all(tables.exponential);
    tables_ = launcher_.allocate(static_cast<int64_t>(words.size()), DType::int64);
    launcher_.device().stream().copy_in(tables_->data(), reinterpret_cast<const char*>(words.data()), 8 * words.size());
    for (size_t begin : begins) ziggurat_.push_back(tables_->data() + 8 * begin);
  }

  std::optional<G> draw_units() {
    const int64_t units = first_entry_ + count_, blocks = (units + form_.units() - 1) / form_.units();
    const char* words = words_for(blocks);
    std::vector<int64_t> scalars = scalars_;
    scalars.insert(scalars.end(), {first_entry_, count_});
    launcher_.run({.name = "draw_units " + form_.text(),
                   .make = [form = form_] { return draw_units_kernel(form); },
                   .extents = {blocks, draw_threads},
                   .buffers = {words, out()},
                   .scalars = std::move(scalars),
                   .is_block = true});
    return at_unit(units);
  }

  /// Of pairs, too.
  int64_t numbers_to_find() const { return form_.is_polar() ? (count_ - kept_.has + 1) / 2 : count_; }

  std::optional<G> draw_rejecting() {
    const double units = static_cast<double>(numbers_to_find()) / parameters_.yield;
    const double spread = std::sqrt(units * (1 - parameters_.yield + 0.001));
    auto blocks = static_cast<int64_t>((units + 8 * spread + 64) / static_cast<double>(form_.units())) + 1;
    if (form_.is_chain()) {
      undecided_ = launcher_.allocate(most_undecided, DType::int64);
      overrides_ = launcher_.allocate(most_undecided, DType::int64);
      most_tails_ = count_ / 1000 + 1024;
      tails_ = launcher_.allocate(fields_of_tail * most_tails_, DType::int64);
    } else if (form_.is_polar()) {
      most_tails_ = count_ / 16 + 1024;
      tails_ = launcher_.allocate(fields_of_pair * most_tails_, DType::int64);
    }
    for (int tries = 0; tries < 8; ++tries) {
      launch(blocks);
      int64_t told[status_words], sum = 0;
      const runtime::CopyOut pieces[] = {
          {reinterpret_cast<char*>(told), status_->data(), sizeof told},
          {reinterpret_cast<char*>(&sum), status_->data() + 8 * (status_words + blocks - 1), 8}};
      launcher_.device().stream().copy_out(pieces);
      if (told[gives_up] || told[undecided] > most_undecided || told[tails] > most_tails_) return std::nullopt;
      if (told[undecided] > 0)
        decide(told[undecided]);
      else if (sum % (int64_t{1} << draw_count_bits) < numbers_to_find())
        blocks += blocks / 16 + 1;
      else
        return finish(told[tails], told[last]);
      if (decided_.size() > static_cast<size_t>(most_undecided)) return std::nullopt;
    }
    return std::nullopt;
  }

  void launch(int64_t blocks) {
    status_ = launcher_.allocate(status_words + blocks + (blocks + 1) / 2, DType::int64);
    launcher_.device().stream().fill_zero(status_->data(), status_->nbytes());
    const char* const counts = status_->data() + 8 * status_words;
    std::vector<const char*> buffers{words_for(blocks)};
    buffers.insert(buffers.end(), ziggurat_.begin(), ziggurat_.end());
    std::vector<int64_t> scalars = scalars_;
    if (form_.is_chain()) {
      buffers.insert(buffers.end(), {overrides_->data(), undecided_->data()});
      scalars.push_back(static_cast<int64_t>(decided_.size()));
    }
    buffers.insert(buffers.end(), {status_->data(), counts, counts + 8 * blocks});
    if (tails_) buffers.push_back(tails_->data());
    buffers.push_back(out());
    scalars.insert(scalars.end(), {form_.is_polar() ? int64_t{kept_.has} : first_entry_, count_});
    if (tails_) scalars.push_back(most_tails_);
    launcher_.run({.name = "draw_numbers " + form_.text(),
                   .make = [form = form_] { return draw_numbers_kernel(form); },
                   .extents = {blocks, draw_threads},
                   .buffers = std::move(buffers),
                   .scalars = std::move(scalars),
                   .is_block = true});
  }

  /// Computes what is left to the host; the generator after the last number.
  std::optional<G> finish(int64_t to_compute, int64_t last_unit) {
    if (form_.is_polar()) return finish_pairs(to_compute, last_unit);
    if (to_compute > 0) patch(to_compute);
    if (!form_.is_chain()) return at_unit(last_unit + 1);
    CountedBits<G> bits{at_unit(last_unit)};
    double x;
    float single;
    form_.dtype == DType::float32 ? attempt(bits, single) : attempt(bits, x);
    return at_unit(last_unit + bits.units);
  }

  std::optional<G> finish_pairs(int64_t doubtful, int64_t last_pair) {
    if (doubtful > 0) patch_pairs(doubtful);
    const double first = form_.is_scaled ? draw_.real(draw_.first) : 0,
                 second = form_.is_scaled ? draw_.real(draw_.second) : 1;
    if (kept_.has) {
      const double x = form_.is_scaled ? first + second * kept_.value : kept_.value;
      launcher_.device().stream().copy_in(call_.result(0).data, reinterpret_cast<const char*>(&x), sizeof x);
    }
    G bits = at_unit(2 * last_pair);
    const bool keeps = (count_ - kept_.has) % 2 != 0;
    kept_ = {};
    library::polar_normal(bits, kept_);
    if (!keeps) kept_ = {};
    return bits;
  }

  /// Replaces what kernels listed by T's that are computed from it.
  template <class T, class Compute>
  Ref<runtime::Buffer> computed(int64_t count, DType dtype, const Compute& compute) {
    // The host's pool has pages that have been touched.
    auto& pool = runtime::HostPool::instance();
    const size_t size = static_cast<size_t>(count);
    const Ref<runtime::Buffer> given = pool.allocate(sizeof(double) * size), made = pool.allocate(sizeof(T) * size);
    const auto* const from = reinterpret_cast<const double*>(given->data());
    auto* const to = reinterpret_cast<T*>(made->data());
    launcher_.fetch(given->data(), tails_->data(), sizeof(double) * size);
    auto pieces = [&](int64_t begin, int64_t end) { std::transform(from + begin, from + end, to + begin, compute); };
    runtime::parallel_for(count, 2048, pieces);
    Ref<runtime::Buffer> there = launcher_.allocate(count, dtype);
    launcher_.device().stream().copy_in(there->data(), made->data(), sizeof(T) * size);
    return there;
  }

  void patch_pairs(int64_t count) {
    const auto logs = computed<double>(count, DType::float64, [](double square) { return std::log(square); });
    std::vector<int64_t> scalars{most_tails_, count_};
    scalars.insert(scalars.end(), parameters_.scalars.begin(), parameters_.scalars.end());
    launcher_.run({.name = form_.is_scaled ? "patch_pairs scaled" : "patch_pairs",
                   .make = [scaled = form_.is_scaled] { return patch_pairs_kernel(scaled); },
                   .extents = {count},
                   .buffers = {tails_->data(), logs->data(), out()},
                   .scalars = std::move(scalars)});
  }

  /// Computes the numbers of the tails.
  void patch(int64_t count) {
    const Ref<runtime::Buffer> patched =
        form_.dtype == DType::float32 ? tail_numbers<float>(count) : tail_numbers<double>(count);
    launcher_.run({.name = format("patch_numbers {}", name(form_.dtype)),
                   .make = [dtype = form_.dtype] { return patch_numbers_kernel(dtype); },
                   .extents = {count},
                   .buffers = {tails_->data() + 8 * most_tails_, patched->data(), out()}});
  }
  template <class T>
  Ref<runtime::Buffer> tail_numbers(int64_t count) {
    const bool is_normal = form_.method == DrawMethod::normal;
    const double first = draw_.real(draw_.first), second = draw_.real(draw_.second);
    return computed<T>(count, form_.dtype, [=, is_scaled = form_.is_scaled](double given) {
      const T u = static_cast<T>(std::abs(given));
      const T x = is_normal ? library::normal_of_tail(library::normal_beyond(u), std::signbit(given))
                            : library::exponential_of_tail(u);
      return is_scaled ? static_cast<T>(first + second * x) : x;
    });
  }

  /// The attempt that begins at this unit: whether it yields x, and the units that it takes.
  template <class T>
  bool attempt(CountedBits<G>& bits, T& x) const {
    const auto& tables = library::ZigguratTables::instance();
    const bool is_normal = form_.method == DrawMethod::normal;
    if constexpr (std::is_same_v<T, float>)
      return is_normal ? library::attempt_normal(bits, tables.normal_float, x)
                       : library::attempt_exponential(bits, tables.exponential_float, x);
    else
      return is_normal ? library::attempt_normal(bits, tables.normal, x)
                       : library::attempt_exponential(bits, tables.exponential, x);
  }

  void decide(int64_t count) {
    std::vector<int64_t> units(static_cast<size_t>(count));
    launcher_.fetch(units.data(), undecided_->data(), 8 * units.size());
    for (int64_t unit : units) {
      CountedBits<G> bits{at_unit(unit)};
      double x;
      float single;
      const bool yields = form_.is_half ? attempt(bits, single) : attempt(bits, x);
      decided_.push_back(decided(unit, bits.units, yields));
    }
    if (decided_.size() <= static_cast<size_t>(most_undecided))
      launcher_.device().stream().copy_in(overrides_->data(), reinterpret_cast<const char*>(decided_.data()),
                                          8 * decided_.size());
  }

  DeviceCall& call_;
  Launcher& launcher_;
  const StreamDraw& draw_;
  const DrawForm form_;
  const Parameters parameters_;
  G bits_;
  std::optional<TwisterWords> twister_;
  const int64_t count_, first_entry_;
  library::KeptNormal kept_;
  std::vector<int64_t> scalars_, decided_;
  std::vector<const char*> ziggurat_;
  Ref<runtime::Buffer> tables_, status_, undecided_, overrides_, tails_;
  int64_t most_tails_ = 0;
};

/// What the kernels do not follow is drawn on the host and copied.
void draw_by_host(DeviceCall& call, const StreamDraw& draw, library::BitGenerator& bits, library::KeptNormal& kept) {
  std::vector<char> numbers(static_cast<size_t>(draw.count() * itemsize(draw.dtype)));
  draw_numbers(draw, bits, kept, numbers.data());
  call.launcher.device().stream().copy_in(call.result(0).data, numbers.data(), numbers.size());
}

}  // namespace

void draw_stream_on_device(DeviceCall& call) {
  const StreamDraw draw(call.arguments);
  const DrawState before(draw, call.operand().data);
  with_generator(draw.generator, before.generator(), [&]<class G>(G& bits) {
    library::KeptNormal kept = before.kept();
    DeviceDraw<G> drawn(call, draw, bits, kept);
    if (std::optional<G> after = drawn.run()) {
      bits = *after;
      kept = drawn.kept();
    } else {
      draw_by_host(call, draw, bits, kept);
    }
    DrawState::write(draw, bits, kept, call.result(1).data);
  });
}

}  // namespace tessera::routines
