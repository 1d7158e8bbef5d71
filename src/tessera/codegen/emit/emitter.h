/// Emitter: writes one kernel as an LLVM function. Its methods are spread over the emit_*.cpp files by subject.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "tessera/codegen/compiler.h"
#include "tessera/codegen/emit/llvm_types.h"
#include "tessera/codegen/emit/machine.h"
#include "tessera/codegen/emit/math_library.h"
#include "tessera/codegen/target/device_code.h"
#include "tessera/ir/implied_checks.h"
#include "tessera/ir/kernel.h"
#include "tessera/ir/run_access.h"
#include "tessera/lanes/schedule/complex_reductions.h"
#include "tessera/lanes/schedule/dependence.h"
#include "tessera/lanes/schedule/iterations_apart.h"
#include "tessera/lanes/schedule/narrow.h"
#include "tessera/lanes/schedule/schedule.h"

namespace tessera::codegen {

using namespace lanes;
using device::GridNumber;

/// A loop being written; the builder's insertion point is in its body between open and close.
struct Loop {
  llvm::BasicBlock* body = nullptr;
  llvm::BasicBlock* exit = nullptr;
  llvm::BasicBlock* latch = nullptr;  // known once closed
  llvm::PHINode* index = nullptr;
  llvm::Value* end = nullptr;
  llvm::Value* step = nullptr;
  llvm::Value* last_at = nullptr;  // where set: indices from here on have no next one, not even an int64
};

/// Symbols of the non-temporal copy and of the prefetch that compiled code calls; see stream_copy.h.
inline constexpr const char* stream_copy_symbol = "tessera_stream_copy";
inline constexpr const char* prefetch_symbol = "tessera_prefetch";

/// Symbols of the memory of blocks whose lanes keep much; see block_memory.h.
inline constexpr const char* take_memory_symbol = "tessera_take_memory";
inline constexpr const char* give_memory_symbol = "tessera_give_memory";

/// Symbols of the function that compiled code calls to interpret a box, and of its context; see exact_kernel.h.
inline constexpr const char* exact_symbol = "tessera_exact";
inline constexpr const char* exact_context_symbol = "tessera_exact_context";

/// The symbol under which compiled code calls the precompiled loop of a long function.
std::string loop_symbol(ir::Opcode op, DType dtype);
/// The same of a function of numbers in registers; `count`: of a vector, 0: of one number.
std::string value_symbol(ir::Opcode op, DType dtype, int count);

/// Positions in ir::KernelArguments.
enum ArgumentField : int {
  field_buffers,
  field_strides,
  field_dimensions,
  field_scalars,
  field_extents,
  field_flags,
  field_shared_bytes,  // the number itself
  field_host,          // the function
  field_host_context,
  field_arena,
  field_wait,  // the function
};

/// Bytes of the widest memory access of a device.
inline constexpr int64_t widest_access = 16;

class Emitter {
 public:
  Emitter(const ir::Kernel& kernel, llvm::Module& module, MathLibrary& math, Machine machine);

  /// void name(KernelArguments*, int64* begin, int64* end): the box loops with the body inside.
  llvm::Function* emit_host(const char* name);
  /// A device kernel over a grid; see emit_device.cpp.
  llvm::Function* emit_device(const char* name, const DeviceMapping& mapping);
  /// A function of numbers that other code on a device calls.
  void emit_function(const DeviceFunction& wanted);

 private:
  using Builder = llvm::IRBuilder<>;

  // emit_kernel.cpp: the frame shared by both targets.
  void open_function(llvm::Function* function);
  Parts get(ir::Value v);
  llvm::Value* get_one(ir::Value v) { return get(v).first; }
  void set(ir::Value v, Parts parts) { values_[v] = parts; }
  void emit_instruction(ir::Value v);
  void emit_region(ir::RegionId region);
  Parts emit_pure(ir::Value v);
  void loosen(ir::Value v, llvm::Value* value);
  DType type_of(ir::Value v) const { return kernel_.instructions[v].type; }
  void open_level();
  /// Where code of a level is inserted; null for the current position.
  llvm::Instruction* hoist_point(int level) const;
  llvm::Value* at_level(int level, const std::function<llvm::Value*()>& emit);
  llvm::Value* argument_field(int field);
  llvm::Value* argument_word(int field, llvm::Type* type, int64_t offset, const char* name);
  llvm::Value* extent(int axis);
  Parts scalar(uint32_t param);

