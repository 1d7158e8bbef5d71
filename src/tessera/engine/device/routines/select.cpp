#include "tessera/engine/device/routines/launcher.h"
#include "tessera/engine/device/routines/routines.h"
#include "tessera/routines/select/kernels.h"

namespace tessera {

using engine::DeviceLaunches;

namespace {

/// A mask on a device, with the number of elements that are selected before each tile.
class Selection {
 public:
  Selection(DeviceLaunches& launches, const Array& mask)
      : launches_(launches),
        mask_(launches.read(mask)),
        dtype_(mask.dtype()),
        n_(mask.size()),
        tiles_((n_ + routines::select_tile - 1) / routines::select_tile),
        begins_(launches.allocate(tiles_ + 1, DType::int64)) {
    const Ref<runtime::Buffer> counts = launches.allocate(tiles_, DType::uint32);
    const DType dtype = dtype_;
    launches.run({.name = format("select_counts {}", name(dtype)),
                  .make = [=] { return routines::select_counts_kernel(dtype); },
                  .extents = {tiles_, routines::select_threads},
                  .buffers = {mask_.data(), counts->data()},
                  .scalars = {n_},
                  .is_block = true});
    launches.run({.name = "select_begins",
                  .make = [] { return routines::select_begins_kernel(); },
                  .extents = {1, routines::select_begins_threads},
                  .buffers = {counts->data(), begins_->data()},
                  .scalars = {tiles_},
                  .is_block = true});
    launches.fetch(&count_, begins_->data() + 8 * tiles_, sizeof count_);
  }
  int64_t count() const { return count_; }
  /// Runs a kernel over the tiles; `buffers` and scalars follow those of the mask.
  void run(std::string name, std::function<ir::Kernel()> make, std::span<const char* const> buffers,
           std::span<const int64_t> scalars = {}) {
    std::vector<const char*> all_buffers{mask_.data(), begins_->data()};
    all_buffers.insert(all_buffers.end(), buffers.begin(), buffers.end());
    std::vector<int64_t> all_scalars{n_};
    all_scalars.insert(all_scalars.end(), scalars.begin(), scalars.end());
    launches_.run({.name = std::move(name),
                   .make = std::move(make),
                   .extents = {tiles_, routines::select_threads},
                   .buffers = std::move(all_buffers),
                   .scalars = std::move(all_scalars),
                   .is_block = true});
  }
  void compress(const engine::Words& words, bool expands, const char* from, char* to) {
    const char* buffers[] = {from, to};
    const DType word = words.word;
    const int each = static_cast<int>(words.each);
    run(
        format("compress {} {} {}", name(word), each, expands),
        [=] { return routines::compress_kernel(word, each, expands); }, buffers);
  }

 private:
  DeviceLaunches& launches_;
  engine::DenseOperand mask_;
  DType dtype_;
  int64_t n_, tiles_, count_ = 0;
  Ref<runtime::Buffer> begins_;
};

std::vector<Array> find_nonzero(Engine& engine, runtime::Device& device, Selection& selection,
                                std::span<const int64_t> shape, DType dtype) {
  std::vector<Array> found;
  std::vector<const char*> buffers;
  const int64_t count[] = {selection.count()};
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    DeviceResult out(engine, device, count, DType::int64);
    buffers.push_back(out.data());
    found.push_back(out.array());
  }
  const int axes = static_cast<int>(shape.size());
  if (count[0] > 0)
    selection.run(
        format("nonzero {} {}", name(dtype), axes), [=] { return routines::nonzero_kernel(dtype, axes); }, buffers,
        shape.subspan(1));
  return found;
}

}  // namespace

std::optional<int64_t> device_count_nonzero(Engine& engine, const Array& array) {
  if (array.size() == 0) return {};
  const auto size = static_cast<double>(itemsize(array.dtype()));
  runtime::Device* device =
      library_device(engine, {&array}, engine::cost_by_element("count_nonzero", array.size(), 0.3, size, 1));
  if (!device) return {};
  return engine::run_routine<int64_t>(engine, *device,
                                      [&](DeviceLaunches& launches) { return Selection(launches, array).count(); });
}

std::optional<std::vector<Array>> device_nonzero(Engine& engine, const Array& array) {
  if (array.size() == 0 || array.ndim() == 0 || array.ndim() > 8) return {};
  runtime::Device* device =
      library_device(engine, {&array}, engine::cost_by_element("nonzero", array.size(), 2, 24, 1, 4));
  if (!device) return {};
  return engine::run_routine<std::vector<Array>>(engine, *device, [&](DeviceLaunches& launches) {
    Selection selection(launches, array);
    return find_nonzero(engine, *device, selection, array.shape(), array.dtype());
  });
}

std::optional<Array> device_compress(Engine& engine, const Array& array, const Array& mask) {
  if (array.size() == 0) return {};
  runtime::Device* device =
      library_device(engine, {&array, &mask}, engine::cost_by_element("choose by mask", array.size(), 2, 32, 1, 4));
  if (!device) return {};
  const int64_t n = mask.size(), inner = array.size() / n;
  return engine::run_routine(engine, *device, [&](DeviceLaunches& launches) -> std::optional<Array> {
    Selection selection(launches, mask);
    Dims shape{selection.count()};
    for (int axis = mask.ndim(); axis < array.ndim(); ++axis) shape.push_back(array.shape()[axis]);
    if (inner > 1 && selection.count() > 0) {
      const Array dense = engine.contiguous(array),
                  places = find_nonzero(engine, *device, selection, Dims{n}, mask.dtype())[0];
      const Array rows = dense.with_view(*dense.view.try_reshape(Dims{n, inner}));
      const std::optional<Array> taken = device_take(engine, rows, places, 0, routines::PickMode::clip);
      if (!taken) return {};
      return taken->with_view(View::contiguous(shape, array.dtype()));
    }
    const engine::DenseOperand x = launches.read(array);
    DeviceResult out(engine, *device, shape, array.dtype());
    if (selection.count() > 0) selection.compress(engine::Words(array.dtype()), false, x.data(), out.data());
    return out.array();
  });
}

std::optional<int64_t> device_expand(Engine& engine, const Array& destination, const Array& mask, const Array& values) {
  if (mask.size() == 0) return {};
  runtime::Device* device =
      library_device(engine, {&destination, &mask}, engine::cost_by_element("write by mask", mask.size(), 2, 40, 1, 4));
  if (!device) return {};
  return engine::run_routine<int64_t>(engine, *device, [&](DeviceLaunches& launches) {
    Selection selection(launches, mask);
    const int64_t count = selection.count();
    if (count == 0 || count != values.size()) return count;
    const engine::DenseOperand from = launches.read(values);
    engine::write_dense(engine, *device, destination, [&](char* to) {
      selection.compress(engine::Words(destination.dtype()), true, from.data(), to);
    });
    return count;
  });
}

}  // namespace tessera
