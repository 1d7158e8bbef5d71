#include "tessera/engine/device/routines/routines.h"
#include "tessera/engine/device/routines/row_layout.h"
#include "tessera/routines/rows/kernels.h"

namespace tessera {

using engine::DeviceLaunches;

namespace {

bool run_writes(Engine& engine, runtime::Device& device, const std::function<void(DeviceLaunches&)>& body) {
  return engine::run_routine(engine, device,
                             [&](DeviceLaunches& launches) -> std::optional<Array> {
                               body(launches);
                               return Array{};
                             })
      .has_value();
}

std::optional<Array> row_numbers(Engine& engine, runtime::Device& device, std::span<const Array> indices,
                                 std::span<const int64_t> extents, int64_t picks_a_row, routines::PickMode mode) {
  return engine::run_routine(engine, device, [&](DeviceLaunches& launches) -> std::optional<Array> {
    std::vector<engine::DenseOperand> given;
    for (const Array& index : indices) given.push_back(launches.read(engine.contiguous(index, DType::int64)));
    DeviceResult out(engine, device, indices[0].shape(), DType::int64);
    const Ref<runtime::Buffer> wrong = launches.allocate(1, DType::int32);
    device.stream().fill_zero(wrong->data(), 4);
    std::vector<const char*> buffers;
    for (const engine::DenseOperand& index : given) buffers.push_back(index.data());
    buffers.push_back(out.data());
    buffers.push_back(wrong->data());
    std::vector<int64_t> scalars(extents.begin(), extents.end());
    const bool along = picks_a_row > 0;
    if (along) scalars.push_back(picks_a_row);
    const int axes = static_cast<int>(indices.size());
    launches.run({.name = format("row_numbers {} {} {}", axes, along, static_cast<int>(mode)),
                  .make = [=] { return routines::row_numbers_kernel(axes, along, mode); },
                  .extents = {indices[0].size()},
                  .buffers = std::move(buffers),
                  .scalars = std::move(scalars)});
    int32_t is_wrong = 0;
    if (mode == routines::PickMode::raise) launches.fetch(&is_wrong, wrong->data(), sizeof is_wrong);
    if (is_wrong) return {};
    return out.array();
  });
}

/// Which rows are named more than once, and the last index in `rows` that names each of these.
struct LastPlaces {
  Ref<runtime::Buffer> bits, last;
  const char* again;
  LastPlaces(DeviceLaunches& launches, runtime::Device& device, const engine::DenseOperand& rows, int64_t picks,
             int64_t count) {
    // Only rows that are named more than once have a word that is written and read.
    const int64_t bit_bytes = (count + 31) / 32 * 4;
    last = launches.allocate(count, DType::uint32);
    bits = launches.allocate(2 * bit_bytes, DType::uint8);
    device.stream().fill_zero(bits->data(), static_cast<size_t>(2 * bit_bytes));
    again = bits->data() + bit_bytes;
    launches.run({.name = "mark_rows",
                  .make = [] { return routines::mark_rows_kernel(); },
                  .extents = {picks},
                  .buffers = {rows.data(), bits->data(), again, last->data()},
                  .scalars = {}});
    launches.run({.name = "last_places",
                  .make = [] { return routines::last_places_kernel(); },
                  .extents = {picks},
                  .buffers = {rows.data(), again, last->data()},
                  .scalars = {}});
  }
};

std::string name_of(const char* kernel, DType word, const routines::RowAxes& axes) {
  return format("{} {} {} {} {}", kernel, name(word), axes.before, axes.rows, axes.behind);
}

}  // namespace

std::optional<Array> device_rows(Engine& engine, const Array& source, std::span<const int64_t> extents,
                                 std::span<const Array> indices, routines::PickMode mode) {
  constexpr size_t most_axes = 8;
  if (indices.empty() || indices.size() > most_axes || indices[0].size() == 0 || source.size() == 0) return {};
  runtime::Device* device =
      library_device(engine, {&source, &indices[0]}, engine::cost_by_element("index", indices[0].size(), 4, 64, 1));
  if (!device) return {};
  return row_numbers(engine, *device, indices, extents, 0, mode);
}

std::optional<Array> device_rows_along(Engine& engine, const Array& source, const Array& indices) {
  if (indices.size() == 0 || source.size() == 0) return {};
  runtime::Device* device = library_device(engine, {&source, &indices},
                                           engine::cost_by_element("index along an axis", indices.size(), 4, 64, 1));
  if (!device) return {};
  return row_numbers(engine, *device, std::span(&indices, 1), std::span(source.shape()).last(1), indices.shape().back(),
                     routines::PickMode::raise);
}

std::optional<Array> device_pick(Engine& engine, const Array& source, const RowLayout& layout, const Array& rows) {
  if (rows.size() == 0) return {};
  const int64_t picked = rows.size() * layout.before.size() * layout.behind.size();
  runtime::Device* device = library_device(engine, {&source, &rows}, engine::cost_by_element("pick", picked, 4, 64));
  if (!device) return {};
  const engine::Words words(source.dtype());
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) {
    const engine::RowWalk given(layout, itemsize(words.word));
    const bool in_place = given.is_whole();
    const Array from =
        in_place ? source : engine.copy(source.with_view(engine::whole_view(layout)), source.dtype(), Order::c);
    const engine::RowWalk walk = in_place ? given : engine::RowWalk(engine::dense_layout(layout), itemsize(words.word));
    const Ref<runtime::Buffer> memory = engine.devices().on_device(from, *device);
    const engine::DenseOperand at = launches.read(rows);
    DeviceResult out(engine, *device, Dims{walk.before() * rows.size() * layout.behind.size()}, source.dtype());
    launches.run(
        {.name = name_of("pick_rows", words.word, walk.axes()),
         .make = [=] { return routines::pick_rows_kernel(words.word, walk.axes()); },
         .extents = {walk.before(), rows.size(), walk.behind()},
         .buffers = {at.data(), memory->data() + (in_place ? layout.rows.offset : from.view.offset), out.data()},
         .scalars = walk.scalars()});
    return out.array();
  });
}

