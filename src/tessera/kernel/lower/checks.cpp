// What a checked kernel tells the host: each access, barrier and fence, with the lane and the place in the source.
#include "tessera/kernel/lower/checks.h"

#include <algorithm>

#include "tessera/ir/checks.h"
#include "tessera/kernel/lower/calls/host.h"
#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

using ir::CheckCall;
using ir::Value;

namespace {

constexpr int first_thread_axis = 3, after_thread_axes = 6;

/// The number of this lane's place among those of the axes, in C order.
Value number_along(ir::Builder& b, int first, int end) {
  Value number = b.index(first);
  for (int axis = first + 1; axis < end; ++axis) number = b.add(b.mul(number, b.extent(axis)), b.index(axis));
  return number;
}

Value block_word(ir::Builder& b) {
  const Value shift = b.constant(DType::int64, ir::lane_bits);
  return b.binary(ir::Opcode::shift_left, number_along(b, 0, first_thread_axis), shift);
}

Value lane_word(ir::Builder& b) {
  return b.bit_or(block_word(b), number_along(b, first_thread_axis, after_thread_axes));
}

/// Equal elements have equal bits.
Value bits_of(ir::Builder& b, Value value) {
  const DType t = b.type(value);
  if (is_complex(t)) {
    const Value odd = b.constant(Scalar::of_int(DType::int64, 0x9E3779B97F4A7C15));
    return b.bit_xor(bits_of(b, b.real(value)), b.mul(bits_of(b, b.imag(value)), odd));
  }
  if (!is_floating(t)) return b.cast(value, DType::int64);
  if (itemsize(t) == 8) return b.bitcast(value, DType::int64);
  return b.cast(b.bitcast(b.cast(value, DType::float32), DType::int32), DType::int64);
}

}  // namespace

Checks::Checks(Lowering& l) : l_(l), b(l.b) {}

AtNode::AtNode(Lowering& l, const Node& node) : checks_(l.checks), before_(std::exchange(l.checks.accessed_, &node)) {}

AtNode::~AtNode() { checks_.accessed_ = before_; }

std::string array_name(const Node& node) {
  switch (node.kind) {
    case NodeKind::name: return without_versions(node.name);
    case NodeKind::attribute: return array_name(node.operands[0]) + "." + node.name;
    case NodeKind::subscript: return array_name(node.operands[0]);
    case NodeKind::assign:
    case NodeKind::augmented: return array_name(node.operands[0]);
    case NodeKind::call: return node.operands.size() > 1 ? array_name(node.operands[1]) : "array";
    default: return "array";
  }
}

/// The number of the place where the current expression or statement stands; of a shared or local array with extents.
int64_t Checks::access_site(const Type* array) {
  const Node& node = accessed_ ? *accessed_ : *l_.frame->statement;
  ReportSite site{.function = l_.frame->function.name(), .file = l_.frame->function.file, .line = node.place.line};
  site.parts.push_back({.text = array_name(node)});
  if (array && (*array)->kind == TypeKind::array)
    for (int64_t extent : (*array)->extents) site.parts.push_back({.text = std::to_string(extent)});
  const auto same = [&](const ReportSite& known) {
    return known.line == site.line && known.function == site.function && known.file == site.file &&
           std::ranges::equal(known.parts, site.parts, {}, &ReportPart::text, &ReportPart::text);
  };
  const auto known = std::ranges::find_if(access_sites_, same);
  const auto number = known - access_sites_.begin();
  if (known == access_sites_.end()) access_sites_.push_back(std::move(site));
  return number;
}

void Checks::tell_check(CheckCall call, const Type* array, std::span<const Value> operands) {
  const Value site = b.constant(Scalar::of_int(DType::int64, access_site(array) << ir::site_shift));
  std::vector<Value> words{b.bit_or(lane_word(b), site)};
  words.insert(words.end(), operands.begin(), operands.end());
  b.call_host(ir::check_number(call, array ? l_.memory.number_of(*array) : 0), words);
}

void Checks::check_access(Access access, const ArrayView::Base& element, std::span<const Value> at, Value stored) {
  if (l_.options.checks_races && l_.parallel.in_iterations() && !element.array->is_constant)
    return tell_access(access != Access::read, element, at, stored);
  if (!l_.options.checks_accesses || element.array->is_constant) return;
  const bool is_buffer = element.array->kind == TypeKind::buffer;
  const auto call_of = [&] {
    switch (access) {
      case Access::read:
        if (is_buffer && l_.hint == ir::CacheHint::reread) return CheckCall::reread_buffer;
        return is_buffer ? CheckCall::read_buffer : CheckCall::read_array;
      case Access::write: return is_buffer ? CheckCall::write_buffer : CheckCall::write_array;
      case Access::atomic: return is_buffer ? CheckCall::atomic_buffer : CheckCall::atomic_array;
    }
    std::unreachable();
  };
  std::vector<Value> words;
  if (stored != ir::no_value) words.push_back(bits_of(b, stored));
  words.insert(words.end(), at.begin(), at.end());
  tell_check(call_of(), &element.array, words);
}

void Checks::tell_access(bool writes, const ArrayView::Base& element, std::span<const Value> at, Value stored) {
  std::vector<Value> words{l_.number(access_site(&element.array)), l_.number(l_.memory.number_of(element.array)),
                           l_.number(static_cast<int64_t>(at.size()))};
  words.insert(words.end(), at.begin(), at.end());
  if (writes) words.push_back(bits_of(b, stored));
  call_host(l_, writes ? HostFunction::write_element : HostFunction::read_element, words);
}

/// The iterations, each of which tells the host its number.
Sequence told(Lowering& l, const Sequence& iterations) {
  if (!l.options.checks_races) return iterations;
  Sequence telling = iterations;
  telling.element = [&l, element = iterations.element](Value k) {
    const Item item = element(k);
    const bool is_number = item.type.is_scalar() && is_integer(item.type->dtype);
    call_host(l, HostFunction::begin_iteration, {is_number ? l.cast(item, DType::int64) : k});
    return item;
  };
  return telling;
}

void Checks::check_meeting(const Node& node, CheckCall call) {
  if (!l_.options.checks_accesses) return;
  const AtNode at(l_, node);
  std::vector<Value> operands;
  if (call == CheckCall::barrier)
    operands.push_back(b.bit_or(block_word(b), l_.number(access_site(nullptr) << ir::site_shift)));
  tell_check(call, nullptr, operands);
}

}  // namespace tessera::kernel