  // emit_device.cpp
  llvm::PointerType* data_pointer();
  llvm::Value* device_field(int field);
  llvm::Value* device_zero();
  llvm::Value* special_register(GridNumber number);
  /// Threads of a block along the lanes.
  llvm::Value* row_threads();
  /// Marks a step that comes from the grid: it is positive, so its loops do not test its sign.
  llvm::Value* grid_stride(llvm::Value* step);
  llvm::Function* make_device_function(const char* name);
  void emit_device_body();
  void emit_exact_grid();
  void emit_device_lanes(llvm::Value* begin, llvm::Value* size);
  void emit_lanes_by_mapping(llvm::Value* begin, llvm::Value* size);
  void emit_team_lanes(llvm::Value* begin, llvm::Value* size);
  void emit_single_lanes(llvm::Value* begin, llvm::Value* size);
  void emit_sliced_lanes(llvm::Value* begin, llvm::Value* size);
  void emit_device_lane(llvm::Value* index);
  llvm::Value* shared_array(llvm::Type* type, int64_t size);
  llvm::Value* device_dynamic_array();

  // emit_epilogue.cpp: kernels that the last block of a launch runs.
  llvm::Function* emit_epilogue();
  void emit_last_block(const EpilogueKernels& epilogue);

  // emit_lane.cpp: one lane of a device's thread.
  bool goes_first(ir::Value v) const;
  void emit_values();
  void emit_stores();
  void emit_watched_lane(llvm::Value* index);
  bool is_replayable(std::span<const ir::Value> body) const;
  bool is_run_access(ir::Value v) const { return ir::is_run_access(kernel_, v); }

  // emit_root.cpp: branch-free square roots of float32.
  bool is_quick_root(ir::Value v) const;
  llvm::Value* emit_quick_root(llvm::Value* x);
  llvm::Value* emit_reciprocal_guess(llvm::Value* x);

  // emit_fast_compile.cpp: the fast-compile variant, with as little code as possible.
  struct Noted {
    uint32_t slot;
    ir::ErrorRule rule;
    ir::Value result;
    llvm::SmallVector<ir::Value, 2> operands;
  };
  llvm::Value* emit_written_out(const ir::Instruction& i, llvm::ArrayRef<llvm::Value*> operands);
  void emit_fast_compile_lane(llvm::Value* index);
  void emit_element(ir::RegionId region);
  bool has_checks(ir::RegionId region) const;
  bool note_check(ir::Value v);
  void name_noted_events();
  void name_events_by_table();
  struct NotedValues {
    llvm::Value *slot, *rule, *result, *first, *second;
  };
  void name_event(const NotedValues& noted);

  // emit_narrow.cpp: lanes of one or two bytes, packed into words.
  /// The word at which a load or store begins in a row, and the bit offset of its first element in that word.
  struct Run {
    llvm::Value* words = nullptr;
    llvm::Value* bits = nullptr;
  };
  static constexpr int group_lanes = 4;
  /// One value in four neighbouring lanes, in each representation that was needed: as words in memory order, as pairs
  /// of 16-bit numbers of which only the lower bytes count (bytes 0 and 2, bytes 1 and 3), or lane by lane.
  struct Group {
    std::array<llvm::Value*, 2> words{}, halves{};
    uint32_t most = 0;
    std::array<llvm::Value*, group_lanes> lanes{};
  };
  struct Reciprocal {
    llvm::Value* factor = nullptr;
    llvm::Value* start = nullptr;
  };
  struct Tiling {
    llvm::Value* thread;
    llvm::Value* threads;
    llvm::Value* size = nullptr;  // lanes of a tile
    llvm::Value* start = nullptr;
    llvm::Value* stride = nullptr;
  };
  void emit_narrow_lanes(llvm::Value* begin, llvm::Value* size);
  Tiling emit_tiling();
  llvm::Value* emit_divides_quietly();
  llvm::Value* emit_result_offset(llvm::Value* first, llvm::Value*& alike);
  std::vector<Run> emit_runs(llvm::Value* first);
  void emit_groups(const std::vector<Run>& runs, llvm::Value* first, llvm::Value* lane, int count);
  void emit_group_value(std::vector<Group>& values, ir::Value v);
  Group load_group(const Run& run, ir::Value v, llvm::Value* lane);
  void store_group(const Run& run, std::vector<Group>& values, ir::Value v, llvm::Value* lane);
  void make_words(Group& group);
  void make_lanes(Group& group, DType dtype);
  void make_halves(Group& group, uint32_t most);
  llvm::Value* permute(llvm::Value* a, llvm::Value* b, uint32_t selector);
  llvm::Value* shared_byte(ir::Value v);
  Group halves_of(std::vector<Group>& values, ir::Value v, uint32_t most);
  Reciprocal reciprocal_of(ir::Value divisor);
  Group emit_quotients(std::vector<Group>& values, ir::Value x, ir::Value divisor);
  Group emit_halves(std::vector<Group>& values, ir::Value v);

