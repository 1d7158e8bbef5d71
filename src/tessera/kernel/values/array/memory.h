/// Memory: the buffers of the kernel that hold what is no argument, and where arrays lie in them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/typed/findings.h"
#include "tessera/kernel/types/type.h"
#include "tessera/kernel/values/array/array_view.h"
#include "tessera/layout/dtype.h"

namespace tessera::kernel {

class Lowering;

/// Buffers behind the arguments': of arrays that the function makes, of constants, of results.
class Memory {
 public:
  explicit Memory(Lowering& l);

  /// Whether the kernel has one more scalar, the last: the bytes of the launch's dynamic shared memory.
  bool reads_shared_bytes() const { return shared_bytes_ != ir::no_value; }
  /// Those that are known from the begin on.
  void add_buffers();
  /// Where the result's words are stored.
  uint32_t results() const { return results_; }
  /// The heaps of arguments: the heap's buffer and the argument's.
  std::vector<std::pair<uint32_t, uint32_t>> aliases() const;
  /// The number of elements of the block's dynamic shared memory.
  Item dynamic_size(DType element);
  /// An array whose memory is kept beyond its name: what is in the function's own memory may be its elements.
  void note_kept(const Type& array);
  /// The array of constants as a buffer of the kernel.
  Item constant_array(const std::shared_ptr<const ConstantArray>& array);
  /// The argument's buffer in whose memory the array lies; -1 for others.
  int argument_of(const Type& array) const;
  /// The kernel's buffer or array that the array's type numbers. Types number those that are no arguments by what they
  /// are, so that they stay what they are when inference finds more of them.
  uint32_t number_of(const Type& array) const;
  /// The id, in types, of a shared or local array that this call makes.
  uint32_t add_array(const Node& node, const ir::ArrayDecl& array);
  /// How many places that make arrays were looked at so far.
  size_t allocations() const { return allocations_; }
  void note_allocation() { ++allocations_; }
  /// The heap's id in types.
  uint32_t heap_id(const typed::Heap& heap);
  /// The buffer of the heap, which is added where it is new.
  uint32_t heap_of(DType dtype);
  uint32_t heap_of(const typed::Heap& heap);
  /// The element of a constant array at a constant index.
  std::optional<Scalar> known_element(const ArrayView& element) const;
  /// The element of a constant array in a body of an op, at any index.
  ir::Value chosen_element(const ArrayView::Base& base) const;

 private:
  static constexpr uint32_t first_heap = 1U << 20, first_constant = 1U << 21;  // ids in types
  size_t find_heap(const typed::Heap& heap);
  uint32_t add_heap(DType dtype);
  uint32_t add_constant(const ConstantArray& array);

  Lowering& l_;
  ir::Builder& b;
  uint32_t results_ = 0;
  size_t allocations_ = 0;
  std::vector<uint32_t> heaps_, constants_;          // buffers of what is known of them
  std::map<uint32_t, uint32_t> arrays_;              // shared and local ones, by their ids in types
  std::vector<std::pair<uint32_t, uint32_t>> kept_;  // heaps, arguments of which elements may lie in them
  uint32_t shared_bytes_ = ir::no_value;             // a scalar, declared when it is first needed
};

/// The array's elements in C order along one axis: a view where they lie so in memory, with `keeps_step` also where
/// they are all as far apart, else a copy.
Item flattened(Lowering& l, const Node& node, const Item& array, bool keeps_step);
/// The same of a view of one array that is no constant.
ir::Value address_in_bytes(Lowering& l, const ArrayView& view);
/// The address in bytes of its first element, of a function that the host calls.
ir::Value first_address(Lowering& l, const Node& node, const Item& array);
/// The real or imaginary parts of complex elements that are in memory, as a view.
Item parts_in_memory(Lowering& l, const Node& node, const Item& parts);
/// How far apart the array's elements are in memory along each axis, in bytes.
std::vector<ir::Value> strides_of(Lowering& l, const ArrayView& view);

}  // namespace tessera::kernel
