#include "tessera/bind/kernel/syntax_tree.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tessera/bind/kernel/type_words.h"

namespace tessera::bind {

namespace nb = nanobind;

using kernel::Node;
using kernel::NodeKind;

namespace {

using Spellings = std::unordered_map<std::string_view, std::string_view>;

std::string_view class_of(nb::handle object) {
  const std::string_view name = Py_TYPE(object.ptr())->tp_name;
  return name.substr(name.rfind('.') + 1);
}

/// An attribute. Names of attributes are made texts of Python's once, by the addresses of their literals.
nb::object field_of(nb::handle object, const char* name) {
  static std::unordered_map<const char*, PyObject*>& texts = *new std::unordered_map<const char*, PyObject*>;
  PyObject*& text = texts[name];
  if (!text) text = PyUnicode_InternFromString(name);
  PyObject* const found = text ? PyObject_GetAttr(object.ptr(), text) : nullptr;
  if (!found) throw ErrorAlreadySet();
  return nb::steal(found);
}

int number_of(nb::handle object, const char* name) {
  return static_cast<int>(PyLong_AsLong(field_of(object, name).ptr()));
}
std::string text_of(nb::handle object) { return utf8_of(nb::str(object).ptr()); }

const Spellings& operators() {
  static const Spellings words{
      {"Add", "+"},     {"Sub", "-"},     {"Mult", "*"},       {"Div", "/"},    {"FloorDiv", "//"},  {"Mod", "%"},
      {"Pow", "**"},    {"MatMult", "@"}, {"BitAnd", "&"},     {"BitOr", "|"},  {"BitXor", "^"},     {"LShift", "<<"},
      {"RShift", ">>"}, {"USub", "-"},    {"UAdd", "+"},       {"Invert", "~"}, {"Not", "not"},      {"And", "and"},
      {"Or", "or"},     {"Eq", "=="},     {"NotEq", "!="},     {"Lt", "<"},     {"LtE", "<="},       {"Gt", ">"},
      {"GtE", ">="},    {"Is", "is"},     {"IsNot", "is not"}, {"In", "in"},    {"NotIn", "not in"},
  };
  return words;
}

/// How a message calls what kernels have not.
std::string unsupported_name(std::string_view name) {
  static const Spellings words{
      {"TryStar", "except*"},
      {"Global", "global"},
      {"Import", "import"},
      {"ImportFrom", "import"},
      {"ClassDef", "a class"},
      {"Yield", "the value of yield"},
      {"YieldFrom", "the value of yield"},
  };
  const auto found = words.find(name);
  return std::string(found == words.end() ? name : found->second);
}

kernel::Place place_of(nb::handle node) {
  return {number_of(node, "lineno"), number_of(node, "col_offset"), number_of(node, "end_lineno"),
          number_of(node, "end_col_offset")};
}

Node convert(nb::handle node);

void append(nb::handle list, std::vector<Node>& nodes) {
  for (nb::handle item : list) nodes.push_back(convert(item));
}

Node unsupported(Node node, std::string_view name) {
  node.kind = NodeKind::unsupported;
  node.name = unsupported_name(name);
  node.operands.clear();
  return node;
}

Node number(Node node, const Scalar& value) {
  node.kind = NodeKind::constant;
  node.value = value;
  return node;
}

Node convert_constant(Node node, nb::handle value) {
  PyObject* object = value.ptr();
  if (value.is_none()) {
    node.kind = NodeKind::nothing;
    return node;
  }
  if (object == Py_Ellipsis) {
    node.kind = NodeKind::ellipsis;
    return node;
  }
  if (PyBool_Check(object)) return number(std::move(node), Scalar::of_bool(object == Py_True));
  if (PyFloat_Check(object))
    return number(std::move(node), Scalar::of_float(DType::float64, PyFloat_AS_DOUBLE(object)));
  if (PyComplex_Check(object)) {
    const Py_complex parts = PyComplex_AsCComplex(object);
    return number(std::move(node), Scalar::of_complex(DType::complex128, {parts.real, parts.imag}));
  }
  if (PyUnicode_Check(object)) {
    node.kind = NodeKind::text;
    node.name = text_of(value);
    return node;
  }
  if (PyBytes_Check(object)) {
    node.kind = NodeKind::bytes;
    node.name.assign(PyBytes_AS_STRING(object), static_cast<size_t>(PyBytes_GET_SIZE(object)));
    return node;
  }
  if (!PyLong_Check(object)) return unsupported(std::move(node), class_of(value));
  int overflow = 0;
  const long long integer = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (!overflow) return number(std::move(node), Scalar::of_int(DType::int64, integer));
  const unsigned long long wide = PyLong_AsUnsignedLongLong(object);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return unsupported(std::move(node), "an integer beyond 64 bits");
  }
  return number(std::move(node), Scalar::of_uint(DType::uint64, wide));
}

Node convert_call(Node node, nb::handle call) {
  node.operands.push_back(convert(field_of(call, "func")));
  append(field_of(call, "args"), node.operands);
  for (nb::handle keyword : field_of(call, "keywords")) {
    if (field_of(keyword, "arg").is_none()) return unsupported(std::move(node), "unpacking by **");
    node.names.push_back(nb::cast<std::string>(field_of(keyword, "arg")));
    node.operands.push_back(convert(field_of(keyword, "value")));
  }
  return node;
}

Node convert_slice(Node node, nb::handle slice) {
  for (const char* part : {"lower", "upper", "step"}) {
    const nb::object value = slice.attr(part);
    node.operands.push_back(value.is_none() ? Node{.kind = NodeKind::nothing, .place = node.place} : convert(value));
  }
  return node;
}

void append_fields(Node& node, nb::handle from, std::initializer_list<const char*> fields) {
  for (const char* field : fields) node.operands.push_back(convert(field_of(from, field)));
}

// Keys and values in turn.
Node convert_dict(Node node, nb::handle from) {
  const nb::object keys = field_of(from, "keys"), values = field_of(from, "values");
  for (size_t k = 0; k < nb::len(keys); ++k) {
    const nb::object key = keys[k];
    node.operands.push_back(key.is_none() ? Node{.kind = NodeKind::nothing, .place = node.place, .name = "**"}
                                          : convert(key));
    node.operands.push_back(convert(nb::object(values[k])));
  }
  return node;
}

Node convert_expression(Node node, NodeKind kind, nb::handle from) {
  node.kind = kind;
  switch (kind) {
    case NodeKind::name: node.name = text_of(field_of(from, "id")); return node;
    case NodeKind::constant: return convert_constant(std::move(node), field_of(from, "value"));
    case NodeKind::attribute:
      node.name = text_of(field_of(from, "attr"));
      append_fields(node, from, {"value"});
      return node;
    case NodeKind::starred: append_fields(node, from, {"value"}); return node;
    case NodeKind::subscript: append_fields(node, from, {"value", "slice"}); return node;
    case NodeKind::slice: return convert_slice(std::move(node), from);
    case NodeKind::dict: return convert_dict(std::move(node), from);
    case NodeKind::tuple:
    case NodeKind::set:
    case NodeKind::list: append(field_of(from, "elts"), node.operands); return node;
    case NodeKind::compare:
      append_fields(node, from, {"left"});
      append(field_of(from, "comparators"), node.operands);
      for (nb::handle op : field_of(from, "ops")) node.names.emplace_back(operators().at(class_of(op)));
      return node;
    case NodeKind::conditional: append_fields(node, from, {"test", "body", "orelse"}); return node;
    case NodeKind::call: return convert_call(std::move(node), from);
    case NodeKind::named: append_fields(node, from, {"target", "value"}); return node;
    default: break;
  }
  node.name = operators().at(class_of(field_of(from, "op")));
  if (kind == NodeKind::binary) append_fields(node, from, {"left", "right"});
  if (kind == NodeKind::unary) append_fields(node, from, {"operand"});
  if (kind == NodeKind::boolean) append(field_of(from, "values"), node.operands);
  return node;
}

void append_parameters(Node& node, nb::handle arguments) {
  const auto append_names = [&](const char* field) {
    for (nb::handle parameter : field_of(arguments, field)) node.names.push_back(text_of(field_of(parameter, "arg")));
  };
  append_names("posonlyargs");
  append_names("args");
  if (const nb::object rest = field_of(arguments, "vararg"); !rest.is_none())
    node.names.push_back(text_of(field_of(rest, "arg")));
  append_names("kwonlyargs");
}

/// Default values by parameter, what takes further arguments, decorators; of the outermost function Python knows them.
void append_defaults(Node& node, nb::handle from) {
  const nb::object arguments = field_of(from, "args");
  const auto append_values = [&](const std::vector<nb::object>& parameters, nb::handle values) {
    size_t k = parameters.size() - nb::len(values);
    for (nb::handle value : values) {
      const std::string name = text_of(parameters[k++].attr("arg"));
      if (!value.is_none())
        node.operands.push_back(
            {.kind = NodeKind::part, .place = node.place, .name = name, .operands = {convert(value)}});
    }
  };
  std::vector<nb::object> positional, named;
  for (const char* field : {"posonlyargs", "args"})
    for (nb::handle parameter : field_of(arguments, field)) positional.push_back(nb::borrow(parameter));
  for (nb::handle parameter : field_of(arguments, "kwonlyargs")) named.push_back(nb::borrow(parameter));
  append_values(positional, field_of(arguments, "defaults"));
  append_values(named, field_of(arguments, "kw_defaults"));
  for (const char* rest : {"vararg", "kwarg"})
    if (const nb::object parameter = field_of(arguments, rest); !parameter.is_none())
      node.operands.push_back(
          {.kind = NodeKind::starred, .place = node.place, .name = text_of(field_of(parameter, "arg"))});
  if (nb::hasattr(from, "decorator_list")) append(field_of(from, "decorator_list"), node.operands);
}

// A function that returns the value.
Node convert_lambda(Node node, nb::handle from) {
  node.kind = NodeKind::function;
  node.name = "<lambda>";
  append_parameters(node, field_of(from, "args"));
  append_defaults(node, from);
  Node value{.kind = NodeKind::return_, .place = node.place};
  append_fields(value, from, {"body"});
  node.body.push_back(std::move(value));
  return node;
}

// The element, and of each loop its target, what it runs over and its conditions.
Node convert_comprehension(Node node, std::string_view kind, nb::handle from) {
  node.kind = NodeKind::comprehension;
  node.name = kind;
  if (kind == "dict") {
    Node pair{.kind = NodeKind::tuple, .place = node.place};
    append_fields(pair, from, {"key", "value"});
    node.operands.push_back(std::move(pair));
  } else {
    append_fields(node, from, {"elt"});
  }
  for (nb::handle generator : field_of(from, "generators")) {
    Node loop{.kind = NodeKind::part, .place = node.place};
    append_fields(loop, generator, {"target", "iter"});
    append(field_of(generator, "ifs"), loop.operands);
    node.operands.push_back(std::move(loop));
  }
  return node;
}

Node convert_joined(Node node, nb::handle from) {
  node.kind = NodeKind::joined;
  for (nb::handle value : field_of(from, "values")) {
    if (class_of(value) != "FormattedValue") {
      node.operands.push_back(convert(value));
      continue;
    }
    constexpr int repr = 'r', ascii = 'a';
    const int conversion = nb::cast<int>(field_of(value, "conversion"));
    if (!field_of(value, "format_spec").is_none())
      return unsupported(std::move(node), "an f-string with a format, such as {x:.2f},");
    if (conversion == ascii) return unsupported(std::move(node), "an f-string with !a");
    Node part{.kind = NodeKind::part, .place = node.place, .name = conversion == repr ? "repr" : "str"};
    append_fields(part, value, {"value"});
    node.operands.push_back(std::move(part));
  }
  return node;
}

Node convert_with(Node node, nb::handle from) {
  node.kind = NodeKind::with_;
  for (nb::handle item : field_of(from, "items")) {
    Node part{.kind = NodeKind::part, .place = node.place};
    append_fields(part, item, {"context_expr"});
    if (!field_of(item, "optional_vars").is_none()) append_fields(part, item, {"optional_vars"});
    node.operands.push_back(std::move(part));
  }
  append(field_of(from, "body"), node.body);
  return node;
}

Node convert_pattern(nb::handle from) {
  const std::string_view name = class_of(from);
  Node node{.kind = NodeKind::pattern, .place = place_of(from), .name = "other"};
  if (name == "MatchValue") {
    node.name = "value";
    append_fields(node, from, {"value"});
  } else if (name == "MatchSingleton" && field_of(from, "value").is_none()) {
    node.name = "value";
    node.operands.push_back({.kind = NodeKind::nothing, .place = node.place});
  } else if (name == "MatchAs") {
    node.name = "as";
    if (!field_of(from, "name").is_none()) node.names.push_back(text_of(field_of(from, "name")));
    if (!field_of(from, "pattern").is_none()) node.operands.push_back(convert_pattern(field_of(from, "pattern")));
  } else if (name == "MatchOr") {
    node.name = "or";
    for (nb::handle one : field_of(from, "patterns")) node.operands.push_back(convert_pattern(one));
  }
  return node;
}

Node convert_match(Node node, nb::handle from) {
  node.kind = NodeKind::match_;
  append_fields(node, from, {"subject"});
  for (nb::handle one : field_of(from, "cases")) {
    Node part{.kind = NodeKind::part, .place = node.place, .name = "case"};
    part.operands.push_back(convert_pattern(field_of(one, "pattern")));
    if (!field_of(one, "guard").is_none()) append_fields(part, one, {"guard"});
    append(field_of(one, "body"), part.body);
    node.body.push_back(std::move(part));
  }
  return node;
}

Node convert_try(Node node, nb::handle from) {
  node.kind = NodeKind::try_;
  const auto add = [&](const char* name, nb::handle block) -> Node& {
    node.body.push_back({.kind = NodeKind::part, .place = node.place, .name = name});
    append(block, node.body.back().body);
    return node.body.back();
  };
  add("try", field_of(from, "body"));
  for (nb::handle handler : field_of(from, "handlers")) {
    Node& part = add("except", field_of(handler, "body"));
    if (!field_of(handler, "type").is_none()) append_fields(part, handler, {"type"});
    if (!field_of(handler, "name").is_none()) part.names.push_back(text_of(field_of(handler, "name")));
  }
  const nb::list other(field_of(from, "orelse")), last(field_of(from, "finalbody"));
  if (nb::len(other) > 0) add("else", other);
  if (nb::len(last) > 0) add("finally", last);
  return node;
}

/// A statement of its own; `yield from` is a loop.
Node convert_yield(Node node, nb::handle from) {
  Node yielded{.kind = NodeKind::yield_, .place = node.place};
  if (class_of(from) == "YieldFrom") {
    Node value{.kind = NodeKind::name, .place = node.place};
    value.name = "yielded#" + std::to_string(node.place.line) + ":" + std::to_string(node.place.column);
    node.kind = NodeKind::for_;
    node.operands.push_back(value);
    append_fields(node, from, {"value"});
    yielded.operands.push_back(std::move(value));
    node.body.push_back(std::move(yielded));
    return node;
  }
  if (!field_of(from, "value").is_none())
    append_fields(yielded, from, {"value"});
  else
    yielded.operands.push_back({.kind = NodeKind::nothing, .place = node.place});
  return yielded;
}

Node convert_statement(Node node, NodeKind kind, nb::handle from) {
  node.kind = kind;
  if (kind == NodeKind::expression) {
    const nb::object value = field_of(from, "value");
    if (class_of(value) == "Yield" || class_of(value) == "YieldFrom") return convert_yield(std::move(node), value);
  }
  switch (kind) {
    case NodeKind::assign:
      append(field_of(from, "targets"), node.operands);
      append_fields(node, from, {"value"});
      return node;
    case NodeKind::augmented:
      node.name = operators().at(class_of(field_of(from, "op")));
      append_fields(node, from, {"target", "value"});
      return node;
    case NodeKind::expression:
      append_fields(node, from, {"value"});
      if (node.operands[0].kind == NodeKind::text) node.kind = NodeKind::pass;  // a docstring
      return node;
    case NodeKind::if_:
    case NodeKind::while_: append_fields(node, from, {"test"}); break;
    case NodeKind::for_: append_fields(node, from, {"target", "iter"}); break;
    case NodeKind::return_:
      if (!field_of(from, "value").is_none()) append_fields(node, from, {"value"});
      return node;
    case NodeKind::assert_:
      append_fields(node, from, {"test"});
      if (!field_of(from, "msg").is_none()) append_fields(node, from, {"msg"});
      return node;
    case NodeKind::delete_: append(field_of(from, "targets"), node.operands); return node;
    case NodeKind::nonlocal_: node.names = nb::cast<std::vector<std::string>>(field_of(from, "names")); return node;
    case NodeKind::raise_:
      if (!field_of(from, "cause").is_none()) return unsupported(std::move(node), "raise ... from");
      if (!field_of(from, "exc").is_none()) append_fields(node, from, {"exc"});
      return node;
    case NodeKind::function:
      node.name = text_of(field_of(from, "name"));
      append_parameters(node, field_of(from, "args"));
      append_defaults(node, from);
      append(field_of(from, "body"), node.body);
      return node;
    default: return node;
  }
  append(field_of(from, "body"), node.body);
  append(field_of(from, "orelse"), node.other);
  return node;
}

const std::unordered_map<std::string_view, NodeKind>& kinds() {
  static const std::unordered_map<std::string_view, NodeKind> known{
      {"Name", NodeKind::name},           {"Constant", NodeKind::constant},
      {"Attribute", NodeKind::attribute}, {"Subscript", NodeKind::subscript},
      {"Slice", NodeKind::slice},         {"Tuple", NodeKind::tuple},
      {"List", NodeKind::list},           {"Starred", NodeKind::starred},
      {"Dict", NodeKind::dict},           {"Set", NodeKind::set},
      {"BinOp", NodeKind::binary},        {"UnaryOp", NodeKind::unary},
      {"Compare", NodeKind::compare},     {"BoolOp", NodeKind::boolean},
      {"IfExp", NodeKind::conditional},   {"Call", NodeKind::call},
      {"Assign", NodeKind::assign},       {"AugAssign", NodeKind::augmented},
      {"Expr", NodeKind::expression},     {"If", NodeKind::if_},
      {"While", NodeKind::while_},        {"For", NodeKind::for_},
      {"Break", NodeKind::break_},        {"Continue", NodeKind::continue_},
      {"Return", NodeKind::return_},      {"Raise", NodeKind::raise_},
      {"Pass", NodeKind::pass},           {"FunctionDef", NodeKind::function},
      {"NamedExpr", NodeKind::named},     {"Assert", NodeKind::assert_},
      {"Delete", NodeKind::delete_},      {"Nonlocal", NodeKind::nonlocal_},
  };
  return known;
}

Node convert(nb::handle from) {
  const std::string_view name = class_of(from);
  Node node{.place = place_of(from)};
  if (name == "AnnAssign") {
    if (field_of(from, "value").is_none()) return node;
    node.kind = NodeKind::assign;
    append_fields(node, from, {"target", "value"});
    return node;
  }
  if (name == "Lambda") return convert_lambda(std::move(node), from);
  if (name == "GeneratorExp") return convert_comprehension(std::move(node), "generator", from);
  if (name == "ListComp") return convert_comprehension(std::move(node), "list", from);
  if (name == "SetComp") return convert_comprehension(std::move(node), "set", from);
  if (name == "DictComp") return convert_comprehension(std::move(node), "dict", from);
  if (name == "JoinedStr") return convert_joined(std::move(node), from);
  if (name == "Try") return convert_try(std::move(node), from);
  if (name == "With") return convert_with(std::move(node), from);
  if (name == "Match") return convert_match(std::move(node), from);
  const auto known = kinds().find(name);
  if (known == kinds().end()) return unsupported(std::move(node), name);
  const Node shape{.kind = known->second};
  return shape.is_statement() ? convert_statement(std::move(node), known->second, from)
                              : convert_expression(std::move(node), known->second, from);
}

}  // namespace

Node tree_of(nb::handle function) { return convert(function); }

}  // namespace tessera::bind
