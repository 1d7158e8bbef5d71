// Loops in which divisors are tested and that nobody sees at work: they go on after a division by zero and tell the
// first one when they end, so that no iteration waits for the test of the one before.
#include "tessera/kernel/lower/failures.h"

#include <algorithm>

#include "tessera/ir/builder_expand.h"
#include "tessera/ir/new_memory.h"
#include "tessera/ir/opcode.h"
#include "tessera/ir/source_lines.h"
#include "tessera/kernel/lower/loops/loop.h"
#include "tessera/kernel/lower/lowering.h"

namespace tessera::kernel {

using ir::Opcode;

namespace {

bool has_loop(const Node& node) {
  return node.kind == NodeKind::for_ || node.kind == NodeKind::while_ || std::ranges::any_of(node.operands, has_loop) ||
         std::ranges::any_of(node.body, has_loop) || std::ranges::any_of(node.other, has_loop);
}

/// Of a sum.
bool has_new_memory(const ir::Kernel& kernel, ir::Value index) {
  const ir::Instruction& i = kernel.instructions[index];
  return ir::is_new_memory(i) || (i.op == Opcode::add && std::ranges::any_of(kernel.operands(index), [&](ir::Value v) {
                                    return has_new_memory(kernel, v);
                                  }));
}

/// Whether an index is the loop's counter and what does not change in the loop, added up. In memory of the function's
/// own one term is where it begins.
bool is_near(const Lowering& l, ir::Value index, size_t first, ir::Value counter) {
  ir::Builder& b = l.b;
  const ir::Instruction& i = b.kernel().instructions[index];
  if (index == counter || index < first || i.op == Opcode::constant || i.op == Opcode::dimension) return true;
  const std::span<const ir::Value> operands = b.kernel().operands(index);
  const bool is_sum = i.op == Opcode::add || (i.op == Opcode::sub && operands[1] != counter);
  return is_sum && std::ranges::all_of(operands, [&](ir::Value v) { return is_near(l, v, first, counter); });
}

}  // namespace

/// As far as the text tells; what the loop does is looked at when it is lowered.
bool Failures::can_defer(const Node& loop, const Sequence& sequence) const {
  if (deferral_ || !l_.options.is_function || l_.options.is_device || l_.options.checks_bounds ||
      l_.options.checks_races)
    return false;
  if (l_.known->failures.in_order.contains(&loop) || l_.known->lists.has_any || l_.parallel.depth() > 0 ||
      sequence.is_parallel || sequence.tuple || sequence.upper || sequence.advance || !loop.other.empty())
    return false;
  for (const Frame* frame = l_.frame; frame; frame = frame->caller)
    if (frame->tries > 0) return false;
  Jumps all;
  for (const Node& statement : loop.body) all.add(jumps(statement, {}));
  const Scalar* step = ir::constant_of(b.kernel(), sequence.range.step);
  return !all.breaks && !all.returns && step && step->as_int() > 0 && std::ranges::none_of(loop.body, has_loop);
}

void Failures::lower_deferring(const Node& loop, const Sequence& sequence) {
  const size_t first = b.kernel().instructions.size();
  deferral_.emplace();
  lower_for_over(l_, loop, sequence);
  const Deferral made = std::move(*deferral_);
  deferral_.reset();
  if (!made.is_sound || !may_go_on(first, made.counter)) {
    l_.known.change().failures.in_order.insert(&loop);
    return;
  }
  if (l_.known.is_changed()) return;
  const ir::Value zero = b.constant(DType::int64, 0), never = b.constant(Scalar::of_int(DType::int64, INT64_MAX));
  std::vector<ir::Value> found;
  ir::Value least = never;
  for (const auto& [site, array] : made.sites) {
    found.push_back(b.load_array(array, zero));
    least = b.min(least, found.back());
  }
  const auto tell = [&](auto) {
    for (size_t k = 0; k < found.size(); ++k) {
      const auto report_it = [&](auto) { return report(made.sites[k].first, {}), std::vector<ir::Value>{}; };
      b.if_(b.eq(found[k], least), report_it, {});
    }
    set_failed();
    return std::vector<ir::Value>{};
  };
  b.if_(b.lt(least, never), tell, {});
  note_failure();
}

void Failures::defer(const ReportSite& site, ir::Value condition) {
  const size_t number = deferred_++;
  l_.known.note_reports();
  if (number >= l_.known->failures.deferred) l_.known.change().failures.deferred = number + 1;
  if (number >= first_failures_.size() || deferral_->counter == ir::no_value) return;
  const uint32_t array = first_failures_[number];
  deferral_->sites.emplace_back(site, array);
  const ir::Value zero = b.constant(DType::int64, 0), never = b.constant(Scalar::of_int(DType::int64, INT64_MAX));
  const ir::Value here = b.select(condition, deferral_->counter, never);
  b.store_array(array, b.min(b.load_array(array, zero), here), zero);
}

/// Whether iterations after a failure do nothing that is seen: they load what lies at fixed steps, and store in new
/// memory, which is lost.
bool Failures::may_go_on(size_t first, ir::Value counter) const {
  const ir::Kernel& kernel = b.kernel();
  int loops = 0;
  for (size_t v = first; v < kernel.instructions.size(); ++v) {
    const ir::Instruction& i = kernel.instructions[v];
    const std::span<const ir::Value> operands = kernel.operands(static_cast<ir::Value>(v));
    switch (i.op) {
      case Opcode::for_: ++loops; break;
      case Opcode::load:
      case Opcode::store: {
        const std::span<const ir::Value> indices = operands.subspan(i.op == Opcode::store ? 1 : 0);
        const auto near = [&](ir::Value index) { return is_near(l_, index, first, counter); };
        if (i.attr || !std::ranges::all_of(indices, near)) return false;
        if (i.op == Opcode::store && (kernel.buffers[i.imm].no_alias || !has_new_memory(kernel, indices[0])))
          return false;
        break;
      }
      case Opcode::load_array:
      case Opcode::store_array:
        if (std::ranges::find(first_failures_, i.imm) == first_failures_.end()) return false;
        break;
      default: {
        const bool is_plain = i.op == Opcode::if_ || i.op == Opcode::yield || i.op == Opcode::result ||
                              i.op == Opcode::region_arg || ir::is_pure(i.op) || ir::is_line_mark(i);
        if (!is_plain) return false;
      }
    }
  }
  return loops == 1;
}

}  // namespace tessera::kernel
