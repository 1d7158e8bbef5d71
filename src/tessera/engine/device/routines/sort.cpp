#include "tessera/engine/device/placement/placed_call.h"
#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/engine/device/routines/sort_kernels.h"

namespace tessera {

using engine::DeviceLaunches;
using engine::DeviceRoutine;
using engine::SortTile;

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
  for (const SortTile tile : {SortTile{64, 4}, SortTile{128, 8}, engine::row_tile(s.element, s.places)})
    if (s.n <= tile.size()) return tile;
  return {};
}

void sort_short_rows(DeviceLaunches& launches, const Sorting& s, const SortTile& tile, const char* x, char* out) {
  launches.run({.name = s.name(format("sort_rows {}", tile.size()).c_str()),
                .make = [=] { return engine::sort_rows_kernel(s.element, s.places, tile); },
                .extents = {s.rows, tile.threads},
                .buffers = {x, out},
                .scalars = {s.n},
                .is_block = true});
}

/// The counters of all passes in one allocation, initialised to zeros.
struct Counters {
  Counters(DeviceLaunches& launches, runtime::Device& device, const Sorting& s, int64_t tiles, DType word)
      : status_bytes_(s.rows * (tiles + 1) * engine::sort_digits * itemsize(word)),
        counts_at_(padded(4 * s.passes())),
        statuses_at_(counts_at_ + padded(4 * s.rows * s.passes() * engine::sort_digits)),
        memory_(launches.allocate(statuses_at_ + s.passes() * status_bytes_, DType::uint8)) {
    device.stream().fill_zero(memory_->data(), static_cast<size_t>(statuses_at_ + s.passes() * status_bytes_));
  }
  const char* tickets() const { return memory_->data(); }
  const char* counts() const { return memory_->data() + counts_at_; }
  const char* status(int pass) const { return memory_->data() + statuses_at_ + pass * status_bytes_; }

 private:
  static int64_t padded(int64_t nbytes) { return (nbytes + 255) / 256 * 256; }

  int64_t status_bytes_, counts_at_, statuses_at_;
  Ref<runtime::Buffer> memory_;
};

DeviceRoutine sweep_routine(const Sorting& s, const SortTile& tile, int pass, DType word) {
  const bool is_first = pass == 0, is_last = pass + 1 == s.passes();
  return {.name = s.name(format("sort_sweep {} {} {} {}", is_first, is_last, tessera::name(word), tile.size()).c_str()),
          .make = [=] { return engine::sort_sweep_kernel({s.element, s.places, is_first, is_last, word, tile}); },
          .extents = {0, tile.threads},
          .buffers = {},
          .scalars = {},
          .is_short_text = tile.size() == engine::short_text_tile.size(),
          .is_block = true};
}

/// The optimal tile if its kernels are compiled or rows are long enough to amortise waiting for them.
SortTile choose_tile(DeviceLaunches& launches, const Sorting& s, DType word) {
  constexpr int64_t soon_sorted = 1 << 25;
  const SortTile best = engine::sort_tile(s.element, s.places);
  bool is_ready = true;
  for (int pass : {0, 1, s.passes() - 1})
    if (pass < s.passes()) is_ready = launches.is_ready(sweep_routine(s, best, pass, word)) && is_ready;
  return is_ready || s.rows * s.n > soon_sorted ? best : engine::short_text_tile;
}