bool device_put(Engine& engine, const Array& destination, const RowLayout& layout, const Array& rows,
                const Array& values, int64_t period) {
  if (rows.size() == 0 || values.size() == 0 || rows.size() >= int64_t{1} << 32) return false;
  const int64_t written = rows.size() * layout.before.size() * layout.behind.size();
  runtime::Device* device =
      library_device(engine, {&destination, &rows}, engine::cost_by_element("put", written, 4, 100, 0, 4));
  if (!device) return false;
  const engine::Words words(destination.dtype());
  const bool repeats = period > 1;
  return run_writes(engine, *device, [&](DeviceLaunches& launches) {
    // One element is used for all positions; if it has several words, it is broadcast to a row first.
    const bool single = values.size() == 1, spreads = single && words.each > 1;
    const View one = spreads
                         ? View{.offset = values.view.offset, .dtype = values.dtype()}.broadcast_to(layout.behind.shape)
                         : values.view;
    const engine::DenseOperand from = launches.read(spreads ? values.with_view(one) : values), at = launches.read(rows);
    const auto put = [&](char* to, const engine::RowWalk& walk) {
      const int64_t along = single && !spreads ? 0 : 1, step = single ? 0 : walk.behind(),
                    pitch = single ? 0 : period * step;
      std::vector<int64_t> scalars = walk.scalars();
      for (int64_t scalar : {pitch, period, step, along}) scalars.push_back(scalar);
      std::vector<const char*> buffers{at.data(), from.data()};
      std::optional<LastPlaces> last;
      if (repeats) {
        last.emplace(launches, *device, at, rows.size(), layout.rows.size());
        buffers.insert(buffers.end(), {last->again, last->last->data()});
      }
      buffers.push_back(to);
      launches.run({.name = name_of(repeats ? "put_rows again" : "put_rows", words.word, walk.axes()),
                    .make = [=] { return routines::put_rows_kernel(words.word, walk.axes(), repeats); },
                    .extents = {walk.before(), rows.size(), walk.behind()},
                    .buffers = std::move(buffers),
                    .scalars = std::move(scalars)});
    };
    const View whole = engine::whole_view(layout);
    const engine::RowWalk walk(layout, itemsize(words.word));
    if (walk.is_whole() && whole.is_injective()) {
      const Ref<runtime::Buffer> memory = engine.devices().write_on_device(destination, *device);
      if (!memory) throw engine::NoDeviceCode{};
      return put(memory->data() + layout.rows.offset, walk);
    }
    const Array dense = engine.copy(destination.with_view(whole), destination.dtype(), Order::c);
    const Ref<runtime::Buffer> memory = engine.devices().write_on_device(dense, *device);
    if (!memory) throw engine::NoDeviceCode{};
    put(memory->data() + dense.view.offset, engine::RowWalk(engine::dense_layout(layout), itemsize(words.word)));
    engine.assign(destination.with_view(whole), dense, {});
  });
}

}  // namespace tessera
