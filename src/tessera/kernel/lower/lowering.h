/// Lowering: one run over a function's tree that builds the kernel and finds the types of its variables.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tessera/ir/builder.h"
#include "tessera/ir/checks.h"
#include "tessera/kernel/compile_error.h"
#include "tessera/kernel/environment.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/host_object.h"
#include "tessera/kernel/lower/facts.h"
#include "tessera/kernel/lower/liveness.h"
#include "tessera/kernel/options.h"
#include "tessera/kernel/parallel_note.h"
#include "tessera/kernel/report.h"
#include "tessera/kernel/types/array_view.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

/// What is known of the elements of lists that were made in one place.
struct ListElement {
  std::string joined;        // with those made there, of the same type
  std::optional<Type> type;  // nothing until an element is added
  bool is_fixed = false;     // the list is an argument
  bool is_shared = false;    // one was made outside of parallel loops
};

/// A function that calls itself, by way of others or not: with these types of arguments it is one of the kernel's.
struct CalledFunction {
  const Function* function = nullptr;
  std::vector<Type> arguments;
  std::optional<Type> result;  // nothing until a return is known
};

/// A statement in one of the calls of its function, by the path of the call.
using PlaceInCall = std::pair<std::string, const Node*>;

/// The memory of arrays that the function makes, or of views of an argument whose axes are not that argument's.
struct Heap {
  DType dtype = DType::boolean;
  int argument = -1;  // its buffer
  friend bool operator==(const Heap&, const Heap&) = default;
};

/// What runs have found, which grows from run to run until a run adds nothing. Keys name the call and the variable.
struct Known {
  std::map<std::string, Type> types;
  std::set<std::string> may_be_negative;                        // variables carried by a loop, by loop and place
  std::vector<std::shared_ptr<const ConstantArray>> constants;  // the last buffers
  std::set<const Node*> failing;                                // statements that call functions which raise
  std::set<const Node*> in_order;                               // loops that tell failures at once
  size_t deferred = 0;                                          // failures that loops tell at their end
  bool draws_itself = false;                                    // asks the host once for where numbers come from
  bool reports = false;                                         // the kernel raises or prints
  bool prints = false;
  std::vector<Heap> heaps;
  bool assumes_distinct = false;  // arguments that are written share no memory with others
  std::map<const Node*, std::shared_ptr<const Function>> functions;  // those that are defined inside others
  std::map<std::string, ListElement> lists;                          // by where they were made
  std::map<std::string, std::shared_ptr<const Function>> library;    // functions in Python that operations call
  bool has_lists = false;
  bool changes_lists = false;
  bool counts_threads = false;  // iterations of prange ask for the number of threads, or set it
  std::vector<CalledFunction> called;
  bool has_called = false;
  int64_t deepest =
      128;            // calls that a thread may be in; that many in kernels, whose threads have little memory for it
  bool grew = false;  // in this run: types of elements, of what functions that call themselves return
  std::set<PlaceInCall> skipped;   // statements that failed for guessed types; what follows may tell them
  std::set<std::string> literals;  // variables to which only constants that are not negative were assigned
  /// What global names stand for, by function and name: Python says it once.
  std::map<std::pair<const Function*, std::string>, Entity> entities;
};

/// What was raised: `raise` alone raises it again in a handler, and it goes on behind what is done finally.
struct Caught {
  ir::Value site;
  std::vector<ir::Value> words;
  std::string name;  // of `except ... as name`
};

/// A function being lowered: the kernel, or a device function in its place in the caller.
struct Frame {
  Frame(const Function& called, Frame* by, const Node* at);

  const Function& function;
  Frame* caller;
  const Node* call;
  Frame* enclosing = nullptr;  // of the function in which this one is defined
  std::string path;            // tells calls apart
  std::vector<Type> arguments;
  Liveness liveness;
  int depth = 0;                        // regions around the current statement, within the function
  std::string turn;                     // of the unrolled loops around, which tells their iterations apart
  std::map<int, std::string> unrolled;  // variables that have a type of their own in each iteration of an unrolled loop
  std::vector<const Node*> loops;
  const Node* statement = nullptr;  // the current one
  int tries = 0;                    // around it
  std::vector<Caught> caught;       // by the handlers around it
  int rests = 0;  // of blocks around the current statement, in the innermost loop, that run only if nothing jumped
  /// By slot: the variables, then whether the function has returned, with what, and of each loop whether it was left
  /// and whether the rest of its body is skipped.
  std::vector<std::optional<Item>> values;

  int returned_slot() const { return static_cast<int>(liveness.count()); }
  int result_slot() const { return returned_slot() + 1; }
  int broken_slot(size_t loop) const { return returned_slot() + 2 + 2 * static_cast<int>(loop); }
  int skipped_slot(size_t loop) const { return broken_slot(loop) + 1; }
  /// Under which types of the slot's values are known.
  std::string key_of(int slot) const;
};

/// A call's arguments in the order of the parameters; what was left out has the type none.
struct Call {
  const Node& node;
  std::vector<Item> args;
  std::vector<bool> given = {};
};

