#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"

namespace tessera {

using engine::DeviceLaunches;

namespace {

/// What elements are moved as.
struct Words {
  DType word;
  int64_t each;  // words an element
  explicit Words(DType dtype) : word(word_of(itemsize(dtype))), each((itemsize(dtype) + 7) / 8) {}
  static DType word_of(int64_t size) { return size == 1 ? DType::uint8 : size == 2 ? DType::uint16 : size == 4 ? DType::uint32 : DType::uint64; }
};

bool run_writes(Engine& engine, runtime::Device& device, const std::function<void(DeviceLaunches&)>& body) {
  return engine::run_routine(engine, device, [&](DeviceLaunches& launches) -> std::optional<Array> {
    body(launches);
    return Array{};
  }).has_value();
}

/// Runs body on the destination's elements in C order and in place, if they can lie so, else on a copy that is then assigned.
bool write_dense(Engine& engine, runtime::Device& device, const Array& destination, const std::function<bool(char*)>& body) {
  const bool is_dense = destination.view.is_c_contiguous();
  const Array dense = is_dense ? destination : engine.copy(destination, destination.dtype(), Order::c);
  const Ref<runtime::Buffer> memory = engine.write_on_device(dense, device);
  if (!memory || !body(memory->data() + dense.view.offset)) return false;
  if (!is_dense) engine.assign(destination, dense, {});
  return true;
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
  const Words words(destination.dtype());
  const int64_t period = values.size() / inner;
  const bool repeats = period > 1;
  return run_writes(engine, *device, [&](DeviceLaunches& launches) {
    const engine::DenseOperand from = launches.read(values), at = launches.read(rows);
    const bool written = write_dense(engine, *device, destination, [&](char* to) {
      Ref<runtime::Buffer> last;
      if (repeats) {
        const int64_t count = destination.size() / inner;
        last = launches.allocate(count, DType::uint32);
        device->stream().fill_zero(last->data(), static_cast<size_t>(4 * count));
        launches.run({.name = "last_places", .make = [] { return engine::last_places_kernel(); }, .extents = {rows.size()},
                      .buffers = {at.data(), last->data()}, .scalars = {}});
      }
      std::vector<const char*> buffers{at.data(), from.data()};
      if (repeats) buffers.push_back(last->data());
      buffers.push_back(to);
      launches.run({.name = format("put_rows {} {}", name(words.word), repeats),
                    .make = [=] { return engine::put_rows_kernel(words.word, repeats); },
                    .extents = {rows.size(), inner * words.each}, .buffers = std::move(buffers), .scalars = {inner * words.each, period}});
      return true;
    });
    if (!written) throw engine::NoDeviceForm{};
  });
}

std::optional<int64_t> device_expand(Engine& engine, const Array& destination, const Array& mask, const Array& values) {
  runtime::Device* device = library_device(engine, {&destination, &mask});
  if (!device || mask.size() == 0) return {};
  const Array dense = engine.contiguous(mask);
  const Array flat = dense.with_view(*dense.view.try_reshape(Dims{mask.size()}));
  const std::optional<Array> places = device_scan(engine, library::ScanOp::add, flat, 0, DType::int64);
  if (!places) return {};
  const Words words(destination.dtype());
  int64_t count = 0;
  const bool done = run_writes(engine, *device, [&](DeviceLaunches& launches) {
    const engine::DenseOperand from = launches.read(values), chosen = launches.read(flat), at = launches.read(*places);
    launches.fetch(&count, at.data() + 8 * (mask.size() - 1), sizeof count);
    if (count == 0 || count != values.size()) return;
    const bool written = write_dense(engine, *device, destination, [&](char* to) {
      launches.run({.name = format("expand {}", name(words.word)), .make = [=] { return engine::expand_kernel(words.word); },
                    .extents = {mask.size(), words.each}, .buffers = {chosen.data(), at.data(), from.data(), to}, .scalars = {words.each}});
      return true;
    });
    if (!written) throw engine::NoDeviceForm{};
  });
  return done ? std::optional(count) : std::nullopt;
}

}  // namespace tessera
