/// Failures: what is raised, told to the host, and caught; and what is printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/kernel/lower/frame.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/report.h"
#include "tessera/kernel/syntax/syntax.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

class Lowering;

/// A loop whose iterations go on after one has failed; at its end it tells the first failure.
struct Deferral {
  ir::Value counter = ir::no_value;
  bool is_sound = true;                                  // nothing fails otherwise
  std::vector<std::pair<ReportSite, uint32_t>> sites{};  // and arrays of one: the first iteration that failed there
  std::set<const Node*> failing{};                       // none
};

/// Where code begins: how many sites there are, calls of functions that call themselves, and statements that raise what
/// was caught.
struct SitesBegin {
  size_t sites = 0, calls = 0, raised_again = 0;
  friend bool operator==(const SitesBegin&, const SitesBegin&) = default;
};

/// What the kernel says where, by number from 1.
struct Sites {
  std::vector<ReportSite> all;
  std::vector<size_t> called;  // those of functions that call themselves
  size_t raised_again = 0;

  /// By index, those that may have been told since: also those of before that are raised again, and those of functions
  /// that call themselves where one was called.
  std::vector<size_t> since(const SitesBegin& begin, size_t calls) const;
};

/// What may fail, and where: the sites that the host is told, and the word of each thread that says that it has failed.
class Failures {
 public:
  explicit Failures(Lowering& l);

  /// What the kernel says where, by number from 1.
  const std::vector<ReportSite>& sites() const { return sites_.all; }
  uint32_t lines_buffer() const { return lines_; }
  /// Writes a line of these to the kernel's lines.
  void print(const Node& node, std::span<const Item> items);
  /// Whether what fails here ends the launch, so that what follows is under no condition.
  bool ends_launch() const;
  /// Whether what follows a call that has raised must be told so.
  bool is_told_at_once() const { return has_failed_ && !deferral_ && !ends_launch(); }
  /// Ends the function with this exception where the condition holds. Nothing of the statement that comes later has
  /// effects then.
  void raise_if(const Node& node, ir::Value condition, ExceptionNumber exception, std::string_view text,
                std::span<const Item> numbers = {});
  /// Those of reports and lines, and the word of each thread.
  void add_buffers();
  /// `raise` and failing assertions.
  void lower_raise(const Node& statement);
  void lower_try(const Node& statement);
  /// The statement's `body`, and then `last`, however the body is left.
  void lower_with_end(const Node& statement, const std::function<void()>& body, const std::function<void()>& last);
  /// The thread has failed.
  void set_failed();
  /// Whether it has.
  ir::Value failed();
  /// After a call of what may raise: what has failed has returned.
  void note_failure();
  /// Whether the statement calls what may raise.
  bool fails(const Node& statement) const;
  /// Statements after which a failure ends the function; none in a loop that tells its failures at its end.
  const std::set<const Node*>& failing() const;
  /// Whether the loop may tell its failures at its end.
  bool can_defer(const Node& loop, const Sequence& sequence) const;
  /// A loop that does.
  void lower_deferring(const Node& loop, const Sequence& sequence);
  /// The word that says that a thread has failed, if there is one.
  struct Word {
    bool is_there = false;
    uint32_t array = 0;
  };
  Word word() const { return {has_failed_, failed_}; }
  /// From here on, threads have another one; returns the one before.
  Word exchange_word(Word word);
  /// The same with a new one, if threads have one.
  Word begin_word();
  /// What the other word says, this one says, too.
  void add_failures_of(uint32_t other);
  /// The loop's iterations go on after one has failed: that is where they count.
  void note_counter(ir::Value counter);
  /// What a loop or a function changes and puts back.
  struct Position {
    Word word;
    bool defers = false;
  };
  Position position() const { return {word(), deferral_.has_value()}; }
  void restore(const Position& position);
  /// Whether any thread has raised.
  ir::Value has_raised();
  /// Where code begins, of which handlers and callers ask what may have raised since.
  SitesBegin begin() const;

 private:
  void lower_finally(const std::function<void()>& part, const SitesBegin& begin);
  Caught raised_since(const SitesBegin& begin, bool with_words);
  void report_again(const Caught& raised);
  void handle(const Node& statement, std::span<const Node> parts, const SitesBegin& begin);
  ir::Value is_caught(const Node& handler, const SitesBegin& begin);
  void raise_again(const Node& statement);
  void note_raising();
  void clear_failure();
  void report(const ReportSite& site, std::span<const ir::Value> words);
  ReportSite site_of(const Node& statement);
  void append_word(const Node& node, const Item& item, ReportSite& site, std::vector<ir::Value>& words,
                   bool is_within = false);
  bool may_go_on(size_t first, ir::Value counter) const;
  void defer(const ReportSite& site, ir::Value condition);

  Lowering& l_;
  ir::Builder& b;
  Sites sites_;
  uint32_t report_ = 0, lines_ = 0;  // buffers
  bool has_failed_ = false;
  std::optional<Deferral> deferral_;
  std::vector<uint32_t> first_failures_;  // arrays for deferrals
  size_t deferred_ = 0;                   // that are in use
  uint32_t failed_ = 0;                   // an array of each thread: whether a function that it called has raised
};

}  // namespace tessera::kernel