/// A loop whose iterations go on after one has failed; at its end it tells the first failure.
struct Deferral {
  ir::Value counter = ir::no_value;
  bool is_sound = true;                                  // nothing fails otherwise
  std::vector<std::pair<ReportSite, uint32_t>> sites{};  // and arrays of one: the first iteration that failed there
  std::set<const Node*> failing{};                       // none
};

/// Types are found by lowering: each expression's type follows from its operands', and a variable's is what all of its
/// assignments unify to. A run that meets an assignment which widens a variable goes on, to find more, and is repeated.
class Lowering {
 public:
  Lowering(ir::Builder& to, Known& known, const Environment& environment, const CompileOptions& options)
      : b(to), facts_(to), known_(known), environment_(environment), options_(options) {}

  /// The builder has the buffers and scalars of the arguments. What the function returns becomes of the type `result`.
  void lower_kernel(const Function& function, const std::vector<Item>& arguments, const Type* result = nullptr);
  /// The same for the body of an op: what it returns.
  Item lower_body(const Function& function, const std::vector<Item>& arguments);
  /// Whether a type has changed, so that what was built must be built anew.
  bool changed() const { return changed_; }
  /// Whether the kernel has one more scalar, the last: the bytes of the launch's dynamic shared memory.
  bool reads_shared_bytes() const { return shared_bytes_ != ir::no_value; }
  /// What the kernel says where, by number from 1.
  const std::vector<ReportSite>& sites() const { return sites_; }
  uint32_t lines_buffer() const { return lines_; }
  /// Where a checked kernel accesses arrays and meets, by the numbers that it tells the host; the first part is the
  /// array's name.
  const std::vector<ReportSite>& access_sites() const { return access_sites_; }
  /// Of a function that the host calls.
  const Type& result() const { return result_; }
  const CompileOptions& options() const { return options_; }
  const Environment& environment() const { return environment_; }

  ir::Builder& b;

  // Expressions.
  Item lower(const Node& expression) { return present(expression, lower_optional(expression)); }
  /// The same, also of what may be None.
  Item lower_optional(const Node& expression) {
    Item item = lower_expression(expression);
    if (options_.types) note_type(expression, item.type);
    return item;
  }
  /// What an optional value is; where it is None, the function raises TypeError.
  Item present(const Node& node, const Item& item);
  /// A scalar's value; fails for anything else, saying what it is for.
  ir::Value lower_scalar(const Node& expression, std::string_view what);
  ir::Value lower_condition(const Node& expression);
  Item lower_call(const Node& node);
  Item call_builtin(const Node& node, const std::string& named, const std::string& builtin,
                    const std::vector<Item>& first);
  Item call_function(const Node& node, const Function& callee, const std::vector<Item>& args);
  Item item_of(const Entity& entity, const Node& node);
  Item binary(const Node& node, std::string_view op, const Item& left, const Item& right);
  Item unary(const Node& node, std::string_view op, const Item& item);
  /// As NumPy's matmul of one or two axes.
  Item matrix_product(const Node& node, const Item& left, const Item& right);
  /// Writes a line of these to the kernel's lines.
  void print(const Node& node, std::span<const Item> items);
  ir::Value compare(const Node& node, std::string_view op, const Item& left, const Item& right);
  /// Whether the expression needs no branch around it: it reads no memory, calls nothing and raises nothing.
  bool is_cheap(const Node& expression) const;
  ir::Value equal_or_none(const Node& node, const Item& left, const Item& right);
  Item compared(const Node& node, const Item& left, const Item& right);
  ir::Value is_same_array(const Node& node, const Item& left, const Item& right);
  ir::Value is_in_range(const Node& node, const Item& value, const Item& range);
  ir::Value compare_in_order(const Node& node, std::string_view op, const Item& left, const Item& right);
  /// The condition in Python's sense.
  ir::Value truth(const Node& node, const Item& item);
  /// Both conditions.
  ir::Value both(ir::Value x, ir::Value y);
  /// op of the table on scalars, in the loop that NumPy's rules choose.
  Item apply_op(const Node& node, std::string_view op, const std::vector<Item>& operands);

