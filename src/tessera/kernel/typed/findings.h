/// Findings: the typed program as rules see it. Inference adds to it; to lowering it is what it is.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tessera/base/error.h"
#include "tessera/kernel/compile_error.h"
#include "tessera/kernel/typed/program.h"

namespace tessera::kernel {

/// What a rule throws in inference that cannot say a type yet. It ends at the statement (lower/attempt.h), which a
/// later pass looks at again.
struct Unresolved {};

/// In each pass of inference, and when the program is lowered.
class Findings {
 public:
  explicit Findings(const typed::Program& program) : program_(program) {}
  explicit Findings(typed::Program& growing) : program_(growing), growing_(&growing) {}

  const typed::Program* operator->() const { return &program_; }
  const typed::Program& operator*() const { return program_; }
  /// Whether types are being inferred; else code is made.
  bool infers() const { return growing_ != nullptr; }
  /// The program, to add what no earlier part of this pass would have looked at.
  typed::Program& add() {
    invariant(growing_ != nullptr, "kernel: lowering finds what inference has not found");
    return *growing_;
  }
  /// The same for all else: another pass is needed.
  typed::Program& change() {
    is_changed_ = true;
    return add();
  }
  /// The same for what is as this pass has taken it to be, unless a statement could not be typed.
  typed::Program& begin() {
    has_begun_ = true;
    return add();
  }
  /// The same for types of elements of lists, and of what functions that call themselves return.
  typed::Program& grow() {
    has_grown_ = true;
    return change();
  }
  bool is_changed() const { return is_changed_; }
  /// Whether another pass may find more.
  bool is_growing() const { return is_changed_ || (has_begun_ && is_wanting_); }
  bool has_grown() const { return has_grown_; }

  /// The path one step further; in lowering nothing is known of paths that inference has not taken.
  typed::PathNumber path(typed::PathNumber outer, const Place& place, int64_t number = 0) {
    const typed::PathStep step{outer, place, number};
    const auto known = program_.paths.find(step);
    if (known != program_.paths.end()) return known->second;
    if (!infers()) return typed::no_path;
    return add().paths.emplace(step, static_cast<typed::PathNumber>(program_.paths.size() + 1)).first->second;
  }
  /// The kernel raises or prints.
  void note_reports() {
    if (!program_.failures.reports) change().failures.reports = true;
  }
  /// Arrays may be kept by what is no variable.
  void note_kept_arrays() {
    if (!program_.keeps_arrays) add().keeps_arrays = true;
  }
  /// Fields hold containers or texts, whose memory is shared by calls.
  void note_kept_containers() {
    if (!program_.keeps_containers) add().keeps_containers = true;
  }
  /// The statement calls what may raise.
  void note_failing(const Node* statement) {
    if (!program_.failures.failing.contains(statement)) change().failures.failing.insert(statement);
  }

  /// What is wrong, should it still be so when nothing changes any more.
  void defer(CompileError error) { deferred_.push_back(std::move(error)); }
  const std::vector<CompileError>& deferred() const { return deferred_; }
  /// What fails from here on stays wrong whatever else is found.
  void stop() { is_final_ = true; }
  bool is_final() const { return is_final_; }
  /// The statement needs what has not been found in this pass.
  [[noreturn]] void want() {
    add();
    is_wanting_ = true;
    throw Unresolved();
  }
  /// It needs the type of elements of a list to which nothing has been added.
  [[noreturn]] void want_element() {
    note_element();
    want();
  }
  /// The same where the rule goes on with what it would give, so that elements are found that are added further on.
  void note_element() {
    add();
    wants_element_ = is_wanting_ = true;
  }
  bool wants_element() const { return wants_element_; }

 private:
  const typed::Program& program_;
  typed::Program* growing_ = nullptr;
  bool is_changed_ = false, has_grown_ = false, has_begun_ = false, is_wanting_ = false, wants_element_ = false,
       is_final_ = false;
  std::vector<CompileError> deferred_;
};

}  // namespace tessera::kernel
