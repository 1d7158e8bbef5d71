// What a thread reports: exceptions, which end it, and printed lines.
#include "tessera/kernel/lower/failures.h"

#include <utility>

#include "tessera/ir/checks.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/lower/region.h"
#include "tessera/kernel/lower/variable.h"
#include "tessera/kernel/values/characters/character_type.h"
#include "tessera/kernel/values/text/text.h"

namespace tessera::kernel {

Failures::Failures(Lowering& l) : l_(l), b(l.b) {}

void Failures::add_buffers() {
  const ir::BufferParam words{.dtype = DType::int64, .ndim = 1, .writable = true};
  if (l_.known->failures.reports) report_ = b.add_buffer(words);
  if (l_.known->failures.prints) lines_ = b.add_buffer(words);
  l_.called.add_word();
  if (l_.known->failures.failing.empty()) return;
  for (size_t k = 0; k < l_.known->failures.deferred; ++k) {
    first_failures_.push_back(b.add_array({.dtype = DType::int64, .size = 1, .shared = false}));
    b.store_array(first_failures_.back(), b.constant(Scalar::of_int(DType::int64, INT64_MAX)),
                  b.constant(DType::int64, 0));
  }
  failed_ = b.add_array({.dtype = DType::int32, .size = 1, .shared = false});
  has_failed_ = true;
  b.store_array(failed_, b.constant(DType::int32, 0), b.constant(DType::int64, 0));
}

ReportSite Failures::site_of(const Node& statement) {
  return {.function = l_.frame->function.name(), .file = l_.frame->function.file, .line = statement.place.line};
}

namespace {

void append_number(Lowering& l, const Item& item, ReportSite& site, std::vector<ir::Value>& words) {
  ir::Builder& b = l.b;
  if (is_complex(item.type->dtype)) {
    site.parts.push_back(
        {.is_word = true, .dtype = DType::complex128, .is_single = item.type->dtype == DType::complex64});
    for (const ir::Value part : {b.real(item.values[0]), b.imag(item.values[0])})
      words.push_back(b.bitcast(b.cast(part, DType::float64), DType::int64));
    return;
  }
  const DType t = item.type->dtype;
  const DType as = is_floating(t)           ? DType::float64
                   : is_boolean(t)          ? DType::boolean
                   : is_unsigned_integer(t) ? DType::uint64
                                            : DType::int64;
  site.parts.push_back({.is_word = true, .dtype = as});
  const ir::Value value = l.cast(item, is_boolean(t) ? DType::int64 : as);
  words.push_back(as == DType::float64 ? b.bitcast(value, DType::int64) : b.cast(value, DType::int64));
}

}  // namespace

void Failures::append_word(const Node& node, const Item& item, ReportSite& site, std::vector<ir::Value>& words,
                           bool is_within) {
  if (item.type.is_entity(EntityKind::text)) {
    site.parts.push_back({.text = is_within && site.is_line ? quoted(item.type->entity.name) : item.type->entity.name});
    return;
  }
  if (item.type->kind == TypeKind::texts) {
    std::vector<std::string> texts = item.type->names;
    if (is_within && site.is_line)
      for (std::string& text : texts) text = quoted(text);
    site.parts.push_back({.is_word = true, .texts = std::move(texts)});
    words.push_back(item.values[0]);
    return;
  }
  if (item.type->kind == TypeKind::string) {
    const bool is_quoted = is_within && site.is_line;
    site.parts.push_back({.is_word = true, .is_string = is_bytes_value(item.type) ? 'b' : is_quoted ? 'r' : 's'});
    words.push_back(item.values[0]);
    return;
  }
  if (item.type->kind == TypeKind::none) {
    site.parts.push_back({.text = "None", .is_none = true});
    return;
  }
  if (item.type->kind == TypeKind::formatted) {
    if (is_within && site.is_line)
      l_.refuse(node, "a text that is made of numbers is printed in a tuple", "the text alone");
    if (!site.is_line) site.parts.push_back({.text = "", .bracket = '{'});
    for (size_t k = 0; k < item.type->elements.size(); ++k) append_word(node, element(item, k), site, words);
    if (!site.is_line) site.parts.push_back({.text = "", .bracket = '}'});
    return;
  }
  if (item.type->kind == TypeKind::tuple) {
    const size_t count = item.type->elements.size();
    const bool is_list = item.type->is_list;
    site.parts.push_back({.text = is_list ? "[" : "(", .bracket = is_list ? '[' : '('});
    for (size_t k = 0; k < count; ++k) {
      if (k > 0 && site.is_line) site.parts.push_back({.text = ", "});
      append_word(node, element(item, k), site, words, true);
    }
    const std::string_view end = is_list ? "]" : count == 1 ? ",)" : ")";
    site.parts.push_back({.text = std::string(end), .bracket = end.back()});
    return;
  }
  if (item.type->kind == TypeKind::optional && l_.options.is_function)
    return append_word(node, l_.present(node, item), site, words, is_within);
  const bool is_whole = item.type.is_array_like() || item.type->kind == TypeKind::list;
  if (is_whole && site.is_line && l_.options.is_function && l_.parallel.depth() == 0) {
    const Item is_listed = l_.scalar(b.constant(Scalar::of_bool(item.type->kind == TypeKind::list)));
    const Item kept = l_.host_calls.call_object(node, l_.environment.host_method("__text__"), "print",
                                                {l_.in_memory(node, item), is_listed}, {});
    site.parts.push_back({.is_word = true, .is_kept = true});
    words.push_back(kept.values[0]);
    return;
  }
  if (!item.type.is_scalar())
    l_.fail(node, format("{} cannot be reported to the host", describe(item.type)), "numbers and constant strings");
  append_number(l_, item, site, words);
}

// The first thread that fails says where it is; it stops, others go on.
void Failures::lower_raise(const Node& statement) {
  const bool asserts = statement.name == "assert";
  const bool is_caught = !asserts && !statement.operands.empty() && !l_.frame->caught.empty() &&
                         statement.operands[0].kind == NodeKind::name && !l_.frame->caught.back().name.empty() &&
                         statement.operands[0].name == l_.frame->caught.back().name;
  if (is_caught || (statement.operands.empty() && !asserts)) return raise_again(statement);
  ReportSite site = site_of(statement);
  std::span<const Node> given = statement.operands;
  if (!asserts) {
    const Node& raised = statement.operands[0];
    const bool is_call = raised.kind == NodeKind::call;
    const std::optional<Entity> exception = entity_of(l_, is_call ? raised.operands[0] : raised);
    if (!exception || exception->kind != EntityKind::exception || !raised.names.empty())
      l_.fail(raised, "what is raised is no class of exceptions", "raise ValueError(\"text\", 1)");
    site.exception = exception->value.as_int();
    given = is_call ? std::span(raised.operands).subspan(1) : std::span<const Node>{};
  }
  std::vector<ir::Value> words;
  for (const Item& item : lower_listed(l_, given)) append_word(statement, item, site, words);
  constexpr size_t most = ReportLayout::size - ReportLayout::values;
  if (words.size() > most) l_.fail(statement, format("an exception with more than {} numbers", most));
  note_raising();
  if (l_.known.is_changed()) return;
  report(site, words);
  if (l_.frame->caller || l_.frame->tries > 0) set_failed();
}

/// The function has returned, and so may its callers.
void Failures::note_raising() {
  if (deferral_) deferral_->is_sound = false;
  l_.known.note_reports();
  set_flag(l_, l_.frame->returned_slot(), true);
  for (const Frame* frame = l_.frame; frame->caller; frame = frame->caller)
    l_.known.note_failing(frame->caller->statement);
}

void Failures::raise_if(const Node& node, ir::Value condition, ExceptionNumber exception, std::string_view text,
                        std::span<const Item> numbers) {
  const Scalar* known = l_.constant_of(l_.scalar(condition));
  if (known && !known->bytes[0]) return;
  ReportSite site = site_of(node);
  site.exception = static_cast<int64_t>(exception);
  site.is_one_text = true;
  std::vector<ir::Value> words;
  for (const Item& number : numbers) {
    const size_t gap = text.find("{}");
    site.parts.push_back({.text = std::string(text.substr(0, gap))});
    text.remove_prefix(gap + 2);
    append_word(node, number, site, words);
  }
  site.parts.push_back({.text = std::string(text)});
  if (deferral_ && exception == ExceptionNumber::zero_division_error && words.empty()) return defer(site, condition);
  if (deferral_) deferral_->is_sound = false;
  l_.known.note_reports();
  const bool ends = ends_launch();
  for (const Frame* frame = ends ? nullptr : l_.frame; frame; frame = frame->caller)
    l_.known.note_failing(frame->statement);
  if (l_.known.is_changed()) return;
  const auto raise = [&](auto) {
    report(site, words);
    if (ends)
      l_.checks.check_meeting(node, ir::CheckCall::failed);
    else
      set_failed();
    return std::vector<ir::Value>{};
  };
  b.unguarded([&] { b.if_(condition, raise, {}); });
  if (!ends) guard(l_, b.bit_not(condition));
}

/// Whether what fails here ends the launch, so that what follows is under no condition.
bool Failures::ends_launch() const {
  if (!l_.options.ends_launch) return false;
  for (const Frame* frame = l_.frame; frame; frame = frame->caller)
    if (frame->tries > 0) return false;
  return true;
}

Failures::Word Failures::exchange_word(Word word) {
  return {std::exchange(has_failed_, word.is_there), std::exchange(failed_, word.array)};
}

void Failures::restore(const Position& position) {
  exchange_word(position.word);
  if (!position.defers) deferral_.reset();
}

Failures::Word Failures::begin_word() {
  const Word before = word();
  if (!has_failed_) return before;
  failed_ = b.add_array({.dtype = DType::int32, .size = 1, .shared = false});
  b.store_array(failed_, b.constant(DType::int32, 0), b.constant(DType::int64, 0));
  return before;
}

void Failures::add_failures_of(uint32_t other) {
  const ir::Value zero = b.constant(DType::int64, 0);
  b.store_array(failed_, b.bit_or(b.load_array(failed_, zero), b.load_array(other, zero)), zero);
}

void Failures::note_counter(ir::Value counter) {
  if (deferral_ && deferral_->counter == ir::no_value) deferral_->counter = counter;
}

void Failures::set_failed() { b.store_array(failed_, b.constant(DType::int32, 1), b.constant(DType::int64, 0)); }

/// The first failure of all threads is told to the host.
void Failures::report(const ReportSite& site, std::span<const ir::Value> words) {
  if (l_.called.is_inside()) sites_.called.push_back(sites_.all.size());
  sites_.all.push_back(site);
  const auto at = [&](int64_t word) { return std::vector{b.constant(Scalar::of_int(DType::int64, word))}; };
  const ir::Value none = at(0)[0], number = at(static_cast<int64_t>(sites_.all.size()))[0];
  const ir::Value before = b.compare_exchange(report_, none, number, at(ReportLayout::site));
  const auto tell = [&](std::span<const ir::Value>) {
    for (int axis = 0; axis < 3 && !l_.options.is_function; ++axis) {
      b.store(report_, b.index(2 - axis), at(ReportLayout::block + axis));
      b.store(report_, b.index(5 - axis), at(ReportLayout::thread + axis));
    }
    for (size_t k = 0; k < words.size(); ++k)
      b.store(report_, words[k], at(ReportLayout::values + static_cast<int64_t>(k)));
    return std::vector<ir::Value>{};
  };
  b.if_(b.eq(before, none), tell, {});
}

ir::Value Failures::failed() {
  if (!has_failed_) return b.constant(Scalar::of_bool(false));
  const ir::Value set = b.unguarded([&] { return b.load_array(failed_, b.constant(DType::int64, 0)); });
  return b.ne(set, b.zero_like(set));
}

// After a call of what may raise: what has failed has returned.
void Failures::note_failure() {
  if (const Scalar* known = l_.constant_of(l_.scalar(flag(l_, l_.frame->returned_slot()))); known && known->bytes[0])
    return;
  l_.frame->values[l_.frame->returned_slot()] = l_.scalar(b.bit_or(flag(l_, l_.frame->returned_slot()), failed()));
}

void Failures::print(const Node& node, std::span<const Item> items) {
  ReportSite site = site_of(node);
  site.is_line = true;
  std::vector<ir::Value> words;
  for (const Item& item : items) {
    if (!site.parts.empty()) site.parts.push_back({.text = " "});
    append_word(node, item, site, words);
  }
  if (!l_.known->failures.prints) l_.known.change().failures.prints = true;
  l_.known.note_reports();
  if (l_.known.is_changed()) return;
  sites_.all.push_back(std::move(site));
  const auto number = [&](int64_t value) { return b.constant(Scalar::of_int(DType::int64, value)); };
  words.insert(words.begin(), number(static_cast<int64_t>(sites_.all.size())));
  const auto count = static_cast<int64_t>(words.size());
  const ir::Value first =
      b.atomic(ir::AtomicKind::add, report_, number(count), std::vector{number(ReportLayout::printed)});
  const auto write = [&](std::span<const ir::Value>) {
    for (size_t k = 0; k < words.size(); ++k)
      b.store(lines_, words[k], std::vector{b.add(first, number(static_cast<int64_t>(k)))});
    return std::vector<ir::Value>{};
  };
  b.if_(b.le(first, number(ReportLayout::line_words - count)), write, {});
}

bool Failures::fails(const Node& statement) const { return failing().contains(&statement); }

const std::set<const Node*>& Failures::failing() const {
  return deferral_ ? deferral_->failing : l_.known->failures.failing;
}

}  // namespace tessera::kernel