  // Arrays and their elements.
  ArrayView view_of(const Item& array);
  using BaseBody = std::function<std::vector<ir::Value>(const ArrayView::Base&)>;
  /// What body makes of the array that the view is of; of several, of those from the first on.
  std::vector<ir::Value> for_base(const ArrayView& view, const BaseBody& body, size_t first = 0);
  Item item_of(const ArrayView& view);
  /// What the index leaves of the array; nothing of its axes where it names one element.
  ArrayView sub_view(const Node& node, const Item& array, const Item& index);
  /// The element at an index, or what a partial index or a slice leaves of an array, of records or of a tuple.
  Item subscript(const Node& node, const Item& object, const Item& index);
  /// What `body` loads and stores has this hint.
  template <class Body>
  auto with_hint(ir::CacheHint hint, Body&& body) {
    hint_ = hint;
    struct Back {
      ir::CacheHint& hint;
      ~Back() { hint = ir::CacheHint::none; }
    } const back{hint_};
    return body();
  }
  /// The kernel has asked for the group of all its threads.
  void note_grid_group() { has_grid_group_ = true; }
  bool has_grid_group() const { return has_grid_group_; }
  void store(const Node& node, const Item& object, const Item& index, const Item& value);
  /// The name of the field that a text or, of one record, a constant number stands for.
  std::string field_name(const Node& node, const Item& record, const Item& index);
  /// An array of a record's field, and what stores to it.
  Item field_place(const Node& node, const Item& record, std::string_view name);
  void store_record(const Node& node, const Item& place, const Item& value);
  /// The array of a field; of one record, its value.
  Item field(const Node& node, const Item& record, std::string_view name);
  /// The IR's indices of an element; for a shared or local array the one index of its elements in order.
  std::vector<ir::Value> address(const ArrayView::Base& element);
  Item load(const ArrayView& element);
  enum class Access : uint8_t { read, write, atomic };
  /// Tells the host of an access that follows, where the kernel is checked.
  void check_access(Access access, const ArrayView::Base& element, std::span<const ir::Value> at,
                    ir::Value stored = ir::no_value);
  void check_meeting(const Node& node, ir::CheckCall call);
  bool ends_launch() const;
  /// What is accessed within the scope stands at this node.
  class AtNode {
   public:
    AtNode(Lowering& lowering, const Node& node)
        : lowering_(lowering), before_(std::exchange(lowering.accessed_, &node)) {}
    ~AtNode() { lowering_.accessed_ = before_; }
    AtNode(const AtNode&) = delete;
    AtNode& operator=(const AtNode&) = delete;

   private:
    Lowering& lowering_;
    const Node* before_;
  };
  void store(const Node& node, const ArrayView& view, const Item& value);
  /// What stands beside the element at an index of an array of at least as many axes: a number, or the element of an
  /// array whose axes of one element are repeated.
  Item repeated_element(const Item& value, std::span<const ir::Value> at);
  /// The element of an array, computed ones included, at an index for each axis.
  Item element_of(const Item& array, std::span<const ir::Value> at);
  /// The real or imaginary parts of an array's elements, or of a number.
  Item parts(const Item& object, bool is_imaginary);
  /// The element of a view at an index for each of its axes.
  ArrayView element_at(const ArrayView& view, std::span<const ir::Value> at);
  /// Runs body for each index below the extents; with parallel=True on several threads, else in order.
  void each_index(std::span<const ir::Value> extents, const std::function<void(std::span<const ir::Value>)>& body);
  /// An array whose elements are computed where they are read.
  Item computed(DType dtype, std::vector<ir::Value> extents,
                std::function<Item(std::span<const ir::Value> index)> element, std::vector<Item> operands = {});
  /// The shape to which arrays and numbers are broadcast.
  std::vector<ir::Value> broadcast(const Node& node, std::span<const Item> items);
  static bool is_written_list(const Item& item);
  /// The elements of a computed array, or of a list that was written, in memory that the function makes; other items
  /// are returned as they are.
  Item in_memory(const Node& node, const Item& item) {
    if (is_written_list(item)) return is_mixed_list(item.type) ? item : list_of(node, item, "");
    if (item.computed && item.computed->whole && options_.is_function) return parts_in_memory(node, item);
    return item.type.kind == TypeKind::computed ? materialise(node, item) : item;
  }
  /// Whether a list that was written has elements of several types: it stays what was written, and is not changed.
  static bool is_mixed_list(const Type& written);
  Item materialise(const Node& node, const Item& computed);
  /// A new array, its elements zero or not set.
  Item allocate(const Node& node, DType dtype, const std::vector<ir::Value>& extents, bool zeroed);
  /// New records, an array for each field: of a type, or like others.
  Item new_records(const Node& node, const Entity& type, const std::vector<ir::Value>& extents, bool zeroed);
  Item records_like(const Node& node, const Item& records, bool zeroed);
  Item copy_records(const Node& node, const Item& records);
  /// What a host routine gives for these arguments: a value of each type, several as a tuple.
  Item call_numpy(const Call& call, size_t routine, const std::vector<Type>& results);
  /// What a function of the host gives for these arguments and those of the node.
  Item call_object(const Node& node, const std::shared_ptr<const HostObject>& object, std::string_view name,
                   const std::vector<Item>& first);
  Item call_object(const Node& node, const std::shared_ptr<const HostObject>& object, std::string_view name,
                   const std::vector<Item>& arguments, const std::vector<std::string>& names);
  const std::vector<std::shared_ptr<const HostObject>>& host_objects() const { return host_objects_; }
  const std::vector<std::shared_ptr<const ForeignDeclaration>>& foreign() const { return foreign_; }
  /// How many threads parallel work uses; in an iteration of prange what it, or one before it in its chunk, has set.
  Item thread_count();
  /// What was set for parallel loops of this call; none is set for those within an iteration.
  Item chunk_size();
  void set_thread_count(const Node& node, ir::Value count);
  /// The address of an array's first element, for functions in other code.
  Item address_of(const Node& node, const Item& array);
  const std::vector<ParallelNote>& parallel_notes() const { return parallel_notes_; }
  /// The array that begins here, in C order.
  Item own_array(DType dtype, ir::Value begin, std::span<const ir::Value> extents);
  /// The same with steps, in the memory of this heap.
  Item own_array(const Heap& heap, ir::Value begin, std::span<const ir::Value> extents,
                 std::span<const ir::Value> steps);
  /// The steps of an array of these extents whose last axis, or if `is_fortran` its first, is the innermost.
  std::vector<ir::Value> c_order(std::span<const ir::Value> extents, bool is_fortran = false);
  /// The array's elements in C order along one axis: a view where they lie so in memory, with `keeps_step` also where
  /// they are all as far apart, else a copy.
  Item flattened(const Node& node, const Item& array, bool keeps_step);
  /// The address in bytes of its first element, of a function that the host calls.
  ir::Value first_address(const Node& node, const Item& array);
  /// The real or imaginary parts of complex elements that are in memory, as a view.
  Item parts_in_memory(const Node& node, const Item& parts);
  /// How far apart the array's elements are in memory along each axis, in bytes.
  std::vector<ir::Value> strides_of(const ArrayView& view);
  /// The heaps of arguments: the heap's buffer and the argument's.
  std::vector<std::pair<uint32_t, uint32_t>> aliases() const;
  Item copy_of(const Node& node, const Item& array);
  /// op elementwise on numbers and arrays, of which one is an array.
  Item elementwise(const Node& node, const std::vector<Item>& operands,
                   const std::function<Item(const std::vector<Item>&)>& body);
  using Join = std::function<Item(const Item&, const Item&)>;
  /// Joins all elements from the left, beginning with `first`. Of a `kind` whose identity that is, sums are those of
  /// rows, each by the tree of pairwise sums, and threads share the work.
  Item reduce(const Item& array, const Item& first, const Join& join, std::optional<ir::ReduceKind> kind = {});
  Item shape_of(const Item& array);