  using Carried = std::vector<llvm::Value*>;
  // emit_team.cpp, emit_team_leaf.cpp: reductions shared by the threads of a team.
  struct Tree;
  struct Team;
  struct Place;
  struct SetSum;
  Team make_team(const Tree& tree, llvm::Value* begin);
  llvm::Value* emit_team_chunk(const Tree& tree, llvm::Value* begin, llvm::Value* count);
  llvm::Value* emit_slot(const Team& team, llvm::Value* set);
  llvm::Value* join_levels(const Tree& tree, llvm::Value* sum, llvm::Value* splits, int64_t first, int levels,
                           llvm::Value* threads);
  void keep_set(const Team& team, llvm::Value* set, const SetSum& of);
  SetSum load_sets(const Team& team);
  llvm::Value* join_sets(const Team& team);
  void store_sum(const Tree& tree, llvm::Value* address, llvm::Value* sum);
  llvm::Value* load_sum(const Tree& tree, llvm::Value* address);
  Carried emit_levels(int count, const Carried& first,
                      const std::function<Carried(llvm::Value* level, const Carried& carried)>& body);
  llvm::Value* emit_team_depth(const Team& team, llvm::Value* count);
  Place emit_team_place(const Team& team, llvm::Value* slot, llvm::Value* count, llvm::Value* depth);
  SetSum emit_set(const Team& team, llvm::Value* set, llvm::Value* size, llvm::Value* depth);
  llvm::Value* emit_whole_set(const Team& team, llvm::Value* set);
  llvm::Value* emit_team_leaf(const Team& team, llvm::Value* at, llvm::Value* size);
  llvm::Value* emit_short_leaf(const Team& team, llvm::Value* at, llvm::Value* size);
  llvm::Value* emit_team_run(const Team& team, llvm::Value* at, llvm::Value* count, llvm::Value* total, int64_t step,
                             int at_once);
  int elements_at_once(const Tree& tree) const;
  llvm::Value* reduce_extremes(const Tree& tree, std::vector<llvm::Value*> elements);
  llvm::Value* reduce_elements(const Tree& tree, llvm::Value* total, std::vector<llvm::Value*> elements);
  static bool order_matters(const Tree& tree);
  llvm::Value* team_element(const Team& team, llvm::Value* at);
  llvm::Value* shuffle(ir::ShuffleKind kind, llvm::Value* value, llvm::Value* offset, llvm::Value* mask);
  void emit_by_leader(const std::function<void()>& emit);
  llvm::Value* in_any_thread(llvm::Value* condition);
  int region_cost(ir::RegionId region) const;

  // emit_team_double_buffered.cpp: one chunk per lane, double-buffered.
  void emit_double_buffered_lanes(llvm::Value* begin, llvm::Value* size);
  void wait_for_launch_before();
  struct DoubleBuffer;
  llvm::Value* join_by_first_warp(const Team& team, llvm::Value* side, llvm::Value* sum);
  llvm::Value* reduce_loaded(const Team& team, const DoubleBuffer& double_buffered);
  DoubleBuffer fetch_lane(const DoubleBuffer& before, ir::Value reduction, llvm::Value* lane);

