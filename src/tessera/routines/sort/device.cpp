#include <optional>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/routines/search/kernels.h"
#include "tessera/routines/sort/kernels.h"
#include "tessera/routines/sort/sort.h"
#include "tessera/routines/sort/sort_keys.h"

namespace tessera::routines {

namespace {

struct Sorting {
  DType element;
  bool places;
  int64_t rows, n;
  int passes() const { return static_cast<int>(itemsize(element)); }
  std::string name(const char* kernel) const { return format("{} {} {}", kernel, tessera::name(element), places); }
};

/// The smallest tile that holds a row; nothing when rows are longer than all.
std::optional<SortTile> whole_row_tile(const Sorting& s) {
  for (const SortTile tile : {SortTile{64, 4}, SortTile{128, 8}, row_tile(s.element, s.places)})
    if (s.n <= tile.size()) return tile;
  return {};
}

void sort_short_rows(Launcher& launcher, const Sorting& s, const SortTile& tile, const char* x, char* out) {
  launcher.run({.name = s.name(format("sort_rows {}", tile.size()).c_str()),
                .make = [=] { return sort_rows_kernel(s.element, s.places, tile); },
                .extents = {s.rows, tile.threads},
                .buffers = {x, out},
                .scalars = {s.n},
                .is_block = true});
}

/// The counters of all passes in one allocation, initialised to zeros.
struct Counters {
  Counters(Launcher& launcher, const Sorting& s, int64_t tiles, DType word)
      : status_bytes_(s.rows * (tiles + 1) * sort_digits * itemsize(word)),
        counts_at_(padded(4 * s.passes())),
        statuses_at_(counts_at_ + padded(4 * s.rows * s.passes() * sort_digits)),
        memory_(launcher.allocate(statuses_at_ + s.passes() * status_bytes_, DType::uint8)) {
    launcher.device().stream().fill_zero(memory_->data(),
                                         static_cast<size_t>(statuses_at_ + s.passes() * status_bytes_));
  }
  const char* tickets() const { return memory_->data(); }
  const char* counts() const { return memory_->data() + counts_at_; }
  const char* status(int pass) const { return memory_->data() + statuses_at_ + pass * status_bytes_; }

 private:
  static int64_t padded(int64_t nbytes) { return (nbytes + 255) / 256 * 256; }