  // Texts.
  ir::Value text_length(const Node& node, const Item& text);
  ir::Value compare_texts(const Node& node, std::string_view op, const Item& left, const Item& right);

  // Lists.
  Item new_list(const Node& node, std::string_view what = "", size_t room = 0);
  /// The list that was written, or of a tuple's elements; a list is returned as it is. `what` tells several of one node
  /// apart.
  Item list_of(const Node& node, const Item& item, const std::string& what);
  ir::Value list_length(const Item& list);
  void note_list_change();
  void shorten_list(const Item& list, ir::Value length);
  /// Element k, which is there.
  Item list_element(const Item& list, ir::Value k);
  void append_to_list(const Node& node, const Item& list, const Item& value);
  Item array_of_list(const Node& node, const Item& list);
  /// A function that is written in Python, by its name.
  Item call_library(const Node& node, const std::string& name, const std::vector<Item>& arguments);
  /// An argument that is a list of elements of this type.
  Item list_argument(const Type& element);
  /// The type with the elements' types in those of lists.
  Type resolved(const Type& type);
  /// Whether an element's type was taken to be an integer's because nothing has been added to its list yet.
  bool has_guessed() const { return has_guessed_; }
  bool has_skipped() const { return has_skipped_; }
  /// The statement in which the run has failed.
  const PlaceInCall& failed_statement() const { return failed_statement_; }
  /// The number of elements of the block's dynamic shared memory.
  Item dynamic_size(DType element);
  /// The array of constants as a buffer of the kernel.
  Item constant_array(const std::shared_ptr<const ConstantArray>& array);
  /// The number of steps from lower to upper, whose difference plus the step is an int64.
  ir::Value count_steps(ir::Value lower, ir::Value upper, ir::Value step);

  /// What a loop runs over: the elements of a tuple, or element(i) for each i of a range.
  struct Range {
    ir::Value lower, upper, step;
  };
  static Range range_of(const Item& object);
  ir::Value count_range(const Range& range);
  struct Sequence {
    Range range;
    std::function<Item(ir::Value)> element;
    std::optional<Item> tuple;
    bool is_parallel = false;            // prange
    std::function<ir::Value()> upper{};  // of a list that may change meanwhile: how far the range goes now
  };
  Sequence sequence_of(const Node& expression);
  Sequence sequence_over(const Node& expression, const Item& items);

  // Values.
  Item scalar(ir::Value value) const { return {Type::scalar(b.type(value)), {value}}; }
  Item constant(int64_t value) { return scalar(b.constant(Scalar::of_int(DType::int64, value))); }
  Item convert(const Item& item, const Type& type);
  Item zero(const Type& type);
  ir::Value cast(const Item& item, DType to) { return b.cast(item.values[0], to); }
  /// The constant that the scalar is, when it is one.
  const Scalar* constant_of(const Item& item) const;
  /// The type under this name, to which `type` is added.
  Type widen(const Node& node, const std::string& key, const Type& type);

  /// Ends the function with this exception where the condition holds. Nothing of the statement that comes later has
  /// effects then.
  void raise_if(const Node& node, ir::Value condition, ExceptionNumber exception, std::string_view text,
                std::span<const Item> numbers = {});

  // Failures.
  /// A message about a place.
  std::string text_of(const Node& node, const std::string& text) const { return message(node, text, ""); }
  [[noreturn]] void fail(const Node& node, const std::string& text, std::string_view instead = "") const;
  [[noreturn]] void refuse(const Node& node, const std::string& text, std::string_view instead = "") const;