void sort_long_rows(DeviceLaunches& launches, runtime::Device& device, const Sorting& s, const char* x, char* out) {
  constexpr int64_t chunk = 1 << 15;
  const DType word = s.n < int64_t{1} << 30 ? DType::uint32 : DType::uint64;
  const SortTile tile = choose_tile(launches, s, word);
  const int64_t tiles = (s.n + tile.size() - 1) / tile.size(), chunks = (s.n + chunk - 1) / chunk;
  const Counters counters(launches, device, s, tiles, word);
  launches.gather();
  // When the optimal sweeps are waited for, the counting kernel is not used as fast-compile variant either.
  std::function<ir::Kernel()> make_short_text;
  if (tile.size() == engine::short_text_tile.size())
    make_short_text = [=] { return engine::sort_counts_kernel(s.element, true); };
  launches.run({.name = s.name("sort_counts"),
                .make = [=] { return engine::sort_counts_kernel(s.element); },
                .make_short_text = make_short_text,
                .extents = {s.rows * chunks, engine::sort_counts_threads},
                .buffers = {x, counters.counts()},
                .scalars = {s.n, chunk, chunks},
                .is_block = true});
  launches.run({.name = format("sort_begins {}", tessera::name(word)),
                .make = [=] { return engine::sort_begins_kernel(word); },
                .extents = {s.rows * s.passes(), engine::sort_digits},
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
      if (!pair[side]) pair[side] = launches.allocate(count, dtype);
      return pair[side]->data();
    };
    const bool lands_in_result = !s.places && (s.passes() - 1 - pass) % 2 == 0;
    const char* to = lands_in_result ? out : s.places && is_last ? nullptr : memory(own, s.element);
    const char* to_places = !s.places ? nullptr : is_last ? out : memory(places, DType::uint32);
    std::vector<const char*> buffers{from};
    for (const char* buffer : {from_places, to, to_places, counters.status(pass), counters.tickets()})
      if (buffer) buffers.push_back(buffer);
    DeviceRoutine sweep = sweep_routine(s, tile, pass, word);
    sweep.extents[0] = s.rows * tiles;
    sweep.buffers = std::move(buffers);
    sweep.scalars = {s.n, tiles, 8 * pass, pass};
    launches.run(std::move(sweep));
    from = to;
    from_places = to_places;
  }
}

/// Gathers elements along the last axis by index.
std::optional<Array> pick_along(Engine& engine, const Array& array, const Array& places) {
  const std::optional<Array> rows = device_rows_along(engine, array, places);
  if (!rows) return {};
  RowLayout layout{.rows = array.view};
  layout.before.dtype = layout.behind.dtype = array.dtype();
  std::optional<Array> picked = device_pick(engine, array, layout, *rows);
  if (picked) picked->view = View::contiguous(places.shape(), array.dtype());
  return picked;
}

/// Sorts complex numbers by which parts are NaN, then by real, then by imaginary part.
std::optional<Array> sort_complex(Engine& engine, runtime::Device& device, const Array& array, bool places) {
  std::optional<Array> order = device_sort(engine, array.with_view(array.view.imag()), true);
  if (order) order = device_refine(engine, array.with_view(array.view.real()), *order);
  if (!order) return {};
  const std::optional<Array> nans = engine::run_routine(engine, device, [&](DeviceLaunches& launches) {
    const engine::DenseOperand x = launches.read(array);
    DeviceResult out(engine, device, array.shape(), DType::uint8);
    const DType dtype = array.dtype();
    launches.run({.name = format("complex_nans {}", name(dtype)),
                  .make = [=] { return engine::complex_nans_kernel(dtype); },
                  .extents = {array.size()},
                  .buffers = {x.data(), out.data()},
                  .scalars = {}});
    return out.array();
  });
  if (nans) order = device_refine(engine, *nans, *order);
  if (!nans || !order || places) return order;
  return pick_along(engine, array, *order);
}

}  // namespace

std::optional<Array> device_refine(Engine& engine, const Array& key, const Array& order) {
  const std::optional<Array> picked = pick_along(engine, key, order);
  const std::optional<Array> places = picked ? device_sort(engine, *picked, true) : std::nullopt;
  return places ? pick_along(engine, order, *places) : std::nullopt;
}

