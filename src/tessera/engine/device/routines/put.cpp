#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"

namespace tessera {

using engine::DeviceLaunches;

namespace {

bool run_writes(Engine& engine, runtime::Device& device, const std::function<void(DeviceLaunches&)>& body) {
  return engine::run_routine(engine, device, [&](DeviceLaunches& launches) -> std::optional<Array> {
    body(launches);
    return Array{};
  }).has_value();
}

std::optional<Array> row_numbers(Engine& engine, runtime::Device& device, std::span<const Array> indices, std::span<const int64_t> extents,
                                 int64_t picks_a_row) {
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
    launches.run({.name = format("row_numbers {} {}", axes, along), .make = [=] { return engine::row_numbers_kernel(axes, along); },
                  .extents = {indices[0].size()}, .buffers = std::move(buffers), .scalars = std::move(scalars)});
    int32_t is_wrong = 0;
    launches.fetch(&is_wrong, wrong->data(), sizeof is_wrong);
    if (is_wrong) return {};
    return out.array();
  });
}

}  // namespace

std::optional<Array> device_rows(Engine& engine, const Array& source, std::span<const Array> indices) {
  runtime::Device* device = library_device(engine, {&source, &indices[0]});
  if (!device || indices[0].size() == 0 || source.size() == 0 || indices.size() > 8) return {};
  return row_numbers(engine, *device, indices, std::span(source.shape()).first(indices.size()), 0);
}

std::optional<Array> device_rows_along(Engine& engine, const Array& source, const Array& indices) {
  runtime::Device* device = library_device(engine, {&source, &indices});
  if (!device || indices.size() == 0 || source.size() == 0) return {};
  return row_numbers(engine, *device, std::span(&indices, 1), std::span(source.shape()).last(1), indices.shape().back());
}

bool device_put(Engine& engine, const Array& destination, const Array& rows, int64_t inner, const Array& values) {
  runtime::Device* device = library_device(engine, {&destination, &rows});
  if (!device || rows.size() == 0 || inner == 0 || rows.size() >= int64_t{1} << 32) return false;
  const engine::Words words(destination.dtype());
  const int64_t period = values.size() / inner;
  const bool repeats = period > 1;
  return run_writes(engine, *device, [&](DeviceLaunches& launches) {
    const engine::DenseOperand from = launches.read(values), at = launches.read(rows);
    engine::write_dense(engine, *device, destination, [&](char* to) {
      std::vector<const char*> buffers{at.data(), from.data()};
      Ref<runtime::Buffer> bits, last;
      if (repeats) {
        // Only rows that are named again have a word that is written and read.
        const int64_t count = destination.size() / inner, bit_bytes = (count + 31) / 32 * 4;
        last = launches.allocate(count, DType::uint32);
        bits = launches.allocate(2 * bit_bytes, DType::uint8);
        device->stream().fill_zero(bits->data(), static_cast<size_t>(2 * bit_bytes));
        const char *seen = bits->data(), *again = seen + bit_bytes;
        launches.run({.name = "mark_rows", .make = [] { return engine::mark_rows_kernel(); }, .extents = {rows.size()},
                      .buffers = {at.data(), seen, again, last->data()}, .scalars = {}});
        launches.run({.name = "last_places", .make = [] { return engine::last_places_kernel(); }, .extents = {rows.size()},
                      .buffers = {at.data(), again, last->data()}, .scalars = {}});
        buffers.insert(buffers.end(), {again, last->data()});
      }
      buffers.push_back(to);
      launches.run({.name = format("put_rows {} {}", name(words.word), repeats),
                    .make = [=] { return engine::put_rows_kernel(words.word, repeats); },
                    .extents = {rows.size(), inner * words.each}, .buffers = std::move(buffers), .scalars = {inner * words.each, period}});
    });
  });
}

}  // namespace tessera
