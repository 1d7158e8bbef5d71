// Kernels on a GPU compared with the interpreter, with every mapping they support.
#include "tessera/codegen/device_test.h"

#include <cstdlib>

#include "tessera/codegen/samples/random_kernel.h"
#include "tessera/engine/device/launch/device_mapping.h"
#include "tessera/engine/device/launch/mapped_launch.h"
#include "tessera/ir/interpreter.h"
#include "tessera/mapping/tests/mapped_kernels.h"

namespace tessera::codegen {
namespace {

struct Variant {
  DeviceMapping mapping;
  runtime::Grid grid;
  std::optional<mapping::Mapped> mapped{};
  std::string name{};
};

/// The mappings that are passes from IR to IR.
void add_mapped(const RandomKernel& random, int capability, std::vector<Variant>& list) {
  for (const bool in_parts : {false, true})
    for (mapping::NamedMapping& of :
         mapping::all_mappings(random.kernel(), random.extents(), random.is_disjoint(), in_parts))
      list.push_back({engine::mapping_of(of.mapped, capability), engine::grid_of(of.mapped.shape), of.mapped, of.name});
}

/// All mappings of a kernel, with grids smaller than most boxes, so that loops with the grid as stride iterate.
std::vector<Variant> variants(const RandomKernel& random, int capability) {
  const ir::Kernel& kernel = random.kernel();
  const uint32_t rows = kernel.ndim > 1 ? 3 : 1;
  DeviceMapping mapping{.capability = capability};
  std::vector<Variant> list{{mapping, {{2, rows, 1}, {16, 1, 1}}}};
  const bool has_arrays = !kernel.arrays.empty();
  if (rows > 1 && !has_arrays) list.push_back({mapping, {{2, rows, 1}, {8, 4, 1}}});
  if (engine::can_compile_fast(kernel))
    list.push_back({{.capability = capability, .fast_compile = true}, {{2, rows, 1}, {16, 1, 1}}});
  mapping = {.capability = capability};
  const Dims few{100};
  if (engine::choose_mapping(kernel, few, 1 << 24, capability).team > 1) {
    for (int team : {32, 128, 512}) {
      mapping.team = team;
      list.push_back({mapping, {{2, rows, 1}, {static_cast<uint32_t>(team), team == 32 ? 3u : 1u, 1}}});
    }
    mapping = {.capability = capability, .threads = 32, .slices = 4};
    list.push_back({mapping, {{2, rows, 1}, {32, 4, 1}}});
  }
  add_mapped(random, capability, list);
  return list;
}

TEST_F(DeviceTest, gives_the_interpreters_bits) {
  const char* text = std::getenv("TESSERA_KERNELS");
  const uint64_t count = text ? static_cast<uint64_t>(std::atoll(text)) : 100;
  const char* first = std::getenv("TESSERA_SEED");
  const uint64_t start = first ? static_cast<uint64_t>(std::atoll(first)) : 0;
  int wrong = 0, runs = 0;
  for (uint64_t seed = start; seed < start + count; ++seed) {
    const RandomKernel random(seed);
    const ir::Kernel& kernel = random.kernel();
    const ir::Program interpreter(kernel);
    const Outcome expected = random.run(
        [&](auto& arguments, auto* begin, auto* end, auto) { interpreter.run(arguments, begin, end); }, false);
    for (const Variant& variant : variants(random, device->facts().capability)) {
      ++runs;
      const ir::Kernel& compiled = variant.mapped ? variant.mapped->kernel : kernel;
      const auto program = device->load(compiler->compile_ptx(compiled, variant.mapping), "tessera_kernel");
      const auto execute = [&](auto& arguments, auto* begin, auto* end, std::span<std::vector<char>> memory) {
        std::vector<Ref<Buffer>> allocations;
        std::vector<const char*> buffers;
        for (const std::vector<char>& bytes : memory) allocations.push_back(copy_in(bytes.data(), bytes.size()));
        for (size_t k = 0; k < memory.size(); ++k) {
          // A result may share an operand's memory.
          size_t home = 0;
          while (arguments.buffers[k] < memory[home].data() ||
                 arguments.buffers[k] >= memory[home].data() + memory[home].size())
            ++home;
          buffers.push_back(allocations[home]->data() + (arguments.buffers[k] - memory[home].data()));
        }
        const size_t flag_bytes = 4 * kernel.flag_slots;
        const Ref<Buffer> flags = copy_in(arguments.flags, flag_bytes);
        std::vector<char> block = pack(kernel, arguments, begin, end, buffers, flags->data());
        if (variant.mapped) block = engine::mapped_block(*variant.mapped, variant.mapped->shape, kernel, block);
        launch(*program, variant.grid, block, DeviceParameters(compiled).by_value());
        for (size_t k = 0; k < memory.size(); ++k) copy_out(memory[k].data(), allocations[k], memory[k].size());
        copy_out(arguments.flags, flags, flag_bytes);
      };
      const std::string difference = random.difference(random.run(execute, seed % 2 && !variant.mapped), expected);
      const DeviceMapping& mapping = variant.mapping;
      EXPECT_EQ(difference, "") << "seed " << seed << " team " << mapping.team << " " << variant.name << "\n"
                                << (wrong < 2 ? ir::print(kernel) : "");
      if (!difference.empty() && ++wrong == 12) return;
    }
  }
  std::printf("%d runs of %d kernels\n", runs, static_cast<int>(count));
}

}  // namespace
}  // namespace tessera::codegen