 private:
  std::optional<Type> type_of(int slot) const;
  void set_flag(int slot, bool value);
  ir::Value flag(int slot) const;
  void assign(const Node& node, int slot, const Item& item);
  Item read(const Node& node, int variable);
  void assign_parameters(const Node& node, const Function& function, const std::vector<Item>& arguments);

  // Regions: the slots whose values they pass on, with the types at the region's begin.
  struct Passed {
    std::vector<int> slots;
    std::vector<Type> types;
  };
  using Slots = std::vector<std::optional<Item>>;
  Passed passed_by(std::span<const Node> statements, const VariableSet& live) const;
  Passed merged_after(std::span<const Node> statements) const;
  void add_flags(const Jumps& jumps, Passed& passed) const;
  std::vector<ir::Value> take(const Passed& passed);
  void give(const Passed& passed, std::span<const ir::Value> values);
  void branch(ir::Value condition, const Passed& passed, const std::function<void()>& then_body,
              const std::function<void()>& else_body);
  void guard(ir::Value condition);
  void guarded(const std::function<Passed()>& passes, const std::function<void()>& body);

  // Statements.
  void lower_block(std::span<const Node> statements);
  void lower_rest(std::span<const Node> rest, const Jumps& before);
  bool lower_leaving_if(const Node& statement, std::span<const Node> all);
  void lower_statement(const Node& statement);
  void lower_parts(const Node& statement);
  void mark_line(const Node& statement);
  void lower_if(const Node& statement);
  void lower_assignment(const Node& statement);
  void assign_target(const Node& target, const Item& item);
  void lower_augmented(const Node& statement);
  void augment(const Node& statement, const ArrayView& place);
  ArrayView place_of(const Node& target);
  void lower_return(const Node& statement);
  Type host_type(const Node& node, const Item& item);
  Item call_foreign(const Node& node, const std::shared_ptr<const ForeignDeclaration>& called);
  void check_host_call(const Node& node, std::string_view name);
  bool fits(const Node& node, std::string_view builtin, size_t first) const;
  void append_argument(const Node& node, const Item& item, bool is_changed, std::vector<ir::Value>& words);
  std::vector<Item> host_results(int64_t function, std::span<const Type> results, std::span<const HostLayout> layouts,
                                 std::span<const Item> given, std::vector<ir::Value> arguments);
  Item array_result(const Type& type, const HostLayout& layout, std::span<const Item> given,
                    const std::function<ir::Value(bool)>& next);
  int argument_of(const Type& array) const;
  ir::Value address_in_bytes(const ArrayView& view);
  void add_report_buffers();
  Item returned();
  void lower_raise(const Node& statement);
  void lower_try(const Node& statement);
  void lower_finally(const Node& part, size_t first);
  Caught raised_since(size_t first, bool with_words);
  void report_again(const Caught& raised);
  void handle(const Node& statement, std::span<const Node> parts, size_t first);
  ir::Value is_caught(const Node& handler, size_t first);
  void raise_again(const Node& statement);
  void note_raising();
  void clear_failure();
  void report(const ReportSite& site, std::span<const ir::Value> words);
  void set_failed();
  /// Whether control may reach the end of the function that the host calls.
  bool may_end_without_result() const;
  Item as_declared(const Item& result, const Type& type);
  const Signature* signature_for(const Function& callee, const std::vector<Item>& args) const;
  Item as_number(const Node& node, const Item& item, DType dtype);
  void check_returns(const Node& node, const Function& callee) const;
  std::optional<size_t> find_called(const Node& node, const Function& callee, const std::vector<Item>& args);
  Item call_called(const Node& node, size_t number, const std::vector<Item>& args);
  void lower_called(const Node& node, size_t number);
  void lower_called_body(const Function& callee, const std::vector<Item>& args, ir::Value depth);
  void check_called(const Node& node, const Function& callee, size_t arrays) const;
  void note_may_fail();
  void return_known_sides(const Node& value);
  void store_result(const Type* declared);
  Item without_constants(const Item& result);
  uint32_t heap_of(DType dtype);
  uint32_t heap_of(const Heap& heap);
  uint32_t add_heap(DType dtype);
  uint32_t add_constant(const ConstantArray& array);
  ReportSite site_of(const Node& statement);
  void append_word(const Node& node, const Item& item, ReportSite& site, std::vector<ir::Value>& words,
                   bool is_within = false);
  int64_t access_site(const Type* array);
  void tell_check(ir::CheckCall call, const Type* array, std::span<const ir::Value> operands);
  ir::Value failed();
  void note_failure();
  bool fails(const Node& statement) const;
  /// Statements after which a failure ends the function; none in a loop that tells its failures at its end.
  const std::set<const Node*>& failing() const;
  /// The next number of NumPy's stream, from 0 to 1, where the code may draw it itself.
 public:
  std::optional<ir::Value> next_random();

