// Functions of NumPy that the host runs, and methods that are those.
#include <algorithm>
#include <optional>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/host_routines.h"
#include "tessera/kernel/values/array/linear_algebra.h"

namespace tessera::kernel {

namespace {

size_t number_of(std::string_view name) {
  const std::span<const HostRoutine> all = host_routines();
  return static_cast<size_t>(std::ranges::find(all, name, &HostRoutine::name) - all.begin());
}

/// The type of a routine's result for a call's arguments.
std::vector<Type> routine_results(const HostRoutine& routine, const Call& call) {
  if (routine.results.empty()) return {};
  const Type first = call.args.empty() ? Type{} : call.args[0].type;
  const auto dtype = [&] {
    switch (routine.results[0]) {
      case '=': return first->dtype;
      case 'i': return DType::int64;
      default: return DType::float64;
    }
  };
  const auto axes = [&]() -> int {
    switch (routine.results[1]) {
      case 'k': return static_cast<int>(call.args.size());
      case 's': {
        const Type& size = call.args.back().type;
        if (size->kind == TypeKind::none) return 0;
        return size->kind == TypeKind::tuple ? static_cast<int>(size->elements.size()) : 1;
      }
      default: return routine.results[1] - '0';
    }
  };
  return {TypeParts{.kind = TypeKind::buffer, .dtype = dtype(), .axes = axes()}};
}

/// Single random numbers: the draw, and what its two parameters are where they are left out.
struct SingleDraw {
  std::string_view name;
  HostDraw draw;
  int parameters;
  int64_t left_out[2];
};

constexpr SingleDraw single_draws[] = {
    {"numpy.random.random", HostDraw::uniform, 0, {0, 1}},
    {"numpy.random.random_sample", HostDraw::uniform, 0, {0, 1}},
    {"numpy.random.ranf", HostDraw::uniform, 0, {0, 1}},
    {"numpy.random.sample", HostDraw::uniform, 0, {0, 1}},
    {"numpy.random.rand", HostDraw::uniform, 0, {0, 1}},
    {"numpy.random.uniform", HostDraw::uniform, 2, {0, 1}},
    {"numpy.random.standard_exponential", HostDraw::exponential, 0, {1, 0}},
    {"numpy.random.exponential", HostDraw::exponential, 1, {1, 0}},
    {"numpy.random.randn", HostDraw::normal, 0, {0, 1}},
    {"numpy.random.standard_normal", HostDraw::normal, 0, {0, 1}},
    {"numpy.random.normal", HostDraw::normal, 2, {0, 1}},
};

/// The bits of a number of the running thread's own stream, in parallel loops.
ir::Value draw_apart(Lowering& l, HostDraw draw, ir::Value first, ir::Value second) {
  return call_host(l, HostFunction::draw_apart, {l.number(static_cast<int64_t>(draw)), first, second});
}

/// A number from 0 to 1 of one of the two streams, or a normal one.
template <TwisterOwner owner, bool is_normal>
Item lower_number(Lowering& l, const Builtin&, const Call&) {
  ir::Builder& b = l.b;
  const HostFunction draws = is_normal ? HostFunction::next_random : HostFunction::twister_number;
  const ir::Value one = b.bitcast(b.constant(DType::float64, 1), DType::int64);
  const ir::Value drawn = !l.host_calls.is_refused()
                              ? l.host_calls.draw(owner, draws)
                              : draw_apart(l, is_normal ? HostDraw::normal : HostDraw::uniform, l.number(0), one);
  return l.scalar(b.bitcast(drawn, DType::float64));
}

/// The next 32 bits of one of the two streams.
template <TwisterOwner owner>
Item lower_word(Lowering& l, const Builtin&, const Call&) {
  constexpr int64_t most = 0xffffffff;
  return l.scalar(!l.host_calls.is_refused() ? l.host_calls.draw(owner, HostFunction::twister_word)
                                             : draw_apart(l, HostDraw::integer, l.number(0), l.number(most)));
}

/// The call as a single draw, where it is one of numbers; integers are drawn by the library's function.
std::optional<Item> lower_draw(Lowering& l, const HostRoutine& routine, const Call& call) {
  const SingleDraw* draw = std::ranges::find(single_draws, routine.name, &SingleDraw::name);
  if (draw == std::end(single_draws) || !l.options.is_function) return {};
  ir::Builder& b = l.b;
  Item parameters[2];
  for (size_t k = 0; k < call.args.size(); ++k) {
    const Type& type = call.args[k].type;
    const bool is_parameter = static_cast<int>(k) < draw->parameters && type.is_scalar() && !is_complex(type->dtype);
    if (type->kind != TypeKind::none && !is_parameter) return {};
  }
  for (size_t k = 0; k < 2; ++k) {
    const bool is_given = static_cast<int>(k) < draw->parameters && call.args[k].type->kind != TypeKind::none;
    parameters[k] = is_given ? call.args[k] : l.constant(draw->left_out[k]);
  }
  const ir::Value first = l.cast(parameters[0], DType::float64), second = l.cast(parameters[1], DType::float64);
  const bool is_normal = draw->draw == HostDraw::normal, is_whole = draw->parameters == 0;
  if (draw->draw == HostDraw::exponential) {
    const std::vector<ir::Value> words{l.number(static_cast<int64_t>(draw->draw)), b.bitcast(first, DType::int64),
                                       l.number(0)};
    const HostFunction function = l.host_calls.is_refused() ? HostFunction::draw_apart : HostFunction::draw;
    return l.scalar(b.bitcast(call_host(l, function, words), DType::float64));
  }
  const Item next = is_normal ? lower_number<TwisterOwner::numpy, true>(l, {}, call)
                              : lower_number<TwisterOwner::numpy, false>(l, {}, call);
  if (is_whole) return next;
  return l.scalar(b.add(first, b.mul(is_normal ? second : b.sub(second, first), next.values[0])));
}

Item lower_routine(Lowering& l, const Builtin& self, const Call& call) {
  const HostRoutine& routine = host_routines()[number_of(self.name)];
  if (const std::optional<Item> drawn = lower_draw(l, routine, call)) return *drawn;
  if (const std::optional<Item> drawn = l.host_calls.draw_array(call, routine)) return *drawn;
  return l.host_calls.call_numpy(call, number_of(routine.name), routine_results(routine, call));
}

/// A number of a distribution, by its number and up to three parameters.
template <bool is_whole>
Item lower_distribution(Lowering& l, const Builtin&, const Call& call) {
  ir::Builder& b = l.b;
  std::vector<ir::Value> words{l.number(static_cast<int64_t>(HostDraw::distribution))};
  words.push_back(l.cast(call.args[0], DType::int64));
  for (size_t k = 1; k <= 3; ++k) {
    const Item value = call.given[k] ? call.args[k] : l.constant(0);
    words.push_back(b.bitcast(l.cast(value, DType::float64), DType::int64));
  }
  const HostFunction function = l.host_calls.is_refused() ? HostFunction::draw_apart : HostFunction::draw_normal;
  const ir::Value drawn = b.call_host(static_cast<uint32_t>(function), words);
  return l.scalar(is_whole ? drawn : b.bitcast(drawn, DType::float64));
}

/// Seeds NumPy's stream, or that of Python's module random.
template <bool is_numpys>
Item lower_seed(Lowering& l, const Builtin&, const Call& call) {
  if (l.host_calls.is_refused()) l.refuse(call.node, "a seed in prange, a kernel or a ufunc", "a seed before the loop");
  const int64_t what = is_numpys ? static_cast<int64_t>(HostDraw::seed) : static_cast<int64_t>(PythonDraw::seed);
  const HostFunction function = is_numpys ? HostFunction::draw_normal : HostFunction::draw_python;
  const std::vector<ir::Value> words{l.number(what), l.cast(call.args[0], DType::int64), l.number(0)};
  l.b.call_host(static_cast<uint32_t>(function), words);
  return {};
}

/// Whether the host's routines may be called here, which need no Python: not in kernels and ufuncs.
Item lower_has_routines(Lowering& l, const Builtin&, const Call&) {
  return l.scalar(l.b.constant(Scalar::of_bool(l.options.is_function)));
}

/// Whether functions of the host may be called here: not in iterations of parallel loops, kernels and ufuncs.
Item lower_has_host(Lowering& l, const Builtin&, const Call&) {
  return l.scalar(l.b.constant(Scalar::of_bool(!l.host_calls.is_refused())));
}

/// A routine of BLAS or LAPACK by its number, for arrays that the library's functions pass.
Item lower_linear_algebra(Lowering& l, const Builtin&, const Call& call) {
  const std::vector<Item> arrays(call.args.begin() + 1, call.args.end());
  const auto routine = static_cast<LinearAlgebra>(l.constant_of(call.args[0])->as_int());
  return l.scalar(call_linear_algebra(l, call.node, routine, arrays));
}

Item lower_thread_number(Lowering& l, const Builtin& self, const Call& call) {
  if (!l.options.is_function)
    l.refuse(call.node, format("{} in a kernel", self.name), "cuda.grid(1), or cuda.threadIdx.x");
  return l.scalar(l.b.call_host(static_cast<uint32_t>(HostFunction::thread_number), {}));
}

Item lower_get_threads(Lowering& l, const Builtin& self, const Call& call) {
  if (!l.options.is_function) l.refuse(call.node, format("{} in a kernel", self.name), "cuda.gridsize(1)");
  return l.parallel.thread_count();
}

Item lower_get_chunk_size(Lowering& l, const Builtin& self, const Call& call) {
  if (!l.options.is_function) l.refuse(call.node, format("{} in a kernel", self.name), "cuda.blockDim.x");
  return l.parallel.chunk_size();
}

Item lower_set_threads(Lowering& l, const Builtin& self, const Call& call) {
  if (!l.options.is_function) l.refuse(call.node, format("{} in a kernel", self.name), "the launch's shape");
  if (!call.args[0].type.is_scalar() || !is_integer(call.args[0].type->dtype))
    l.fail(call.node, format("{} of {}", self.name, describe(call.args[0].type)), "an integer");
  l.parallel.set_thread_count(call.node, l.cast(call.args[0], DType::int64));
  return {};
}

}  // namespace

void add_host_builtins(std::vector<Builtin>& table) {
  for (const HostRoutine& routine : host_routines()) table.push_back({routine.name, routine.parameters, lower_routine});
  table.push_back({"builtins.get_thread_id", "", lower_thread_number});
  table.push_back({"builtins.has_host", "", lower_has_host});
  table.push_back({"builtins.has_routines", "", lower_has_routines});
  table.push_back({"builtins.numpy_seed", "seed", lower_seed<true>});
  table.push_back({"builtins.python_seed", "seed", lower_seed<false>});
  table.push_back({"builtins.numpy_draw", "which a= b= c=", lower_distribution<false>});
  table.push_back({"builtins.numpy_draw_integer", "which a= b= c=", lower_distribution<true>});
  table.push_back({"builtins.numpy_word", "", lower_word<TwisterOwner::numpy>});
  table.push_back({"builtins.python_word", "", lower_word<TwisterOwner::python>});
  table.push_back({"builtins.python_uniform", "", lower_number<TwisterOwner::python, false>});
  table.push_back({"builtins.python_normal", "", lower_number<TwisterOwner::python, true>});
  table.push_back({"builtins.linear_algebra", "*", lower_linear_algebra});
  table.push_back({"builtins.get_num_threads", "", lower_get_threads});
  table.push_back({"builtins.get_parallel_chunksize", "", lower_get_chunk_size});
  table.push_back({"builtins.set_num_threads", "n", lower_set_threads});
}

}  // namespace tessera::kernel
