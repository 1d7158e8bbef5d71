// Kernels on the first GPU in several mappings: device_bench [part of a name [assembled]] prints one row per kernel and
// mapping, and one for the pass from IR to IR that the engine would choose; bytes are counted once per run.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "tessera/base/format.h"
#include "tessera/codegen/device_parameters.h"
#include "tessera/codegen/samples/sample_kernels.h"
#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/launch/mapped_launch.h"
#include "tessera/mapping/choose.h"
#include "tessera/mapping/tiles/map_tiles.h"

using namespace tessera;
using codegen::DeviceMapping;
using mapping::Tiling;

namespace {

struct Operand {
  std::vector<int64_t> strides;
  int64_t offset = 0;  // bytes into the arena
};

struct Case {
  std::string name;
  ir::Kernel kernel;
  Dims extents;
  Dims lengths;  // of the axes that operands have and the parallel space lacks
  std::vector<Operand> operands;
  std::vector<double> scalars;
  double bytes;
  std::vector<DeviceMapping> forms{};
  std::vector<Tiling> tilings{};
};

constexpr int64_t arena = int64_t{10} << 30;

/// Milliseconds, the median of several runs, measured with device events.
double milliseconds(runtime::Stream& stream, const runtime::Program& program, const runtime::Grid& grid,
                    std::span<const char> block) {
  std::vector<double> times;
  for (int k = 0; k < 12; ++k) {
    const auto start = stream.record_timed();
    stream.launch(program, grid, block);
    const auto end = stream.record_timed();
    end->wait();
    if (k > 1) times.push_back(end->since(*start));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

std::vector<char> make_block(const Case& c, const char* data, const char* flags) {
  const codegen::DeviceParameters at(c.kernel);
  std::vector<char> block(static_cast<size_t>(at.size));
  const auto put = [&](int64_t offset, const void* from, size_t bytes) {
    std::memcpy(block.data() + offset, from, bytes);
  };
  put(at.flags, &flags, 8);
  put(at.end, c.extents.data(), 8 * c.extents.size());
  put(at.extents, c.extents.data(), 8 * c.extents.size());
  int64_t axis = 0;
  for (size_t k = 0; k < c.operands.size(); ++k) {
    const char* address = data + c.operands[k].offset;
    put(at.buffers + 8 * static_cast<int64_t>(k), &address, 8);
    put(at.strides + 8 * axis, c.operands[k].strides.data(), 8 * c.operands[k].strides.size());
    if (k == 0 && !c.lengths.empty()) put(at.dimensions, c.lengths.data(), 8 * c.lengths.size());
    axis += static_cast<int64_t>(c.operands[k].strides.size());
  }
  for (size_t k = 0; k < c.scalars.size(); ++k) {
    const DType dtype = c.kernel.scalars[k];
    const Scalar scalar = Scalar::of_float(dtype, c.scalars[k]);
    put(at.scalars + 16 * static_cast<int64_t>(k), scalar.bytes, 8);
  }
  return block;
}

std::vector<Case> cases() {
  std::vector<Tiling> rows{{.threads = 32, .rows = 8}}, row{{.threads = 256}};
  for (const int count : {2, 4, 8}) {
    rows.push_back({.unroll = count, .threads = 32, .rows = 8});
    rows.push_back({.unroll = count, .threads = 64, .rows = 4});
    row.push_back({.unroll = count, .threads = 256});
  }
  std::vector<Case> list;
  const int64_t n = 16386, m = n - 2, pitch = n * 8, half = arena / 2;
  for (bool checked : {false, true}) {
    Case stencil{.name = checked ? "stencil f64 checked" : "stencil f64",
                 .kernel = codegen::stencil_kernel(DType::float64, false, checked),
                 .extents = {m, m},
                 .scalars = {0.2},
                 .bytes = 16.0 * m * m,
                 .tilings = rows};
    for (ir::BufferParam& buffer : stencil.kernel.buffers)
      buffer.strides_like = &buffer == &stencil.kernel.buffers[0] ? -1 : 0;
    for (int64_t offset : {pitch + 8, int64_t{8}, 2 * pitch + 8, pitch, pitch + 16})
      stencil.operands.push_back({{pitch, 8}, offset});
    stencil.operands.push_back({{pitch, 8}, half + pitch + 8});
    list.push_back(stencil);
  }
  for (const auto& [rows, lanes] : {std::pair<int64_t, int64_t>{8192, 8192}, {4'000'000, 10}, {10, 4'000'000}})
    list.push_back({.name = format("transposed sum {}x{} f64", rows, lanes),
                    .kernel = ir::parse("kernel sum 2 flags 1 {\n  buffer float64 2 read strided no_alias\n"
                                        "  buffer float64 2 read contiguous no_alias\n"
                                        "  buffer float64 2 write contiguous no_alias\n  %0 = index.int64 @0\n"
                                        "  %1 = index.int64 @1\n  %2 = load.float64 @0 %0 %1\n"
                                        "  %3 = load.float64 @1 %0 %1\n  %4 = add.float64 %2 %3\n"
                                        "  check.float64 @0 arithmetic %4 %2 %3\n  store.float64 @2 %4 %0 %1\n}\n"),
                    .extents = {rows, lanes},
                    .operands = {{{8, 8 * rows}, 0}, {{8 * lanes, 8}, half / 2}, {{8 * lanes, 8}, half}},
                    .bytes = 24.0 * static_cast<double>(rows * lanes)});
  const int64_t length = int64_t{1} << 28;
  Case chain{.name = "chain f64",
             .kernel = codegen::chain_kernel(DType::float64, false),
             .extents = {length},
             .operands = {{{8}, 0}, {{8}, length * 8}, {{8}, 2 * length * 8}},
             .bytes = 24.0 * length,
             .tilings = row};
  for (const int count : {2, 4, 8}) chain.tilings.push_back({.width = 2, .unroll = count, .threads = 256});
  list.push_back(chain);
  Case single{.name = "chain f32",
              .kernel = codegen::chain_kernel(DType::float32, false),
              .extents = {2 * length},
              .operands = {{{4}, 0}, {{4}, length * 8}, {{4}, 2 * length * 8}},
              .bytes = 24.0 * length,
              .tilings = row};
  for (const int count : {4, 8}) single.tilings.push_back({.width = 4, .unroll = count, .threads = 256});
  list.push_back(single);
  const int64_t options = int64_t{1} << 26;
  Case prices{
      .name = "black_scholes f64",
      .kernel = codegen::black_scholes_kernel(DType::float64, false),
      .extents = {options},
      .scalars = {0.02, 0.3},
      .bytes = 40.0 * options,
      .tilings = {
          {.threads = 256, .tiles = 16}, {.unroll = 2, .threads = 256, .tiles = 8}, {.unroll = 4, .threads = 256}}};
  for (int64_t k = 0; k < 5; ++k) prices.operands.push_back({{8}, k * options * 8});
  list.push_back(prices);
  std::ifstream text("bench/cpp/black_scholes.ir");
  const std::string checked((std::istreambuf_iterator<char>(text)), {});
  if (!checked.empty()) {
    prices.name = "black_scholes f64 checked";
    prices.kernel = ir::parse(checked);
    prices.scalars = {0.3, 0.065, -0.02, 1.4142135623730951, 0.5, 0.5, 1.4142135623730951, 0.5, 0.5, 1.0, 1.0};
    list.push_back(prices);
  }
  const int64_t side = 10000, inner = side - 2;
  Case smooth{.name = "smooth int8",
              .kernel = codegen::smooth_kernel(),
              .extents = {inner, inner},
              .scalars = {9},
              .bytes = 2.0 * side * side};
  for (int64_t k = 0; k < 9; ++k) smooth.operands.push_back({{side, 1}, k / 3 * side + k % 3});
  smooth.operands.push_back({{inner, 1}, half});
  for (const auto& [copies_a_thread, threads] : {std::pair{8, 32}, {16, 32}, {32, 32}, {64, 32}})
    smooth.forms.push_back(
        {.capability = 90, .threads = threads, .disjoint = true, .narrow = 1, .unroll = copies_a_thread});
  list.push_back(smooth);
  for (int64_t width : {100, 1000, 8192, 20000, 32768}) {
    const int64_t rows = (int64_t{3} << 30) / 8 / width;
    list.push_back({.name = "sum of rows of " + std::to_string(width) + " f64",
                    .kernel = codegen::row_sum_kernel(DType::float64, ir::ReduceOrder::pairwise, false),
                    .extents = {rows},
                    .lengths = {rows, width},
                    .operands = {{{width * 8, 8}, 0}, {{8}, half}},
                    .bytes = 8.0 * rows * width,
                    .forms = {{.capability = 90},
                              {.capability = 90, .team = 32},
                              {.capability = 90, .team = 64},
                              {.capability = 90, .team = 128},
                              {.capability = 90, .team = 256},
                              {.capability = 90, .team = 512}}});
  }
  // The number of chunks that a full reduction of 10^7 elements has.
  for (DType dtype : {DType::float64, DType::float32}) {
    const int64_t rows = 1221, width = 8192, item = itemsize(dtype);
    list.push_back({.name = "sum of few rows " + std::string(name(dtype)),
                    .kernel = codegen::row_sum_kernel(dtype, ir::ReduceOrder::pairwise, false),
                    .extents = {rows},
                    .lengths = {rows, width},
                    .operands = {{{width * item, item}, 0}, {{item}, half}},
                    .bytes = 1.0 * static_cast<double>(item * rows * width),
                    .forms = {{.capability = 90, .team = 64},
                              {.capability = 90, .team = 128},
                              {.capability = 90, .team = 256},
                              {.capability = 90, .team = 512}}});
  }
  list.push_back({.name = "sum of 20000 columns f64",
                  .kernel = codegen::column_sum_kernel(DType::float64),
                  .extents = {20000},
                  .lengths = {20000, 20000},
                  .operands = {{{160000, 8}, 0}, {{8}, half}},
                  .bytes = 8.0 * 20000 * 20000,
                  .forms = {{.capability = 90}}});
  return list;
}

/// Results lie in memory of their own.
mapping::Operands operands_of(const Case& c) {
  mapping::Operands operands{.extents = c.extents};
  for (size_t k = 0; k < c.operands.size(); ++k) {
    Dims& strides = operands.strides.emplace_back();
    for (const int64_t stride : c.operands[k].strides) strides.push_back(stride);
    operands.memory.push_back(c.kernel.buffers[k].writable ? 1 + static_cast<int>(k) : 0);
    operands.offsets.push_back(c.operands[k].offset);
  }
  return operands;
}

}  // namespace

int main(int argc, char** argv) {
  if (runtime::device_count() == 0) {
    std::puts(runtime::device_problem().c_str());
    return 0;
  }
  runtime::Device& device = runtime::device(0);
  const std::unique_ptr<codegen::Compiler> compiler = codegen::open_compiler();
  const Ref<runtime::Buffer> data = device.allocate(arena), flags = device.allocate(1024);
  std::vector<double> pattern(1 << 20);
  for (size_t k = 0; k < pattern.size(); ++k) pattern[k] = 1.0 + static_cast<double>(k * 2654435761u % 1000003) / 1e6;
  std::vector<char> bytes(pattern.size() * 8);
  std::memcpy(bytes.data(), pattern.data(), bytes.size());
  device.stream().copy_in(data->data(), bytes.data(), bytes.size());
  for (int64_t done = static_cast<int64_t>(bytes.size()); done < arena; done *= 2)
    device.stream().copy(data->data() + done, data->data(), static_cast<size_t>(std::min(done, arena - done)));
  device.stream().fill_zero(flags->data(), 1024);
  for (const Case& c : cases()) {
    if (argc > 1 && c.name.find(argv[1]) == std::string::npos) continue;
    for (DeviceMapping mapping : c.forms) {
      mapping.capability = device.facts().capability;
      const std::string ptx = compiler->compile_ptx(c.kernel, mapping);
      const auto program = device.load(argc > 2 ? device.assemble(ptx, false) : ptx, "tessera_kernel");
      const runtime::Grid grid = engine::choose_grid(mapping, c.extents, device.facts().multiprocessors);
      const double time = milliseconds(device.stream(), *program, grid, make_block(c, data->data(), flags->data()));
      std::printf("%-28s unroll %2d team %3d threads %3d %10s %3d registers %4d local  %8.3f ms %7.0f GB/s\n",
                  c.name.c_str(), mapping.unroll, mapping.team, mapping.threads, "", program->registers(),
                  program->local_bytes(), time, c.bytes / time / 1e6);
    }
    const auto run = [&](const mapping::Mapped& mapped, const std::string& name) {
      const DeviceMapping mapping = engine::mapping_of(mapped, device.facts().capability);
      const std::string ptx = compiler->compile_ptx(mapped.kernel, mapping);
      const auto program = device.load(argc > 2 ? device.assemble(ptx, false) : ptx, "tessera_kernel");
      const std::vector<char> block = make_block(c, data->data(), flags->data());
      const double time = milliseconds(device.stream(), *program, engine::grid_of(mapped.shape),
                                       engine::mapped_block(mapped, mapped.shape, c.kernel, block));
      std::printf("%-28s %-43s %3d registers %4d local  %8.3f ms %7.0f GB/s\n", c.name.c_str(), name.c_str(),
                  program->registers(), program->local_bytes(), time, c.bytes / time / 1e6);
    };
    const mapping::Operands operands = operands_of(c);
    for (const Tiling& tiling : c.tilings)
      run(mapping::write_tiles(c.kernel, operands, {}, tiling),
          format("tiles width {} unroll {} threads {}", tiling.width, tiling.unroll, tiling.threads));
    if (const auto mapped = mapping::choose_mapping(c.kernel, operands, {})) run(*mapped, mapped->kernel.name);
  }
  return 0;
}