 private:
  bool can_defer(const Node& loop, const Sequence& sequence) const;
  void lower_deferring(const Node& loop, const Sequence& sequence);
  bool may_go_on(size_t first, ir::Value counter) const;
  bool is_near(ir::Value index, size_t first, ir::Value counter) const;
  void defer(const ReportSite& site, ir::Value condition);
  Jumps jumps_of(std::span<const Node> statements) const;
  Jumps jumps_inside(const Node& loop) const;
  void lower_while(const Node& loop);
  void lower_for(const Node& loop);
  void lower_for_over(const Node& loop, const Sequence& sequence);
  void lower_other(const Node& loop, bool breaks);
  Range lower_range(const Node& call);
  Sequence counted_from_zero(Sequence sequence);
  std::optional<Sequence> sequence_of_call(const Node& call, std::string_view builtin);
  Sequence enumerated(const Node& call);
  Sequence zipped(const Node& call, size_t first);
  Sequence reversed(const Node& call);
  Sequence indices(const Node& call);
  Sequence indices_of(const Item& shape);
  Item flat_element(const Node& node, const Item& array, const Item& index);
  /// The index of element `index` in C order.
  std::vector<ir::Value> flat_place(const Node& node, const Item& array, const Item& index);
  /// The array of which `.flat[k]` stands here.
  std::optional<Item> flat_array(const Node& subscript);
  Sequence elements_in_order(const Node& node, const Item& array, bool with_indices);
  Item range_object(const Range& range);
  void lower_counted(const Node& loop, const Sequence& sequence, const Passed& passed);
  /// Whether a range that has come to this index goes on to the bound.
  ir::Value is_before(ir::Value index, ir::Value bound, ir::Value step);
  /// How far it is from lower to upper, 0 where the range is empty, and from index to index: unsigned, below 2^64.
  struct Distances {
    ir::Value whole = ir::no_value, step = ir::no_value;
  };
  Distances distances_of(const Range& range);
  void lower_leavable(const Node& loop, const Sequence& sequence, const Passed& passed, bool breaks);
  void expect_bounds(const Node& loop, std::span<const ir::Value> initial, std::span<const ir::Value> args);
  void check_bounds(const Node& loop, std::span<const ir::Value> args, std::span<const ir::Value> next);
  void keep_bounds(std::span<const ir::Value> carried, std::span<const ir::Value> results);
  std::string carried_key(const Node& loop, size_t k) const;
  size_t assume_within(const Range& range, ir::Value counter);
  void bound_counter(const Range& range, ir::Value counter);
  Passed begin_loop(const Node& loop, bool& breaks);
  ir::Value going_on(bool breaks, bool returns);
  void lower_loop_body(const Node& loop);
  void lower_iteration(const Node& loop, const Sequence& sequence, const Passed& passed, ir::Value k);
  void lower_parallel(const Node& loop, const Sequence& sequence);
  std::vector<std::string> joins_of(const Node& loop, const Passed& passed);
  /// An array that iterations add something to, and what each chunk adds.
  struct ArrayTotal {
    int slot = 0;
    std::string op;
    bool is_assigned = false;  // iterations make new arrays of it
    Item total, parts;
  };
  std::vector<ArrayTotal> array_totals_of(const Node& loop);
  ir::Value chunks_for(ir::Value count, std::span<const ArrayTotal> totals);
  void begin_total(const Node& loop, const ArrayTotal& total, ir::Value chunk);
  void end_total(const Node& loop, const ArrayTotal& total, ir::Value chunk);
  void join_total(const Node& loop, const ArrayTotal& total, ir::Value chunks);
  void note_loop(const Node& loop, const Passed& variables, const std::vector<std::string>& ops,
                 std::span<const ArrayTotal> totals);
  void note_races(const Node& loop);
  Item identity_of_join(const std::string& op, const Type& type);
  Item join(const Node& node, const std::string& op, const Item& x, const Item& y);
  ir::Value join(const Node& node, const std::string& op, ir::Value x, ir::Value y);
  /// Memory for what the chunks of a parallel loop make of the variables that they join.
  struct Partials {
    uint32_t heap = 0;
    ir::Value begin = ir::no_value;
    int64_t words = 0;  // of a chunk
  };
  Partials allocate_partials(size_t values);
  std::vector<ir::Value> word_of(const Partials& partials, ir::Value chunk, size_t k, int64_t part);
  void store_partials(const Partials& partials, ir::Value chunk, std::span<const ir::Value> values);
  ir::Value load_partial(const Partials& partials, ir::Value chunk, size_t k, DType type);
  void lower_chunk(const Node& loop, const Sequence& iterations, const Passed& passed, const Passed& variables,
                   const std::vector<std::string>& ops);
  void begin_failures();
  ir::Value host(HostFunction function, const std::vector<ir::Value>& operands);
  void begin_thread_count();
  Sequence told(const Sequence& iterations);
  void tell_access(bool writes, const ArrayView::Base& element, std::span<const ir::Value> at, ir::Value stored);
  ir::Value has_raised();
  void note_raised();
  void unroll_tuple(const Node& loop, const Item& items);

