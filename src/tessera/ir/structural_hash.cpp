// Equality and hash of kernels by structure: numbering and names do not count.
#include <cstring>

#include "tessera/base/hash.h"
#include "tessera/ir/kernel.h"
#include "tessera/ir/opcode.h"

namespace tessera::ir {

namespace {

/// Serialises a kernel to words that do not depend on the numbering of its instructions, arguments and regions.
class Canonical {
 public:
  explicit Canonical(const Kernel& kernel) : kernel_(kernel), number_(kernel.instructions.size(), no_value) {
    add(kernel.ndim | uint64_t{kernel.block_axes} << 8 | uint64_t{kernel.fast_math} << 16);
    for (int16_t extent : kernel.known_extents) add(static_cast<uint64_t>(extent));
    const DeviceOptions& device = kernel.device;
    for (int option : {int{device.max_registers}, int{device.max_threads}, int{device.min_blocks},
                       int{device.max_cluster}, int{device.carveout}, int{device.optimization}})
      add(static_cast<uint64_t>(option));
    add(kernel.flag_slots);
    add(kernel.buffers.size());
    for (const BufferParam& b : kernel.buffers) {
      add(static_cast<uint64_t>(b.dtype) | uint64_t{b.ndim} << 8 | uint64_t{b.readable} << 16 |
          uint64_t{b.writable} << 17 | uint64_t{b.streaming} << 18 | uint64_t{b.no_alias} << 19 |
          static_cast<uint64_t>(b.inner) << 20 | uint64_t{b.aligned} << 24 |
          uint64_t{static_cast<uint16_t>(b.strides_like)} << 32);
    }
    add(kernel.scalars.size());
    for (DType t : kernel.scalars) add(static_cast<uint64_t>(t));
    add(kernel.arrays.size());
    for (const ArrayDecl& a : kernel.arrays) {
      add(static_cast<uint64_t>(a.dtype) | uint64_t{a.shared} << 8);
      add(static_cast<uint64_t>(a.size));
    }
    add(kernel.foreign.size());
    for (const ForeignFunction& f : kernel.foreign) add_foreign(f);
    add(kernel.linked);
    add(kernel.functions.size());
    for (const FunctionDecl& f : kernel.functions) add_function(f);
    for (size_t k = 0; k < kernel.bodies.size(); ++k) {
      const Kernel function = function_kernel(kernel, k);
      const Canonical body(function);
      words_.insert(words_.end(), body.words().begin(), body.words().end());
    }
    add_region(0);
  }
  const std::vector<uint64_t>& words() const { return words_; }

 private:
  void add(uint64_t word) { words_.push_back(word); }

  void add_foreign(const ForeignFunction& f) {
    add(f.name.size());
    for (char letter : f.name) add(static_cast<unsigned char>(letter));
    add(uint64_t{f.is_numbas} | uint64_t{f.meets_in_grid} << 1 | uint64_t{f.result.has_value()} << 2 |
        static_cast<uint64_t>(f.result.value_or(DType::boolean)) << 8);
    add(f.parameters.size());
    for (DType t : f.parameters) add(static_cast<uint64_t>(t));
  }

  void add_function(const FunctionDecl& f) {
    for (const std::vector<DType>& types : {f.parameters, f.results}) {
      add(types.size());
      for (DType t : types) add(static_cast<uint64_t>(t));
    }
  }

  void add_region(RegionId id) {
    const Region& region = kernel_.regions[id];
    add(region.arg_types.size());
    for (DType t : region.arg_types) add(static_cast<uint64_t>(t));
    for (Value v : region.arg_values) number_[v] = next_++;
    add(region.body.size());
    for (Value v : region.body) add_instruction(v);
  }

  void add_instruction(Value v) {
    const Instruction& i = kernel_.instructions[v];
    add(static_cast<uint64_t>(i.op) | static_cast<uint64_t>(i.type) << 8 | uint64_t{i.attr} << 16 |
        uint64_t{i.arg_count} << 24 | uint64_t{i.region_count} << 40 | uint64_t{i.alignment} << 56);
    if (i.op == Opcode::constant) {
      const Scalar& s = kernel_.constants[i.imm];
      uint64_t bits[2];
      std::memcpy(bits, s.bytes, sizeof bits);
      add(bits[0]);
      add(bits[1]);
    } else {
      add(has_immediate(i.op) ? i.imm : 0);
    }
    for (Value operand : kernel_.operands(v)) add(number_[operand]);
    for (int k = 0; k < i.region_count; ++k) add_region(i.first_region + k);
    number_[v] = next_++;
  }

  const Kernel& kernel_;
  std::vector<uint32_t> number_;
  std::vector<uint64_t> words_;
  uint32_t next_ = 0;
};

}  // namespace

bool operator==(const Kernel& a, const Kernel& b) { return Canonical(a).words() == Canonical(b).words(); }

uint64_t structural_hash(const Kernel& kernel) {
  const Canonical canonical(kernel);
  Hash hash;
  for (uint64_t word : canonical.words()) hash.add(word);
  return hash.value();
}

}  // namespace tessera::ir