  int64_t status_bytes_, counts_at_, statuses_at_;
  Ref<runtime::Buffer> memory_;
};

KernelLaunch sweep_routine(const Sorting& s, const SortTile& tile, int pass, DType word) {
  const bool is_first = pass == 0, is_last = pass + 1 == s.passes();
  return {.name = s.name(format("sort_sweep {} {} {} {}", is_first, is_last, tessera::name(word), tile.size()).c_str()),
          .make = [=] { return sort_sweep_kernel({s.element, s.places, is_first, is_last, word, tile}); },
          .extents = {0, tile.threads},
          .buffers = {},
          .scalars = {},
          .is_short_text = tile.size() == short_text_tile.size(),
          .is_block = true};
}

/// The optimal tile if its kernels are compiled or rows are long enough to amortise waiting for them.
SortTile choose_tile(Launcher& launcher, const Sorting& s, DType word) {
  constexpr int64_t soon_sorted = 1 << 25;
  const SortTile best = sort_tile(s.element, s.places);
  bool is_ready = true;
  for (int pass : {0, 1, s.passes() - 1})
    if (pass < s.passes()) is_ready = launcher.is_ready(sweep_routine(s, best, pass, word)) && is_ready;
  return is_ready || s.rows * s.n > soon_sorted ? best : short_text_tile;
}

void sort_long_rows(Launcher& launcher, const Sorting& s, const char* x, char* out) {
  constexpr int64_t chunk = 1 << 15;
  const DType word = s.n < int64_t{1} << 30 ? DType::uint32 : DType::uint64;
  const SortTile tile = choose_tile(launcher, s, word);
  const int64_t tiles = (s.n + tile.size() - 1) / tile.size(), chunks = (s.n + chunk - 1) / chunk;
  const Counters counters(launcher, s, tiles, word);
  launcher.gather();
  // When the optimal sweeps are waited for, the counting kernel is not used as fast-compile variant either.
  std::function<ir::Kernel()> make_short_text;
  if (tile.size() == short_text_tile.size()) make_short_text = [=] { return sort_counts_kernel(s.element, true); };
  launcher.run({.name = s.name("sort_counts"),
                .make = [=] { return sort_counts_kernel(s.element); },
                .make_short_text = make_short_text,
                .extents = {s.rows * chunks, sort_counts_threads},
                .buffers = {x, counters.counts()},
                .scalars = {s.n, chunk, chunks},
                .is_block = true});
  launcher.run({.name = format("sort_begins {}", tessera::name(word)),
                .make = [=] { return sort_begins_kernel(word); },
                .extents = {s.rows * s.passes(), sort_digits},
                .buffers = {counters.counts(), counters.status(0)},
                .scalars = {s.passes(), s.rows, tiles},
                .is_block = true});
  // Keys alternate between two buffers, one of which may be the result.
  const int64_t count = s.rows * s.n;
  Ref<runtime::Buffer> own[2], places[2];
  const char* from = x;
  const char* from_places = nullptr;
  for (int pass = 0; pass < s.passes(); ++pass) {
    const bool is_last = pass + 1 == s.passes();
    const int side = pass % 2;
    const auto memory = [&](Ref<runtime::Buffer>* pair, DType dtype) -> const char* {
      if (!pair[side]) pair[side] = launcher.allocate(count, dtype);
      return pair[side]->data();
    };
    const bool lands_in_result = !s.places && (s.passes() - 1 - pass) % 2 == 0;
    const char* to = lands_in_result ? out : s.places && is_last ? nullptr : memory(own, s.element);
    const char* to_places = !s.places ? nullptr : is_last ? out : memory(places, DType::uint32);
    std::vector<const char*> buffers{from};
    for (const char* buffer : {from_places, to, to_places, counters.status(pass), counters.tickets()})
      if (buffer) buffers.push_back(buffer);
    KernelLaunch sweep = sweep_routine(s, tile, pass, word);
    sweep.extents[0] = s.rows * tiles;
    sweep.buffers = std::move(buffers);
    sweep.scalars = {s.n, tiles, 8 * pass, pass};
    launcher.run(std::move(sweep));
    from = to;
    from_places = to_places;
  }
  launcher.flush();  // before the memory of keys and counters is free
}

}  // namespace

namespace {

void sort_real(Launcher& launcher, const Sorting& s, const char* x, char* out) {
  if (const std::optional<SortTile> tile = whole_row_tile(s))
    sort_short_rows(launcher, s, *tile, x, out);
  else
    sort_long_rows(launcher, s, x, out);
}

/// One part of each complex number.
Ref<runtime::Buffer> part_of(Launcher& launcher, const SortRows& rows, const char* x, int64_t part) {
  const DType real = real_dtype(rows.dtype);
  Ref<runtime::Buffer> out = launcher.allocate(rows.size(), real);
  launcher.run({.name = format("complex_part {}", name(real)),
                .make = [=] { return complex_part_kernel(real); },
                .extents = {rows.size()},
                .buffers = {x, out->data()},
                .scalars = {part}});
  launcher.flush();
  return out;
}

/// Sorts complex numbers by which parts are NaN, then by real, then by imaginary part.
void argsort_complex(Launcher& launcher, const SortRows& rows, const char* x, char* order) {
  const SortRows parts(real_dtype(rows.dtype), rows.rows, rows.n);
  argsort_rows(launcher, parts, part_of(launcher, rows, x, 1)->data(), order);
  refine_order(launcher, parts, part_of(launcher, rows, x, 0)->data(), order);
  const Ref<runtime::Buffer> nans = launcher.allocate(rows.size(), DType::uint8);
  const DType dtype = rows.dtype;
  launcher.run({.name = format("complex_nans {}", name(dtype)),
                .make = [=] { return complex_nans_kernel(dtype); },
                .extents = {rows.size()},
                .buffers = {x, nans->data()},
                .scalars = {}});
  launcher.flush();
  refine_order(launcher, {DType::uint8, rows.rows, rows.n}, nans->data(), order);
}

}  // namespace

void sort_rows(Launcher& launcher, const SortRows& rows, const char* x, char* out) {
  if (!is_complex(rows.dtype)) return sort_real(launcher, {rows.dtype, false, rows.rows, rows.n}, x, out);
  const Ref<runtime::Buffer> order = launcher.allocate(rows.size(), DType::int64);
  argsort_complex(launcher, rows, x, order->data());
  gather_rows(launcher, rows, x, order->data(), out);
}

void argsort_rows(Launcher& launcher, const SortRows& rows, const char* x, char* order) {
  if (is_complex(rows.dtype)) return argsort_complex(launcher, rows, x, order);
  sort_real(launcher, {rows.dtype, true, rows.rows, rows.n}, x, order);
}

void gather_rows(Launcher& launcher, const SortRows& rows, const char* x, const char* order, char* out) {
  const int64_t size = itemsize(rows.dtype), each = (size + 7) / 8;
  const DType word = SortKeys::word_of(size <= 8 ? rows.dtype : DType::uint64);
  launcher.run({.name = format("gather_rows {} {}", name(word), each),
                .make = [=] { return gather_rows_kernel(word, static_cast<int>(each)); },
                .extents = {rows.size()},
                .buffers = {x, order, out},
                .scalars = {rows.n}});
  launcher.flush();
}

void refine_order(Launcher& launcher, const SortRows& rows, const char* key, char* order) {
  const Ref<runtime::Buffer> picked = launcher.allocate(rows.size(), rows.dtype);
  gather_rows(launcher, rows, key, order, picked->data());
  const Ref<runtime::Buffer> places = launcher.allocate(rows.size(), DType::int64);
  argsort_rows(launcher, rows, picked->data(), places->data());
  const Ref<runtime::Buffer> refined = launcher.allocate(rows.size(), DType::int64);
  gather_rows(launcher, {DType::int64, rows.rows, rows.n}, order, places->data(), refined->data());
  launcher.device().stream().copy(order, refined->data(), static_cast<size_t>(8 * rows.size()));
}

void sort_on_device(DeviceCall& call) {
  sort_rows(call.launcher, SortRows(call.operand().view), call.operand().data, call.result().data);
}

void argsort_on_device(DeviceCall& call) {
  argsort_rows(call.launcher, SortRows(call.operand().view), call.operand().data, call.result().data);
}

void lexsort_on_device(DeviceCall& call) {
  argsort_on_device(call);
  for (const Elements& key : call.operands.subspan(1))
    refine_order(call.launcher, SortRows(key.view), key.data, call.result().data);
}

}  // namespace tessera::routines