  // emit_loop.cpp
  Loop open_loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, bool surely_runs, const char* name);
  void close_loop(Loop& loop, bool parallel);
  void keep_rolled(const Loop& loop);
  /// A loop that is not unrolled and carries values, which the body maps to the next ones.
  Carried emit_carrying(llvm::Value* begin, llvm::Value* end, llvm::Value* step, const Carried& first,
                        const std::function<Carried(llvm::Value* index, const Carried& carried)>& body);
  /// Whether the loop continues: the comparison of index and end follows the sign of step.
  llvm::Value* loop_continues(llvm::Value* index, llvm::Value* end, llvm::Value* step);
  void mark_parallel(llvm::Instruction* branch);
  llvm::Value* stack_array(llvm::Type* type, llvm::Value* count, const char* name);
  /// Room for one number, aligned as other code expects it.
  llvm::Value* stack_place(llvm::Type* type, DType dtype, const char* name);

  // emit_lanes.cpp: the row of lanes and the slots of its strips.
  void emit_row(const Schedule& schedule);
  void emit_prefetch(ir::Value load);
  void emit_steps(const Schedule& schedule, const std::vector<Step>& steps);
  void emit_lane_loop(const Schedule& schedule, const LaneGroup& group);
  llvm::Value* lanes_of_block();
  /// The only lanes of the innermost axis for which a group has an effect: those that pass a test against a value that
  /// is the same for all. Null: no bound.
  struct LaneBounds {
    ir::Value test = ir::no_value;
    llvm::Value *begin = nullptr, *end = nullptr;
  };
  LaneBounds find_bounds(const LaneGroup& group);
  std::vector<Loop> open_lanes(const LaneBounds& bounds);
  void emit_assignments(const Schedule& schedule, const LaneGroup& group);
  std::vector<Parts> make_slots(const Schedule& schedule, llvm::Value* lanes);
  int64_t strip_lanes(const Schedule& schedule) const;
  int64_t bytes_a_lane(const Schedule& schedule) const;
  bool fits_stack(const Schedule& schedule) const;
  void give_memory_back();
  Parts load_slot(SlotId slot, DType dtype);
  void store_slot(SlotId slot, DType dtype, Parts value);
  /// This lane's index in its strip.
  llvm::Value* lane();

  // emit_call.cpp: long functions by precompiled loops.
  struct Strip {
    llvm::Value* address;
    llvm::Value* stride;
  };
  bool is_call(ir::Value v) const;
  void emit_call(const Schedule& schedule, ir::Value v);
  llvm::Value* emit_single_call(ir::Value v);
  Strip strip_of(const Schedule& schedule, ir::Value operand);
  Strip strip_of_load(ir::Value load);
  Strip cell_of(ir::Value v);
  void emit_loop_call(ir::Value v, std::span<const Strip> strips, llvm::Value* count);

  // emit_control.cpp
  using Inside = std::function<void(int region)>;
  void emit_control(ir::Value v, const Inside& inside);
  void emit_if(ir::Value v, const Inside& inside);
  void emit_for(ir::Value v, const Inside& inside);
  struct Iterations {
    ir::Value loop;
    bool are_apart = false;  // no memory connects them
    bool stay_rolled = false;
  };
  struct Bounds {
    llvm::Value* lower;
    llvm::Value* upper;
    llvm::Value* step;
    bool surely_runs = false;
  };
  std::vector<Parts> emit_iterations(const Iterations& of, const Bounds& bounds, const std::vector<Parts>& initial,
                                     const Inside& inside);
  std::vector<Parts> emit_halves(const Iterations& of, const SharedElements& shared, const Bounds& bounds,
                                 const std::vector<Parts>& initial, const Inside& inside);
  void emit_unrolled(ir::Value v, int64_t iterations, const Inside& inside);
  void emit_while(ir::Value v, const Inside& inside);
  void emit_row_reduce(ir::Value v, const Inside& inside);
  bool is_in_ssa(ir::Value v) const;
  bool is_result_in_ssa(ir::Value control, size_t r) const;
  Parts make_phi(Parts initial, llvm::BasicBlock* from);
  void add_incoming(Parts phi, Parts value, llvm::BasicBlock* from);
  void set_result(ir::Value control, size_t k, Parts value);

  // emit_reduce.cpp
  void emit_reduce(ir::Value v);
  llvm::Value* emit_sliced_reduction(ir::Value v);
  llvm::Value* emit_extreme(ir::Value v);
  llvm::Value* emit_reduction_range(ir::Value v, llvm::Value* lower, llvm::Value* upper);
  int reductions_at_once(ir::Value v) const;
  std::pair<llvm::Value*, llvm::Value*> emit_reductions_together(ir::Value v, llvm::Value* lower, llvm::Value* upper,
                                                                 llvm::Value* start, int at_once);
  llvm::Value* combine(ir::ReduceKind kind, DType type, llvm::Value* a, llvm::Value* b);
  llvm::Value* neutral(ir::ReduceKind kind, DType type);
  llvm::Value* reduction_start(ir::Value v);
  llvm::Value* neutral(const Tree& tree);
  llvm::Value* start_of(const Tree& tree);
  void set_reduction(ir::Value v, llvm::Value* sum);

