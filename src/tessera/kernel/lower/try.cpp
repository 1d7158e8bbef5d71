// try: what raises inside has returned, as far as flow is concerned, and has set the word of those that failed. Behind
// the body both are taken back, and a handler runs or the exception goes on.
#include "tessera/kernel/lower/failures.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "tessera/kernel/lower/calls/host.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/region.h"
#include "tessera/kernel/lower/statement.h"
#include "tessera/kernel/lower/variable.h"

namespace tessera::kernel {

namespace {

const Node* find_part(const Node& statement, std::string_view name) {
  const auto found = std::ranges::find(statement.body, name, &Node::name);
  return found == statement.body.end() ? nullptr : &*found;
}

/// Whether `raise` stands in the block alone, or with the name of what was caught.
bool raises_again(std::span<const Node> block, const std::string& name) {
  return std::ranges::any_of(block, [&](const Node& statement) {
    if (statement.kind == NodeKind::function) return false;
    if (statement.kind == NodeKind::raise_ && statement.name != "assert" &&
        (statement.operands.empty() || (!name.empty() && statement.operands[0].name == name)))
      return true;
    return raises_again(statement.body, name) || raises_again(statement.other, name);
  });
}

}  // namespace

std::vector<size_t> Sites::since(const SitesBegin& begin, size_t calls) const {
  const bool is_any = raised_again > begin.raised_again;
  std::vector<size_t> found;
  if (!is_any && calls > begin.calls)
    std::ranges::copy_if(called, std::back_inserter(found), [&](size_t k) { return k < begin.sites; });
  for (size_t k = is_any ? 0 : begin.sites; k < all.size(); ++k) found.push_back(k);
  return found;
}

SitesBegin Failures::begin() const { return {sites_.all.size(), l_.called.calls(), sites_.raised_again}; }

/// Whether what was raised since then is of one of the handler's classes.
ir::Value Failures::is_caught(const Node& handler, const SitesBegin& begin) {
  if (handler.operands.empty()) return b.constant(Scalar::of_bool(true));
  const Node& classes = handler.operands[0];
  const bool are_many = classes.kind == NodeKind::tuple;
  std::vector<int64_t> caught;
  for (const Node& one : are_many ? std::span<const Node>(classes.operands) : std::span(&classes, 1)) {
    const std::optional<Entity> entity = entity_of(l_, one);
    if (!entity || entity->kind != EntityKind::exception) l_.fail(one, "what is caught is no class of exceptions");
    if (entity->name == "Exception" || entity->name == "BaseException") return b.constant(Scalar::of_bool(true));
    caught.push_back(entity->value.as_int());
  }
  ir::Value found = b.constant(Scalar::of_bool(false));
  if (l_.called.is_inside())
    l_.refuse(handler, "except with classes in a function that calls itself", "except Exception");
  const std::vector<size_t> sites = sites_.since(begin, l_.called.calls());
  if (sites.empty()) return found;
  const ir::Value raised = b.load(report_, std::vector{l_.number(ReportLayout::site)});
  for (size_t k : sites) {
    const ir::Value is_this = b.eq(raised, l_.number(static_cast<int64_t>(k + 1)));
    if (sites_.all[k].exception == static_cast<int64_t>(ExceptionNumber::host)) {
      for (int64_t of : caught) {
        const ir::Value is_of = call_host(l_, HostFunction::is_caught, {l_.number(of)});
        found = b.bit_or(found, b.bit_and(is_this, b.ne(is_of, l_.number(0))));
      }
      continue;
    }
    const auto is_one = [&](int64_t of) { return l_.environment.is_subclass(sites_.all[k].exception, of); };
    if (!sites_.all[k].is_line && std::ranges::any_of(caught, is_one)) found = b.bit_or(found, is_this);
  }
  return found;
}

/// Nothing has been raised.
void Failures::clear_failure() {
  b.store_array(failed_, b.constant(DType::int32, 0), b.constant(DType::int64, 0));
  b.store(report_, l_.number(0), std::vector{l_.number(ReportLayout::site)});
}

/// What was raised since then, with its numbers where they are needed.
Caught Failures::raised_since(const SitesBegin& begin, bool with_words) {
  Caught raised{.site = b.load(report_, std::vector{l_.number(ReportLayout::site)})};
  size_t words = 0;
  for (size_t k : with_words ? sites_.since(begin, l_.called.calls()) : std::vector<size_t>{}) {
    size_t count = 0;
    for (const ReportPart& part : sites_.all[k].parts) count += part.words();
    words = std::max(words, count);
  }
  for (size_t k = 0; k < words; ++k)
    raised.words.push_back(b.load(report_, std::vector{l_.number(ReportLayout::values + static_cast<int64_t>(k))}));
  return raised;
}

void Failures::report_again(const Caught& raised) {
  b.store(report_, raised.site, std::vector{l_.number(ReportLayout::site)});
  for (size_t k = 0; k < raised.words.size(); ++k)
    b.store(report_, raised.words[k], std::vector{l_.number(ReportLayout::values + static_cast<int64_t>(k))});
}

void Failures::handle(const Node& statement, std::span<const Node> parts, const SitesBegin& begin) {
  const auto handler = std::ranges::find(parts, "except", &Node::name);
  if (handler == parts.end()) return;
  const auto rest = parts.subspan(static_cast<size_t>(handler - parts.begin()) + 1);
  const auto caught = [&] {
    const bool is_raised_again = raises_again(handler->body, handler->names.empty() ? "" : handler->names[0]);
    Caught what = raised_since(begin, is_raised_again);
    if (!handler->names.empty()) what.name = handler->names[0];
    clear_failure();
    l_.frame->caught.push_back(std::move(what));
    lower_block(l_, handler->body);
    l_.frame->caught.pop_back();
  };
  branch(l_, is_caught(*handler, begin), merged_after(l_, {&statement, 1}), caught,
         [&] { handle(statement, rest, begin); });
}

/// What the handler around has caught is raised once more.
void Failures::raise_again(const Node& statement) {
  if (l_.frame->caught.empty() && l_.options.is_function && !l_.frame->caller) {
    ReportSite site = site_of(statement);
    site.exception = static_cast<int64_t>(ExceptionNumber::active);
    note_raising();
    if (l_.known.is_changed()) return;
    report(site, {});
    if (l_.frame->tries > 0) set_failed();
    return;
  }
  if (l_.frame->caught.empty())
    l_.fail(statement, "raise without an exception stands outside of except", "raise ValueError(\"text\")");
  note_raising();
  if (l_.known.is_changed()) return;
  ++sites_.raised_again;
  report_again(l_.frame->caught.back());
  if (l_.frame->caller || l_.frame->tries > 0) set_failed();
}

/// Its statements run however the others were left, and then control goes on where it went before, unless they leave
/// themselves.
void Failures::lower_finally(const std::function<void()>& part, const SitesBegin& begin) {
  std::vector<int> slots{l_.frame->returned_slot()};
  if (!l_.frame->loops.empty())
    slots.insert(slots.end(), {l_.frame->broken_slot(l_.frame->loops.size() - 1),
                               l_.frame->skipped_slot(l_.frame->loops.size() - 1)});
  std::vector<ir::Value> before;
  for (int slot : slots) {
    before.push_back(flag(l_, slot));
    set_flag(l_, slot, false);
  }
  const ir::Value zero = b.constant(DType::int64, 0), pending = b.load_array(failed_, zero);
  const Caught raised = raised_since(begin, true);
  clear_failure();
  ++l_.frame->tries;  // so that what is raised here is told from a return
  part();
  --l_.frame->tries;
  ir::Value leaves = b.constant(Scalar::of_bool(false));
  for (int slot : slots) leaves = b.bit_or(leaves, flag(l_, slot));
  const ir::Value stays = b.bit_not(leaves);
  for (size_t k = 0; k < slots.size(); ++k)
    l_.frame->values[slots[k]] = l_.scalar(b.bit_or(flag(l_, slots[k]), b.bit_and(stays, before[k])));
  const auto go_on = [&] {
    b.store_array(failed_, pending, zero);
    report_again(raised);
  };
  branch(l_, stays, {}, go_on, {});
}

void Failures::lower_with_end(const Node& statement, const std::function<void()>& body,
                              const std::function<void()>& last) {
  l_.known.note_reports();
  l_.known.note_failing(&statement);
  if (!has_failed_) return;  // the next pass has its word
  const SitesBegin before = begin();
  const auto passes = [&] { return merged_after(l_, {&statement, 1}); };
  ++l_.frame->tries;
  l_.frame->rests += 1;
  guarded(l_, passes, body);
  l_.frame->rests -= 1;
  --l_.frame->tries;
  l_.frame->values[l_.frame->returned_slot()] =
      l_.scalar(b.bit_and(flag(l_, l_.frame->returned_slot()), b.bit_not(failed())));
  lower_finally([&] { guarded(l_, passes, last); }, before);
  note_failure();
}

void Failures::lower_try(const Node& statement) {
  if (!l_.options.is_function) l_.refuse(statement, "try is not part of kernels", "a result that says what happened");
  const bool calls_itself = l_.called.is_inside();
  if (l_.parallel.depth() > (calls_itself ? 1 : 0) || (calls_itself && l_.options.is_parallel))
    l_.refuse(statement, "try in a function that iterations of prange call",
              "a result for each iteration that says what happened");
  l_.known.note_reports();
  l_.known.note_failing(&statement);
  if (!has_failed_) return;  // the next pass has its word
  const Node &body = *find_part(statement, "try"), *const last = find_part(statement, "finally");
  const SitesBegin before = begin();
  ++l_.frame->tries;
  l_.frame->rests += 1;
  lower_block(l_, body.body);
  l_.frame->rests -= 1;
  --l_.frame->tries;
  const ir::Value raised = failed();
  l_.frame->values[l_.frame->returned_slot()] =
      l_.scalar(b.bit_and(flag(l_, l_.frame->returned_slot()), b.bit_not(raised)));
  l_.frame->tries += last != nullptr;  // which finds the variables as they are where the other parts raise
  if (const Node* other = find_part(statement, "else")) {
    const auto passed = merged_after(l_, {&statement, 1});
    branch(l_, b.bit_not(raised), passed, [&] { lower_rest(l_, other->body, jumps_of(l_, body.body)); }, {});
  }
  branch(l_, raised, merged_after(l_, {&statement, 1}), [&] { handle(statement, statement.body, before); }, {});
  l_.frame->tries -= last != nullptr;
  if (last) lower_finally([&] { lower_block(l_, last->body); }, before);
  note_failure();
}

}  // namespace tessera::kernel