std::optional<Array> device_sort(Engine& engine, const Array& array, bool places) {
  constexpr int64_t most = int64_t{1} << 32;  // indices are moved as uint32
  if (array.ndim() == 0 || array.size() == 0 || array.shape().back() >= most) return {};
  runtime::Device* device =
      library_device(engine, {&array}, engine::cost_of_sort(array.size(), array.shape().back(), array.dtype(), places));
  if (!device) return {};
  if (is_complex(array.dtype())) return sort_complex(engine, *device, array, places);
  const int64_t n = array.shape().back();
  const Sorting s{array.dtype(), places, array.size() / n, n};
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) {
    const engine::DenseOperand x = launches.read(array);
    DeviceResult out(engine, *device, array.shape(), places ? DType::int64 : array.dtype());
    if (const std::optional<SortTile> tile = whole_row_tile(s))
      sort_short_rows(launches, s, *tile, x.data(), out.data());
    else
      sort_long_rows(launches, *device, s, x.data(), out.data());
    return out.array();
  });
}

std::optional<Array> device_partition(Engine& engine, const Array& array, std::span<const int64_t> at, bool places) {
  const engine::PlacedCall call;
  if (array.ndim() == 0 || array.size() == 0) return {};
  const auto size = static_cast<double>(itemsize(array.dtype()));
  const char* op = places ? "argpartition" : "partition";
  if (!library_device(engine, {&array}, engine::cost_by_element(op, array.size(), 12, 300 + 12 * size * size, 0, 20)))
    return {};
  std::optional<Array> order, sorted = device_sort(engine, array, places);
  if (!sorted) return {};
  if (places) order = std::exchange(sorted, pick_along(engine, array, *sorted));
  if (!sorted) return {};
  runtime::Device& device = *engine.device_of(*sorted);
  const int64_t n = array.shape().back();
  const DType dtype = array.dtype();
  return engine::run_routine(engine, device, [&](DeviceLaunches& launches) -> std::optional<Array> {
    const engine::DenseOperand x = launches.read(array), in_order = launches.read(*sorted);
    const Ref<runtime::Buffer> pivots = launches.allocate(static_cast<int64_t>(at.size()), DType::int64);
    device.stream().copy_in(pivots->data(), reinterpret_cast<const char*>(at.data()), at.size_bytes());
    DeviceResult parts(engine, device, array.shape(), DType::uint8);
    launches.run({.name = format("parts {}", name(dtype)),
                  .make = [=] { return engine::parts_kernel(dtype); },
                  .extents = {array.size()},
                  .buffers = {x.data(), in_order.data(), pivots->data(), parts.data()},
                  .scalars = {n, static_cast<int64_t>(at.size())}});
    const std::optional<Array> by_parts = device_sort(engine, parts.array(), true);
    if (!by_parts) return {};
    const engine::DenseOperand chosen = launches.read(*by_parts);
    DeviceResult out(engine, device, array.shape(), places ? DType::int64 : dtype);
    std::vector<const char*> buffers{x.data(), in_order.data(), chosen.data()};
    std::optional<engine::DenseOperand> all;
    if (places) buffers.push_back(all.emplace(launches.read(*order)).data());
    buffers.push_back(out.data());
    launches.run({.name = format("parted {} {}", name(dtype), places),
                  .make = [=] { return engine::parted_kernel(dtype, places); },
                  .extents = {array.size()},
                  .buffers = std::move(buffers),
                  .scalars = {n}});
    return out.array();
  });
}

std::optional<Array> device_search(Engine& engine, const Array& sorted, const Array& wanted, DType dtype, bool right) {
  if (wanted.size() == 0 || sorted.size() == 0) return {};
  runtime::Device* device =
      library_device(engine, {&sorted, &wanted}, engine::cost_of_search("searchsorted", wanted.size(), sorted.size()));
  if (!device) return {};
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) {
    const engine::DenseOperand among = launches.read(engine.contiguous(sorted, dtype)),
                               keys = launches.read(engine.contiguous(wanted, dtype));
    DeviceResult out(engine, *device, wanted.shape(), DType::int64);
    launches.run({.name = format("search {} {}", name(dtype), right),
                  .make = [=] { return engine::search_kernel(dtype, right); },
                  .extents = {wanted.size()},
                  .buffers = {among.data(), keys.data(), out.data()},
                  .scalars = {sorted.size()}});
    return out.array();
  });
}

}  // namespace tessera