  // emit_complex_reductions.cpp: sums of complex numbers, both parts of an element together.
  ir::Value imaginary_reduction(ir::Value v) const;
  bool is_imaginary_reduction(ir::Value v) const;
  llvm::Value* emit_reduction_element(ir::Value v, ir::Value other, llvm::Value* index);
  llvm::Value* join_parts(Parts parts);
  Parts split_parts(llvm::Value* both);
  llvm::Value* emit_is_whole();
  bool may_read_whole() const;
  void emit_lanes_apart(llvm::Value* begin, llvm::Value* size);

  // emit_strided.cpp: loops whose step only a launch or call knows.
  bool strides_over_threads(ir::Value v) const;
  /// Runs the loop while four more iterations are left; the rest begins at the result.
  llvm::Value* emit_strided(ir::Value v, llvm::Value* lower, llvm::Value* upper, llvm::Value* step,
                            std::vector<Parts>& carried, const Inside& inside);
  bool scatters_bytes(ir::Value v) const;
  /// The same on the host, as long as indices are not negative.
  llvm::Value* emit_scattering(const Iterations& of, const Bounds& bounds, std::vector<Parts>& carried,
                               const Inside& inside);
  /// Some iterations of a `for`, without a loop; returns the next one's index.
  llvm::Value* emit_in_a_row(ir::Value v, int64_t iterations, llvm::Value* index, llvm::Value* step,
                             std::vector<Parts>& carried, const Inside& inside);

  // emit_complex_runs.cpp: products of complex numbers, many elements at a time.
  bool reads_complex_runs(ir::Value v) const;
  llvm::Value* emit_complex_runs(ir::Value v, llvm::Value* lower, llvm::Value* upper, std::vector<Parts>& carried);

  // emit_tree.cpp
  Tree make_tree(ir::Value v);
  bool is_within_chunk(ir::Value v) const;
  llvm::Value* emit_tree(ir::Value v);
  bool shares_reductions() const { return mapping_.team > 1 && !in_team_reduction_; }
  void emit_joins(const Tree& tree, llvm::Value* chunks, llvm::Value* total, llvm::Value* height, llvm::Value* count);
  llvm::Value* emit_chunk(const Tree& tree, llvm::Value* begin, llvm::Value* count);
  llvm::Value* emit_elements(const Tree& tree, llvm::Value* begin, llvm::Value* count);
  llvm::Value* emit_element_calls(const Tree& tree, llvm::Value* begin, llvm::Value* count);
  llvm::Value* emit_leaf(const Tree& tree, llvm::Value* begin, llvm::Value* count);
  llvm::Value* emit_vector_sum(const Tree& tree, llvm::Value* address, llvm::Value* count, int64_t leaves);
  llvm::Value* join_neighbours(const Tree& tree, std::vector<llvm::Value*> vectors);
  bool is_plain_load(ir::Value v) const;

  // emit_memory.cpp, emit_array.cpp
  static constexpr int no_buffer = -1;
  void emit_load(ir::Value v);
  void emit_store(ir::Value v);
  Parts load_hinted(llvm::Value* address, const ir::Instruction& i);
  void store_hinted(llvm::Value* address, Parts value, const ir::Instruction& i);
  llvm::Value* as_word(ir::Value index);
  llvm::Value* element_address(uint32_t buffer, std::span<const ir::Value> indices);
  llvm::Value* base_of(uint32_t buffer);
  llvm::Value* stride_of(uint32_t buffer, int axis);
  llvm::Value* dimension(uint32_t buffer, int axis);
  Parts part_addresses(llvm::Value* address, DType dtype);
  Parts load_parts(Parts address, DType dtype, int buffer);
  llvm::Value* emit_is_aligned(ir::Value v);
  void store_parts(Parts address, Parts value, DType dtype, int buffer);
  llvm::Align access_alignment(DType dtype) const;
  int64_t divisor_of(ir::Value index) const;
  void mark_access(llvm::Instruction* access, int buffer);
  void make_alias_scopes();
  bool is_constant(size_t buffer) const;
  void make_arrays();
  llvm::Value* dynamic_array();
  Parts array_address(uint32_t array, ir::Value index);
  void emit_array_access(ir::Value v);
  void emit_barrier();
  void emit_warp_barrier(ir::Value v);

