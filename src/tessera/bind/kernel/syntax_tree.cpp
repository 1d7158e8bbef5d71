#include "tessera/bind/kernel/syntax_tree.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <string>
#include <unordered_map>

#include "tessera/bind/kernel/type_words.h"

namespace tessera::bind {

namespace nb = nanobind;

using kernel::Node;
using kernel::NodeKind;

namespace {

using Spellings = std::unordered_map<std::string, std::string>;

std::string class_of(nb::handle object) { return nb::cast<std::string>(object.type().attr("__name__")); }
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
std::string unsupported_name(const std::string& name) {
  static const Spellings words{
      {"SetComp", "a set comprehension"},
      {"DictComp", "a dict comprehension"},
      {"GeneratorExp", "a generator expression"},
      {"Dict", "a dict"},
      {"Set", "a set"},
      {"TryStar", "except*"},
      {"Global", "global"},
      {"Import", "import"},
      {"ImportFrom", "import"},
      {"ClassDef", "a class"},
      {"Yield", "yield"},
  };
  const auto found = words.find(name);
  return found == words.end() ? name : found->second;
}

kernel::Place place_of(nb::handle node) {
  return {nb::cast<int>(node.attr("lineno")), nb::cast<int>(node.attr("col_offset")),
          nb::cast<int>(node.attr("end_lineno")), nb::cast<int>(node.attr("end_col_offset"))};
}

Node convert(nb::handle node);

void append(nb::handle list, std::vector<Node>& nodes) {
  for (nb::handle item : list) nodes.push_back(convert(item));
}

Node unsupported(Node node, const std::string& name) {
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
  if (PyBool_Check(object)) return number(node, Scalar::of_bool(object == Py_True));
  if (PyFloat_Check(object)) return number(node, Scalar::of_float(DType::float64, PyFloat_AS_DOUBLE(object)));
  if (PyComplex_Check(object)) {
    const Py_complex parts = PyComplex_AsCComplex(object);
    return number(node, Scalar::of_complex(DType::complex128, {parts.real, parts.imag}));
  }
  if (PyUnicode_Check(object)) {
    node.kind = NodeKind::text;
    node.name = text_of(value);
    return node;
  }
  if (!PyLong_Check(object)) return unsupported(node, class_of(value));
  int overflow = 0;
  const long long integer = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (!overflow) return number(node, Scalar::of_int(DType::int64, integer));
  const unsigned long long wide = PyLong_AsUnsignedLongLong(object);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return unsupported(node, "an integer beyond 64 bits");
  }
  return number(node, Scalar::of_uint(DType::uint64, wide));
}

Node convert_call(Node node, nb::handle call) {
  node.operands.push_back(convert(call.attr("func")));
  append(call.attr("args"), node.operands);
  for (nb::handle keyword : call.attr("keywords")) {
    if (keyword.attr("arg").is_none()) return unsupported(node, "unpacking by **");
    node.names.push_back(nb::cast<std::string>(keyword.attr("arg")));
    node.operands.push_back(convert(keyword.attr("value")));
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
  for (const char* field : fields) node.operands.push_back(convert(from.attr(field)));
}

Node convert_expression(Node node, NodeKind kind, nb::handle from) {
  node.kind = kind;
  switch (kind) {
    case NodeKind::name: node.name = text_of(from.attr("id")); return node;
    case NodeKind::constant: return convert_constant(node, from.attr("value"));
    case NodeKind::attribute:
      node.name = text_of(from.attr("attr"));
      append_fields(node, from, {"value"});
      return node;
    case NodeKind::starred: append_fields(node, from, {"value"}); return node;
    case NodeKind::subscript: append_fields(node, from, {"value", "slice"}); return node;
    case NodeKind::slice: return convert_slice(node, from);
    case NodeKind::tuple:
    case NodeKind::list: append(from.attr("elts"), node.operands); return node;
    case NodeKind::compare:
      append_fields(node, from, {"left"});
      append(from.attr("comparators"), node.operands);
      for (nb::handle op : from.attr("ops")) node.names.push_back(operators().at(class_of(op)));
      return node;
    case NodeKind::conditional: append_fields(node, from, {"test", "body", "orelse"}); return node;
    case NodeKind::call: return convert_call(node, from);
    case NodeKind::named: append_fields(node, from, {"target", "value"}); return node;
    default: break;
  }
  node.name = operators().at(class_of(from.attr("op")));
  if (kind == NodeKind::binary) append_fields(node, from, {"left", "right"});
  if (kind == NodeKind::unary) append_fields(node, from, {"operand"});
  if (kind == NodeKind::boolean) append(from.attr("values"), node.operands);
  return node;
}

void append_parameters(Node& node, nb::handle arguments) {
  const auto append_names = [&](const char* field) {
    for (nb::handle parameter : arguments.attr(field)) node.names.push_back(text_of(parameter.attr("arg")));
  };
  append_names("posonlyargs");
  append_names("args");
  if (const nb::object rest = arguments.attr("vararg"); !rest.is_none())
    node.names.push_back(text_of(rest.attr("arg")));
  append_names("kwonlyargs");
}

/// Default values by parameter, what takes further arguments, decorators; of the outermost function Python knows them.
void append_defaults(Node& node, nb::handle from) {
  const nb::object arguments = from.attr("args");
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
    for (nb::handle parameter : arguments.attr(field)) positional.push_back(nb::borrow(parameter));
  for (nb::handle parameter : arguments.attr("kwonlyargs")) named.push_back(nb::borrow(parameter));
  append_values(positional, arguments.attr("defaults"));
  append_values(named, arguments.attr("kw_defaults"));
  for (const char* rest : {"vararg", "kwarg"})
    if (const nb::object parameter = arguments.attr(rest); !parameter.is_none())
      node.operands.push_back({.kind = NodeKind::starred, .place = node.place, .name = text_of(parameter.attr("arg"))});
  if (nb::hasattr(from, "decorator_list")) append(from.attr("decorator_list"), node.operands);
}

// A function that returns the value.
Node convert_lambda(Node node, nb::handle from) {
  node.kind = NodeKind::function;
  node.name = "<lambda>";
  append_parameters(node, from.attr("args"));
  append_defaults(node, from);
  Node value{.kind = NodeKind::return_, .place = node.place};
  append_fields(value, from, {"body"});
  node.body.push_back(std::move(value));
  return node;
}

// The element, and of each loop its target, what it runs over and its conditions.
Node convert_comprehension(Node node, nb::handle from) {
  node.kind = NodeKind::comprehension;
  append_fields(node, from, {"elt"});
  for (nb::handle generator : from.attr("generators")) {
    Node loop{.kind = NodeKind::part, .place = node.place};
    append_fields(loop, generator, {"target", "iter"});
    append(generator.attr("ifs"), loop.operands);
    node.operands.push_back(std::move(loop));
  }
  return node;
}

Node convert_joined(Node node, nb::handle from) {
  node.kind = NodeKind::joined;
  for (nb::handle value : from.attr("values")) {
    if (class_of(value) != "FormattedValue") {
      node.operands.push_back(convert(value));
      continue;
    }
    constexpr int repr = 'r', ascii = 'a';
    const int conversion = nb::cast<int>(value.attr("conversion"));
    if (!value.attr("format_spec").is_none()) return unsupported(node, "an f-string with a format, such as {x:.2f},");
    if (conversion == ascii) return unsupported(node, "an f-string with !a");
    Node part{.kind = NodeKind::part, .place = node.place, .name = conversion == repr ? "repr" : "str"};
    append_fields(part, value, {"value"});
    node.operands.push_back(std::move(part));
  }
  return node;
}

Node convert_with(Node node, nb::handle from) {
  node.kind = NodeKind::with_;
  for (nb::handle item : from.attr("items")) {
    Node part{.kind = NodeKind::part, .place = node.place};
    append_fields(part, item, {"context_expr"});
    if (!item.attr("optional_vars").is_none()) append_fields(part, item, {"optional_vars"});
    node.operands.push_back(std::move(part));
  }
  append(from.attr("body"), node.body);
  return node;
}

Node convert_pattern(nb::handle from) {
  const std::string name = class_of(from);
  Node node{.kind = NodeKind::pattern, .place = place_of(from), .name = "other"};
  if (name == "MatchValue") {
    node.name = "value";
    append_fields(node, from, {"value"});
  } else if (name == "MatchSingleton" && from.attr("value").is_none()) {
    node.name = "value";
    node.operands.push_back({.kind = NodeKind::nothing, .place = node.place});
  } else if (name == "MatchAs") {
    node.name = "as";
    if (!from.attr("name").is_none()) node.names.push_back(text_of(from.attr("name")));
    if (!from.attr("pattern").is_none()) node.operands.push_back(convert_pattern(from.attr("pattern")));
  } else if (name == "MatchOr") {
    node.name = "or";
    for (nb::handle one : from.attr("patterns")) node.operands.push_back(convert_pattern(one));
  }
  return node;
}

Node convert_match(Node node, nb::handle from) {
  node.kind = NodeKind::match_;
  append_fields(node, from, {"subject"});
  for (nb::handle one : from.attr("cases")) {
    Node part{.kind = NodeKind::part, .place = node.place, .name = "case"};
    part.operands.push_back(convert_pattern(one.attr("pattern")));
    if (!one.attr("guard").is_none()) append_fields(part, one, {"guard"});
    append(one.attr("body"), part.body);
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
  add("try", from.attr("body"));
  for (nb::handle handler : from.attr("handlers")) {
    Node& part = add("except", handler.attr("body"));
    if (!handler.attr("type").is_none()) append_fields(part, handler, {"type"});
    if (!handler.attr("name").is_none()) part.names.push_back(text_of(handler.attr("name")));
  }
  const nb::list other(from.attr("orelse")), last(from.attr("finalbody"));
  if (nb::len(other) > 0) add("else", other);
  if (nb::len(last) > 0) add("finally", last);
  return node;
}

Node convert_statement(Node node, NodeKind kind, nb::handle from) {
  node.kind = kind;
  switch (kind) {
    case NodeKind::assign:
      append(from.attr("targets"), node.operands);
      append_fields(node, from, {"value"});
      return node;
    case NodeKind::augmented:
      node.name = operators().at(class_of(from.attr("op")));
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
      if (!from.attr("value").is_none()) append_fields(node, from, {"value"});
      return node;
    case NodeKind::assert_:
      append_fields(node, from, {"test"});
      if (!from.attr("msg").is_none()) append_fields(node, from, {"msg"});
      return node;
    case NodeKind::delete_: append(from.attr("targets"), node.operands); return node;
    case NodeKind::nonlocal_: node.names = nb::cast<std::vector<std::string>>(from.attr("names")); return node;
    case NodeKind::raise_:
      if (!from.attr("cause").is_none()) return unsupported(node, "raise ... from");
      if (!from.attr("exc").is_none()) append_fields(node, from, {"exc"});
      return node;
    case NodeKind::function:
      node.name = text_of(from.attr("name"));
      append_parameters(node, from.attr("args"));
      append_defaults(node, from);
      append(from.attr("body"), node.body);
      return node;
    default: return node;
  }
  append(from.attr("body"), node.body);
  append(from.attr("orelse"), node.other);
  return node;
}

const std::unordered_map<std::string, NodeKind>& kinds() {
  static const std::unordered_map<std::string, NodeKind> known{
      {"Name", NodeKind::name},           {"Constant", NodeKind::constant},
      {"Attribute", NodeKind::attribute}, {"Subscript", NodeKind::subscript},
      {"Slice", NodeKind::slice},         {"Tuple", NodeKind::tuple},
      {"List", NodeKind::list},           {"Starred", NodeKind::starred},
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
  const std::string name = class_of(from);
  Node node{.place = place_of(from)};
  if (name == "AnnAssign") {
    if (from.attr("value").is_none()) return node;
    node.kind = NodeKind::assign;
    append_fields(node, from, {"target", "value"});
    return node;
  }
  if (name == "Lambda") return convert_lambda(node, from);
  if (name == "ListComp") return convert_comprehension(node, from);
  if (name == "JoinedStr") return convert_joined(node, from);
  if (name == "Try") return convert_try(node, from);
  if (name == "With") return convert_with(node, from);
  if (name == "Match") return convert_match(node, from);
  const auto known = kinds().find(name);
  if (known == kinds().end()) return unsupported(node, name);
  const Node shape{.kind = known->second};
  return shape.is_statement() ? convert_statement(node, known->second, from)
                              : convert_expression(node, known->second, from);
}

}  // namespace

Node tree_of(nb::handle function) { return convert(function); }

}  // namespace tessera::bind