  // Expressions.
  Item lower_expression(const Node& expression);
  void note_type(const Node& expression, const Type& type);
  std::vector<Item> lower_listed(std::span<const Node> expressions, bool may_be_none = false);
  Item lower_name(const Node& node);
  Item lower_attribute(const Node& node);
  std::optional<Item> attribute_of(const Node& node, const Item& object);
  Item lower_getattr(const Node& node, std::string_view name);
  Item lower_type_of(const Node& node);
  Item lower_iter(const Node& node);
  Item lower_next(const Node& node);
  Item lower_subscript(const Node& node);
  Item lower_unary(const Node& node);
  Item lower_boolean(const Node& node, size_t count);
  Item lower_conditional(const Node& node);
  Item lower_compare(const Node& node);
  ir::Value lower_conditions(const Node& node, size_t count);
  ir::Value lower_chain(const Node& node, size_t k, const Item& left);
  std::optional<Entity> entity_of(const Node& node) const;
  Frame* owner_of(const std::string& name) const;
  Item local_function(const Node& node);
  Entity default_of(const Node& value);
  Item text_of_value(const Node& node, const Item& item, bool is_repr);
  Item array_of_arrays(const Node& node, const Item& list, const Type& array);
  Item call_with(const Node& node, const Item& callee, const std::vector<Item>& arguments);
  Sequence mapped(const Node& call);
  Sequence counted(const Node& node, const Sequence& sequence);
  std::optional<Item> call_overload(const Call& call, const std::string& named, const Overloads& overloads);
  Call arrange_overload(const Node& node, const std::string& named, const Overloads& overloads,
                        const std::vector<Item>& first);
  Item lower_overloaded(const Node& node, const std::string& named, const Entity& entity);
  std::optional<Item> overloaded_member(const Node& node, const Item& object, bool is_attribute);
  Item choose(const Node& node, ir::Value condition, const std::function<Item()>& if_true,
              const std::function<Item()>& if_false, bool cheap);
  Call arrange(const Node& node, const std::string& callee, const std::vector<std::string>& parameters, size_t needed,
               const std::vector<Item>& positional);
  std::vector<Item> lower_positional(const Node& call, bool may_be_none = false);
  Item without_lists(const Node& node, const Item& index);
  Item without_list(const Node& node, const Item& item);
  Item call_method_of_list(const Node& node, const Item& object);
  Item call_indices(const Node& node, const Item& slice);
  std::shared_ptr<const Function> library_function(const Node& node, const std::string& name);
  std::vector<Item> with_defaults(const Node& node, const Function& function, std::vector<Item> positional);
  std::vector<Item> arrange_for(const Node& node, const Function& function);
  std::string message(const Node& node, const std::string& text, std::string_view instead) const;

  Item lower_stencil(const Node& node, const Entity& stencil);
  std::vector<ir::Value> stencil_shape(const Node& node, const Entity& stencil, const std::vector<Item>& args);
  std::optional<ir::Value> remainder_within(ir::Value value, ir::Value length);
  std::optional<Item> beside_unsigned(const Item& item, const Item& other);
  static bool keeps_unsigned(const Node& node, const Item& left, const Item& right);
  void check_index(const Node& node, const Item& index, ir::Value extent, size_t axis);
  Item convert_view(const Item& array, const Type& type);
  void move_begin(ArrayView::Base& base, int axis, ir::Value step, ir::Value by);
  void store_tuple(const Node& node, const ArrayView& view, const Item& value);
  /// One part of a complex element, of the array that `parts` are of.
  void store_part(const Node& node, const Computed& parts, const Item& index, const Item& value);
  void store_all(const Node& node, const ArrayView& view, const Item& value);
  Item without_leading_axes(const Node& node, const Item& value, size_t axes);

  // Texts.
  ir::Value choose_by_texts(const Node& node, std::span<const Item> items,
                            const std::function<ir::Value(std::span<const std::string>)>& body);
  Item text_from(const Node& node, std::span<const Item> items,
                 const std::function<std::string(std::span<const std::string>)>& body);
  Item convert_text(const Item& item, const Type& type);
  std::optional<Item> binary_of_texts(const Node& node, std::string_view op, const Item& left, const Item& right);
  Item characters(const Node& node, const Item& text);
  Item text_subscript(const Node& node, const Item& text, const Item& index);

  // Lists.
  ListElement& element_of_lists(const Type& list);
  void join_lists(const Node& node, const Type& type);
  void widen_element(const Node& node, const Type& list, const Type& type);
  Type element_type(const Type& list);
  static Type element_kind(const Item& item);
  Item convert_element(const Item& item, const Type& type);
  ir::Value number(int64_t value) const;
  ir::Value load_word(ir::Value at);
  void store_word(ir::Value at, ir::Value word);
  void set_list_length(const Item& list, ir::Value length);
  void store_element(ir::Value at, const Item& value);
  Item load_element(ir::Value at, const Type& type);
  Item no_element(const Type& type);
  void set_no_lists(const Type& type, std::span<ir::Value> values);
  ir::Value list_field(const Item& list, int64_t field);
  ir::Value no_list();
  void begin_lists();
  void complete_list_arguments();
  Type with_memory(const Type& type);
  ir::Value new_header(ir::Value length, ir::Value words, int64_t room);
  ir::Value list_place(const Node& node, const Item& list, const Item& index, std::string_view text);
  Item list_subscript(const Node& node, const Item& list, const Item& index);
  std::vector<Item> with_slice(const Item& list, const Item& slice) const;
  void store_in_list(const Node& node, const Item& list, const Item& index, const Item& value);
  std::optional<Item> binary_of_lists(const Node& node, std::string_view op, const Item& left, const Item& right);
  std::optional<ir::Value> compare_lists(const Node& node, std::string_view op, const Item& left, const Item& right);
  void unpack_array(const Node& target, const Item& array);
  void unpack_list(const Node& target, const Item& list);
  Item lower_list_call(const Node& node);
  void augment_list(const Node& statement, const Item& list, const Item& value);