  // emit_vote.cpp: votes and shuffles, on the host between loops over lanes.
  void emit_vote(const Schedule& schedule, ir::Value v);
  llvm::Value* emit_count(SlotId asked);
  void emit_warp_ballots(SlotId asked, SlotId result);
  void emit_meeting(ir::Value v);
  void emit_shuffle(ir::Value v);
  llvm::Value* emit_device_shuffle(ir::Value v);
  llvm::Value* emit_device_match_any(ir::Value v);
  llvm::Value* warp_mask(ir::Value v, size_t at);
  void emit_fence(ir::Value v);
  void emit_pause(ir::Value v);
  llvm::Value* from_word(llvm::Value* word, DType from, DType dtype);
  void emit_wait(ir::Wait what);
  void emit_host_call(ir::Value v);
  llvm::Value* call_host(uint32_t number, std::span<const ir::Value> operands);
  std::optional<int64_t> first_check_cell(uint32_t array) const;
  bool has_quick_check(ir::Value v) const;
  void emit_quick_check(ir::Value v, const std::function<void()>& tell);
  llvm::Value* check_word(llvm::Type* type, int64_t offset, std::optional<int64_t> inner = {});
  void find_settled(ir::Value v, std::set<uint32_t>& arrays) const;
  llvm::Value* all_are_set(std::span<const ir::Value> members);
  bool has_settled_reads(uint32_t array) const;
  void emit_ballot(ir::Value v);

  // emit_chosen.cpp: elements of one array or another.
  struct ChosenKind {
    bool is_store, of_array;
    DType type;
    friend bool operator==(const ChosenKind&, const ChosenKind&) = default;
  };
  struct ChosenElement {
    llvm::Value* base = nullptr;
    std::vector<llvm::Value*> indices{}, strides{};
    Parts stored{};
    bool is_parallel = false;  // lanes access different elements
  };
  std::optional<ChosenKind> chosen_kind(ir::Value v) const;
  ChosenElement chosen_element(const ir::Region& side);
  ChosenElement choose_element(ir::Value branch);
  llvm::Value* address_of(const ChosenElement& element);
  bool emit_chosen(ir::Value v);

  // emit_called.cpp: functions of the kernel's.
  void emit_functions();
  llvm::Function* declare_called(const ir::FunctionDecl& declared);
  void emit_called(llvm::Function* function);
  void emit_function_call(ir::Value v);
  llvm::Value* array_start(uint32_t array);

  // emit_lines.cpp
  void emit_line(ir::Value mark);
  // emit_foreign.cpp
  void emit_address(ir::Value v);
  void emit_foreign_call(ir::Value v);

  // emit_stream.cpp
  struct Stream {
    ir::Value store;
    llvm::Value* strip;  // the values of a strip of lanes
    bool always;         // always non-temporal; else staged only where shares_memory()
  };
  void find_streams(const Schedule& schedule);
  bool can_stage(ir::Value store) const;
  Stream* stream_of(ir::Value store);
  void emit_staged_store(Stream& stream);
  llvm::Value* destination(const Stream& stream, llvm::Value* lane);
  void flush_streams();
  void fence_streams();

  // emit_atomic.cpp, emit_check.cpp
  void emit_atomic(ir::Value v);
  bool is_zero(ir::Value v) const;
  llvm::Value* emit_float_extreme(ir::AtomicKind kind, llvm::Value* address, llvm::Value* x);
  void emit_check(ir::Value v);
  void open_flags();
  void close_flags();
  bool has_many_flags() const;
  bool raises_events(ir::RegionId region) const;
  void raise_inside(const std::function<void()>& inside);
  void clear_flag(llvm::Value* events);

  // emit_watch.cpp: loops that only detect that an event may have happened.
  bool can_watch() const;
  bool may_replace_operand(uint32_t result) const;
  void call_interpreter();
  void emit_watched(const Schedule& schedule);
  void open_watch(std::span<const ir::Value> members);
  llvm::Value* close_watch();
  void close_device_watch(llvm::Value* lane);
  void watch(llvm::Value* result);
  void watch_exponent(llvm::Value* result);
  llvm::Value* shares_memory();

