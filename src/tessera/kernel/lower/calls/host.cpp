// Calls of functions of NumPy and others that the host runs.
#include "tessera/kernel/lower/calls/host.h"

#include <algorithm>
#include <sstream>

#include "tessera/kernel/builtins/builtins.h"
#include "tessera/kernel/host_routines.h"
#include "tessera/kernel/lower/calls/call.h"
#include "tessera/kernel/lower/calls/function.h"
#include "tessera/kernel/lower/expression.h"
#include "tessera/kernel/lower/lowering.h"
#include "tessera/kernel/values/array/array.h"
#include "tessera/kernel/values/array/element.h"
#include "tessera/kernel/values/array/index.h"
#include "tessera/kernel/values/array/whole.h"
#include "tessera/kernel/values/date/date.h"
#include "tessera/kernel/values/list/list.h"

namespace tessera::kernel {

HostCalls::HostCalls(Lowering& l) : l_(l), b(l.b) {}

void HostCalls::append_argument(const Node& node, const Item& item, bool is_changed, std::vector<ir::Value>& words) {
  const auto number = [&](int64_t value) { words.push_back(l_.constant(value).values[0]); };
  const auto kind = [&](HostArgument argument) { number(static_cast<int64_t>(argument)); };
  if (item.type->kind == TypeKind::none) return kind(HostArgument::none);
  if (item.type.is_entity(EntityKind::dtype)) {
    kind(HostArgument::dtype);
    return number(dtype_word(item.type->entity.value.dtype, item.type->entity.unit));
  }
  if (item.type.is_entity(EntityKind::text)) {
    kind(HostArgument::text);
    return number(intern_text(item.type->entity.name));
  }
  if (item.type.is_entity(EntityKind::ellipsis)) return kind(HostArgument::ellipsis);
  if (item.type->kind == TypeKind::slice) {
    kind(HostArgument::slice);
    for (size_t k = 0; k < 3; ++k) append_argument(node, element(item, k), false, words);
    return;
  }
  if (item.type->kind == TypeKind::tuple) {
    kind(item.type->is_list ? HostArgument::list : HostArgument::tuple);
    number(static_cast<int64_t>(item.type->elements.size()));
    for (size_t k = 0; k < item.type->elements.size(); ++k) append_argument(node, element(item, k), false, words);
    return;
  }
  if (item.type->unit) {
    kind(HostArgument::dated);
    number(item.type->unit);
  }
  if (item.type.is_scalar()) {
    kind(HostArgument::scalar);
    number(static_cast<int64_t>(item.type->dtype));
    const auto word = [&](ir::Value part) {
      return is_floating(b.type(part)) ? b.bitcast(b.cast(part, DType::float64), DType::int64)
                                       : b.cast(part, DType::int64);
    };
    words.push_back(word(b.real(item.values[0])));
    words.push_back(is_complex(item.type->dtype) ? word(b.imag(item.values[0])) : l_.constant(0).values[0]);
    return;
  }
  if (item.type->kind == TypeKind::list) return append_argument(node, array_of_list(l_, node, item), is_changed, words);
  if (!item.type.is_array_like())
    l_.fail(node, format("{} as an argument of a function of NumPy", describe(item.type)),
            "numbers, arrays and tuples");
  ArrayView view = view_of(l_, l_.in_memory(node, item));
  if (view.bases.size() > 1) view = view_of(l_, copy_of(l_, node, item));
  const ArrayView::Base& base = view.bases[0];
  kind(is_changed ? HostArgument::changed : HostArgument::array);
  number(l_.memory.number_of(base.array));
  number(static_cast<int64_t>(base.begins.size()));
  words.insert(words.end(), base.begins.begin(), base.begins.end());
  number(static_cast<int64_t>(view.axes.size()));
  for (size_t k = 0; k < view.axes.size(); ++k) {
    number(base.kept[k]);
    words.push_back(view.axes[k].step);
    words.push_back(view.axes[k].extent);
  }
}

/// Kernels have no host, and iterations of parallel loops run without Python's lock.
bool HostCalls::is_refused() const {
  return !l_.options.is_function || (l_.options.is_parallel && l_.parallel.depth() > 0);
}

/// What the library's function gives that does the same as a routine of the host; nothing where there is none that has
/// such parameters.
std::optional<Item> HostCalls::call_library_in_place(const Node& node, const std::string& routine,
                                                     const std::vector<Item>& arguments,
                                                     const std::vector<std::string>& names) {
  const std::shared_ptr<const Function> function = routine.empty() ? nullptr : find_library(l_, routine);
  if (!function) return {};
  const std::vector<std::string>& parameters = function->tree.names;
  const size_t positional = arguments.size() - names.size();
  const bool takes_more = function->rest >= 0;
  if (positional > parameters.size() && !takes_more) return {};
  const auto given = [&](size_t k) {
    const Item item = l_.in_memory(node, arguments[k]);
    Type one = item.type;
    while (one->kind == TypeKind::list) one = l_.lists.resolved(one)->elements[0];
    const bool is_of_numbers = item.type->kind == TypeKind::list && one.is_scalar();
    return is_of_numbers ? l_.in_memory(node, array_of_list(l_, node, item)) : item;
  };
  std::vector<Item> placed;
  for (size_t k = 0; k < parameters.size(); ++k) {
    const auto named = std::ranges::find(names, parameters[k]);
    const auto value = function->defaults.find(parameters[k]);
    if (takes_more && k == static_cast<size_t>(function->rest)) {
      std::vector<Item> rest;
      for (size_t n = k; n < positional; ++n) rest.push_back(given(n));
      placed.push_back(tuple_of(rest));
    } else if (k < positional)
      placed.push_back(given(k));
    else if (named != names.end())
      placed.push_back(given(positional + static_cast<size_t>(named - names.begin())));
    else if (value != function->defaults.end())
      placed.push_back(item_of(l_, value->second, node));
    else
      return {};
  }
  const auto is_known = [&](const std::string& name) {
    return std::ranges::find(parameters, name) != parameters.end();
  };
  if (!std::ranges::all_of(names, is_known)) return {};
  return call_function(l_, node, *function, placed);
}

std::optional<Item> HostCalls::draw_array(const Call& call, const HostRoutine& routine) {
  if (!l_.options.is_function) return {};
  const std::string name(routine.name);
  std::vector<Item> arguments;
  std::vector<std::string> names;
  std::istringstream parameters{std::string(routine.parameters)};
  const bool takes_any = routine.parameters == "*";
  for (const Item& argument : call.args) {
    std::string parameter;
    parameters >> parameter;
    if (parameter.ends_with('=')) parameter.pop_back();
    if (argument.type->kind == TypeKind::none) continue;
    arguments.push_back(argument);
    if (!takes_any) names.push_back(parameter);
  }
  if (!is_refused() && !l_.environment.computes_alike(name, host_types(call.node, arguments), names)) return {};
  return call_library_in_place(call.node, name, arguments, names);
}

void HostCalls::check_host_call(const Node& node, std::string_view name) {
  if (!l_.options.is_function)
    l_.refuse(node, format("{} in a kernel or a ufunc", name), "a function with @jit, or the call outside");
  if (is_refused()) l_.refuse(node, format("{} in prange", name), "range, or the call outside of the loop");
}

/// Calls the function, whose arguments, their number before them and their names behind, are these words.
std::vector<Item> HostCalls::host_results(const Node& node, int64_t function, std::span<const Type> results,
                                          std::span<const HostLayout> layouts, std::span<const Item> given,
                                          std::vector<ir::Value> arguments) {
  // Of a call in a function of the library's the line is that where the user's calls it.
  const Frame* frame = l_.frame;
  int line = node.place.line;
  for (; frame->caller && frame->function.file.find("numpy_library") != std::string::npos; frame = frame->caller)
    if (frame->caller->statement) line = frame->caller->statement->place.line;
  std::vector<ir::Value> words{l_.constant(function).values[0], l_.constant(static_cast<int64_t>(line)).values[0],
                               l_.constant(intern_text(frame->function.file)).values[0],
                               l_.constant(static_cast<int64_t>(results.size())).values[0]};
  for (size_t k = 0; k < results.size(); ++k) {
    words.push_back(l_.constant(dtype_word(results[k]->dtype, results[k]->unit)).values[0]);
    words.push_back(l_.constant(layouts[k].is_free ? -results[k]->axes : results[k]->axes).values[0]);
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  // Handlers around it get what the function raises, those around calls of one that calls itself, too; else it ends the
  // call.
  bool is_in_try = l_.called.is_inside();
  for (const Frame* frame = l_.frame; frame; frame = frame->caller) is_in_try |= frame->tries > 0;
  if (is_in_try) {
    const ir::Value raised = call_host(l_, HostFunction::call_numpy_caught, words);
    l_.failures.raise_if(*l_.frame->statement, b.ne(raised, l_.constant(0).values[0]), ExceptionNumber::host, "");
  } else {
    call_host(l_, HostFunction::call_numpy, words);
  }
  int64_t read = 0;
  const std::function<ir::Value(bool)> next = [&](bool is_shared) {
    const std::vector<ir::Value> at{l_.constant(read++).values[0]};
    const HostFunction word = is_shared ? HostFunction::shared_word : HostFunction::result_word;
    return b.call_host(static_cast<uint32_t>(word), at);
  };
  std::vector<Item> items;
  for (size_t k = 0; k < results.size(); ++k) {
    const Type& type = results[k];
    if (type->axes == 0) {
      const ir::Value first = next(false), second = next(false);
      const auto part = [&](ir::Value word, DType to) {
        return b.cast(is_floating(to) ? b.bitcast(word, DType::float64) : word, to);
      };
      const DType real = type->dtype == DType::complex64    ? DType::float32
                         : type->dtype == DType::complex128 ? DType::float64
                                                            : type->dtype;
      const ir::Value value =
          is_complex(type->dtype) ? b.make_complex(part(first, real), part(second, real)) : part(first, type->dtype);
      items.push_back(type->unit ? Item{dated(type->unit), {value}} : l_.scalar(value));
      continue;
    }
    items.push_back(with_unit(array_result(type, layouts[k], given, next), type->unit));
  }
  return items;
}

/// An array that a call has returned: where it begins, its extents and, where they are its own, its steps.
Item HostCalls::array_result(const Type& type, const HostLayout& layout, std::span<const Item> given,
                             const std::function<ir::Value(bool)>& next) {
  typed::Heap heap{type->dtype};
  if (layout.shares >= 0 && given[static_cast<size_t>(layout.shares)].type.is_array()) {
    const ArrayView from = view_of(l_, given[static_cast<size_t>(layout.shares)]);
    if (from.bases.size() == 1) heap.argument = l_.memory.argument_of(from.bases[0].array);
  }
  const ir::Value begin = next(layout.shares >= 0);
  std::vector<ir::Value> extents, steps;
  for (int axis = 0; axis < type->axes; ++axis) {
    extents.push_back(next(false));
    l_.facts.set_lower_bound(extents.back(), 0);
  }
  if (!layout.is_free) return own_array(l_, type->dtype, begin, extents);
  for (int axis = 0; axis < type->axes; ++axis) steps.push_back(next(false));
  return own_array(l_, heap, begin, extents, steps);
}

Item HostCalls::call_numpy(const Call& call, size_t routine, const std::vector<Type>& results) {
  check_host_call(call.node, host_routines()[routine].name);
  std::vector<ir::Value> words{l_.constant(static_cast<int64_t>(call.args.size())).values[0]};
  for (const Item& item : call.args) {
    if (item.type->kind == TypeKind::none)
      words.push_back(l_.constant(static_cast<int64_t>(HostArgument::left_out)).values[0]);
    else
      append_argument(call.node, item, false, words);
  }
  words.push_back(l_.constant(0).values[0]);
  const std::vector<HostLayout> layouts(results.size());
  const std::vector<Item> items =
      host_results(call.node, static_cast<int64_t>(routine), results, layouts, call.args, std::move(words));
  return items.empty() ? Item{} : items.size() == 1 ? items[0] : tuple_of(items);
}

/// What a function of the host is told of an argument: its type, and the value of a constant.
Type HostCalls::host_type(const Node& node, const Item& item) {
  if (const Scalar* known = l_.constant_of(item); known && !item.type->unit)
    return Type::of_entity({.kind = EntityKind::constant, .value = *known});
  if (item.type->kind == TypeKind::none || item.type.is_scalar() || item.type.is_entity(EntityKind::text) ||
      item.type.is_entity(EntityKind::dtype))
    return item.type;
  if (item.type.is_array_like())
    return TypeParts{
        .kind = TypeKind::buffer, .dtype = item.type->dtype, .unit = item.type->unit, .axes = item.type->axes};
  if (item.type.is_entity(EntityKind::ellipsis)) return item.type;
  if (item.type->kind == TypeKind::list) {
    TypeParts array{.kind = TypeKind::buffer, .axes = 1};
    Type element = l_.lists.resolved(item.type)->elements[0];
    for (; element->kind == TypeKind::list; element = element->elements[0]) ++array.axes;
    array.dtype = element->dtype;
    if (element.is_array()) array.axes += element->axes;
    if (element->kind == TypeKind::tuple && !element->elements.empty()) {
      ++array.axes;
      array.dtype = element->elements[0]->dtype;
      for (const Type& one : element->elements) array.dtype = promote(array.dtype, one->dtype);
    }
    return array;
  }
  if (item.type->kind != TypeKind::tuple && item.type->kind != TypeKind::slice)
    l_.fail(node, format("{} as an argument of a function of the host", describe(item.type)),
            "numbers, arrays and tuples");
  TypeParts tuple{.kind = item.type->kind, .is_list = item.type->is_list};
  for (size_t k = 0; k < item.type->elements.size(); ++k) tuple.elements.push_back(host_type(node, element(item, k)));
  return tuple;
}

std::vector<Type> HostCalls::host_types(const Node& node, const std::vector<Item>& items) {
  std::vector<Type> types;
  for (const Item& item : items) types.push_back(host_type(node, item));
  return types;
}

Item HostCalls::call_object(const Node& node, const std::shared_ptr<const HostObject>& object, std::string_view name,
                            const std::vector<Item>& first) {
  std::vector<Item> arguments = first;
  for (Item& item : lower_positional(l_, node)) arguments.push_back(std::move(item));
  for (size_t k = node.names.size(); k > 0; --k) arguments.push_back(l_.lower(node.operands[node.operands.size() - k]));
  return call_object(node, object, name, arguments, node.names);
}

Item HostCalls::call_object(const Node& node, const std::shared_ptr<const HostObject>& object, std::string_view name,
                            const std::vector<Item>& arguments, const std::vector<std::string>& names) {
  const std::string routine = object->library_name();
  std::vector<Type> types;
  if (!is_refused()) types = host_types(node, arguments);
  if (is_refused() || (!routine.empty() && l_.environment.computes_alike(routine, types, names)))
    if (const std::optional<Item> made = call_library_in_place(node, routine, arguments, names)) return *made;
  check_host_call(node, name);
  HostResults found;
  try {
    found = object->results(types, names);
  } catch (const TypeError& error) {
    l_.fault({Fault::host, l_.message(node, format("{}: {}", name, error.what()), "")});
  }
  if (found.known) return {dated(found.types.at(0)->unit), {l_.number(*found.known)}};
  const auto is_changed = [&](size_t k) { return std::ranges::find(found.written, k) != found.written.end(); };
  std::vector<ir::Value> words{l_.constant(static_cast<int64_t>(arguments.size())).values[0]};
  // Lists become arrays by functions in Python: calls of them at different nodes have variables of their own.
  const size_t written = node.kind == NodeKind::call ? node.operands.size() - 1 : 0;
  for (size_t k = 0; k < arguments.size(); ++k) {
    const bool is_written = k + written >= arguments.size() && written <= arguments.size();
    const Node& at = is_written ? node.operands[k + 1 + written - arguments.size()] : node;
    append_argument(at, arguments[k], is_changed(k), words);
  }
  words.push_back(l_.constant(static_cast<int64_t>(names.size())).values[0]);
  for (const std::string& named : names) words.push_back(l_.constant(intern_text(named)).values[0]);
  std::vector<Type> results = found.types;
  for (size_t k : found.written) results.push_back(types[k]);
  found.layouts.resize(results.size());
  host_objects_.push_back(object);
  std::vector<Item> items = host_results(node, -static_cast<int64_t>(host_objects_.size()), results, found.layouts,
                                         arguments, std::move(words));
  for (size_t n = 0; n < found.written.size(); ++n) {
    const Item& changed = arguments[found.written[n]];
    if (!changed.type.is_array()) l_.fail(node, format("{} changes what is in no memory", name), "an array");
    store(l_, node, view_of(l_, changed), items[found.types.size() + n]);
  }
  items.resize(found.types.size());
  for (size_t k = 0; k < items.size(); ++k)  // what was written into is what is returned
    if (found.layouts[k].shares >= 0 && is_changed(static_cast<size_t>(found.layouts[k].shares)))
      items[k] = arguments[static_cast<size_t>(found.layouts[k].shares)];
  if (!found.is_tuple) return items.empty() ? Item{} : items[0];
  return tuple_of(items, found.names);
}

ir::Value call_host(Lowering& l, HostFunction function, const std::vector<ir::Value>& operands) {
  return l.b.call_host(static_cast<uint32_t>(function), operands);
}

void HostCalls::begin() {
  for (const auto& [function, which] : l_.known->random_sources)
    random_sources_[{function, which}] = call_host(l_, function, {l_.number(static_cast<int64_t>(which))});
  for (const auto& [buffer, word] : l_.known->array_words)
    array_words_[{buffer, word}] = call_host(l_, HostFunction::array_word, {l_.number(buffer), l_.number(word)});
}

ir::Value HostCalls::array_word(int64_t buffer, int64_t word) {
  const std::pair key{buffer, word};
  const auto found = array_words_.find(key);
  if (found != array_words_.end() && !l_.called.is_inside()) return found->second;
  if (l_.known.infers() && !l_.known->array_words.contains(key)) l_.known.add().array_words.insert(key);
  return call_host(l_, HostFunction::array_word, {l_.number(buffer), l_.number(word)});
}

ir::Value HostCalls::draw(TwisterOwner owner, HostFunction draws) {
  const bool is_normal = draws == HostFunction::next_random;
  const HostFunction source = owner == TwisterOwner::python ? HostFunction::python_source
                              : is_normal                   ? HostFunction::normal_source
                                                            : HostFunction::random_source;
  const RandomSource first = is_normal ? RandomSource::normal : RandomSource::words,
                     second = is_normal ? RandomSource::argument : RandomSource::place;
  std::vector<ir::Value> words;
  for (const RandomSource which : {first, second}) {
    const std::pair key{source, which};
    if (!l_.known->random_sources.contains(key)) l_.known.change().random_sources.insert(key);
    const auto found = random_sources_.find(key);
    // Values of the kernel's begin are not in functions that call themselves.
    const bool is_known = found != random_sources_.end() && !l_.called.is_inside();
    words.push_back(is_known ? found->second : call_host(l_, source, {l_.number(static_cast<int64_t>(which))}));
  }
  if (!is_normal) words.push_back(l_.number(static_cast<int64_t>(owner)));
  return call_host(l_, draws, words);
}

}  // namespace tessera::kernel