  // Whole arrays.
  using PlaceBody = std::function<void(std::span<const ir::Value>)>;
  /// Runs body for the places between `from` and `to` along each axis.
  void each_place(std::span<const ir::Value> from, std::span<const ir::Value> to, const PlaceBody& body);
  void each_place_in_order(std::span<const ir::Value> from, std::span<const ir::Value> to, const PlaceBody& body);
  bool runs_at_once() const;
  using ChunkBody = std::function<void(ir::Value chunk, std::span<const ir::Value>, std::span<const ir::Value>)>;
  ir::Value each_chunk(std::span<const ir::Value> from, std::span<const ir::Value> to, const ChunkBody& body);
  using Reduced = std::vector<ir::Value>;
  Reduced reduce_between(const Item& array, std::span<const ir::Value> from, std::span<const ir::Value> to,
                         const Item& first, const Join& join, std::optional<ir::ReduceKind> kind);
  Reduced reduce_at_once(const Item& array, const Item& first, const Join& join, ir::ReduceKind kind);
  std::vector<ir::Value> uniformly(const Item& value, std::span<const ir::Value> extents,
                                   const std::function<std::vector<ir::Value>()>& emit);
  bool may_clash(const ArrayView& source, const ArrayView& target, bool by_elements);
  Item apart_from(const Node& node, const Item& value, const ArrayView& target);
  void store_each(const Node& node, const ArrayView& view, const Item& value);
  std::vector<ir::Value> checked_extents(const Node& node, const Item& value, std::vector<ir::Value> extents);
  ir::Value within(const Item& index, ir::Value extent);
  ArrayView::Axis sliced(const Node& node, const Item& slice, ArrayView::Axis axis, ir::Value& begin);
  Item gather(const Node& node, const Item& array, const Item& index);
  void scatter(const Node& node, const Item& array, const Item& index, const Item& value);
  std::vector<Item> full_index(const Node& node, int axes, const Item& index);
  Item tuple_element(const Node& node, const Item& tuple, const Item& index);
  Item tuple_slice(const Node& node, const Item& tuple, const Item& slice);
  Item lower_slice(const Node& node);
  std::optional<Scalar> known_element(const ArrayView& element) const;

  Facts facts_;
  Known& known_;
  const Environment& environment_;
  const CompileOptions& options_;
  Type result_;
  uint32_t results_ = 0;                     // a buffer
  std::vector<uint32_t> heaps_, constants_;  // buffers of what is known of them
  uint32_t shared_bytes_ = ir::no_value;     // a scalar, declared when it is first needed
  std::vector<ReportSite> sites_, access_sites_;
  const Node* accessed_ = nullptr;  // where the access stands, if that is known better than by its statement
  std::vector<std::shared_ptr<const HostObject>> host_objects_;
  std::vector<std::shared_ptr<const ForeignDeclaration>> foreign_;
  std::vector<ParallelNote> parallel_notes_;
  uint32_t report_ = 0, lines_ = 0;  // buffers
  bool has_failed_ = false;
  std::optional<Deferral> deferral_;
  std::vector<ir::Value> random_source_;
  std::vector<uint32_t> first_failures_;  // arrays for deferrals
  size_t deferred_ = 0;                   // that are in use
  uint32_t failed_ = 0;                   // an array of each thread: whether a function that it called has raised
  uint32_t failed_inside_ = 0;            // the same of functions that call themselves
  std::map<size_t, uint32_t> functions_;  // the kernel's, by number among those that are called
  ir::Value depth_ = ir::no_value;        // of the calls that the function being lowered is in
  uint32_t own_threads_ = 0;  // an array of each chunk of a parallel loop: the number of threads that it has set
  bool changed_ = false;
  bool has_grid_group_ = false;
  ir::CacheHint hint_ = ir::CacheHint::none;
  bool nothing_repeats_ = false;      // the arrays being read are as large as what they are computed for
  int arguments_ = 0;                 // that are lists
  ir::Value no_list_ = ir::no_value;  // an empty list, where the function has lists
  bool has_skipped_ = false;
  mutable PlaceInCall failed_statement_;
  bool has_guessed_ = false;    // the type of an element that is not known yet
  int parallel_depth_ = 0;      // loops around that are parallel
  bool in_iterations_ = false;  // of prange
  Frame* frame_ = nullptr;
};

/// As Python's repr writes a text.
std::string quoted(const std::string& text);
/// The text, known while compiling.
Item text_item(const std::string& text);
/// Whether it is a list, also one that was just written.
bool is_list(const Item& item);
/// Whether an index is an array of indices, or a tuple that has one.
bool is_array_index(const Item& index);
/// The array of a subscript or of an atomic operation as the source names it.
std::string array_name(const Node& node);

}  // namespace tessera::kernel