  const ir::Kernel& kernel_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  MathLibrary& math_;
  Machine machine_;
  DeviceMapping mapping_;
  bool is_callable_ = false;  // a device function, whose parameters and results are on the stack
  std::unordered_set<llvm::Value*> positive_steps_;
  llvm::Value* leader_ = nullptr;               // where several threads compute one lane: whether this thread stores it
  bool rolls_loops_ = false;                    // loops are not unrolled, which keeps the code short
  llvm::DICompileUnit* unit_ = nullptr;         // of the lines of a kernel that has marks
  bool in_epilogue_ = false;                    // the code runs in one block, after the other blocks of its launch
  std::unordered_map<ir::Value, Parts> given_;  // values of loads that were made earlier
  // On a device: reductions of real parts, mapped to those of the imaginary parts that are computed with them.
  std::map<ir::Value, ir::Value> complex_reductions_;
  bool reads_whole_ = false;        // complex operands are aligned so that one access reads both parts
  bool in_team_reduction_ = false;  // each thread of the team computes a different element
  int64_t known_alignment_ = 0;     // in bytes, of the element being accessed; 0: those of its part
  Dependence dependence_;
  Builder b_;
  llvm::Function* function_ = nullptr;
  llvm::Type* word_;  // i64

  std::vector<Parts> values_;
  std::unordered_map<ir::Value, std::vector<Parts>> results_;
  std::vector<llvm::Value*> axis_index_;
  std::vector<llvm::Instruction*> hoist_points_;  // by level, up to that of the row
  llvm::Instruction* row_point_ = nullptr;        // before the lane loop being written
  bool in_lane_ = false;
  std::unordered_map<uint64_t, llvm::Value*> argument_words_;
  std::map<std::pair<int64_t, int64_t>, llvm::Value*> check_words_;
  llvm::Value* all_are_set_ = nullptr;

  // In lane loops over a reduction's elements: the region argument that the lanes stand for.
  ir::Value element_index_ = ir::no_value;
  bool walks_beside_lanes_ = false;  // the code being written is outside lane loops and computes a single value
  llvm::Value* call_pointers_ = nullptr;
  llvm::Value* call_strides_ = nullptr;
  llvm::Value* lane_index_ = nullptr;
  llvm::Value* strip_begin_ = nullptr;
  llvm::Value* strip_end_ = nullptr;
  llvm::Value* strip_size_ = nullptr;  // lanes a slot can hold
  std::vector<Parts> slots_;
  const Schedule* schedule_ = nullptr;  // of the lanes being written
  std::vector<llvm::Value*> arrays_;
  std::vector<llvm::Function*> called_;  // by number of the kernel's functions
  bool is_called_ = false;               // the code is one of them
  llvm::Value* dynamic_ = nullptr;       // the block's dynamic shared memory
  bool uses_heap_ = false;               // for what the lanes of a block keep
  int64_t heap_arrays_ = 0;
  std::vector<llvm::Value*> flags_;
  std::vector<Stream> streams_;
  struct Watch {
    // NaN once a watched float32 (float64) was infinite or NaN; on a device the upper word of the largest magnitude.
    llvm::Value* singles;
    llvm::Value* doubles;
    llvm::Value* others;  // not 0 once a check of another kind saw an event
    std::unordered_set<ir::Value> implied;
  };
  Watch watch_;
  bool is_watching_ = false;
  std::vector<Noted> noted_;  // the checks of the fast-compile variant, evaluated later
  bool watches_ = false;      // on a device: lanes only detect events, and are recomputed when one was detected
  llvm::Value* group_first_ = nullptr;  // the first lane of the group being written
  bool is_quiet_ = false;               // no check can find an event
  std::unordered_map<ir::Value, Reciprocal> reciprocals_;
  llvm::Value* shares_memory_ = nullptr;
  llvm::MDNode* access_group_ = nullptr;
  int loops_apart_ = 0;  // around the code being written: loops whose iterations no memory connects
  std::vector<llvm::MDNode*> own_scope_;
  std::vector<llvm::MDNode*> other_scopes_;
};

}  // namespace tessera::codegen
