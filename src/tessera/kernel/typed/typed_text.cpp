#include "tessera/kernel/typed/typed_text.h"

#include <algorithm>

#include "tessera/base/format.h"
#include "tessera/kernel/typed/type_record.h"

namespace tessera::kernel {

namespace {

/// Writes statements as the source has them, and below each its expressions, operands below what they are operands of.
class Writer {
 public:
  Writer(const Function& function, const TypeRecord& types) : function_(function), types_(types) {}

  void write_statements(const std::vector<Node>& statements, int depth) {
    for (const Node& statement : statements) write_statement(statement, depth);
  }
  std::string take() { return std::move(text_); }

 private:
  void line(int depth, const std::string& text) {
    text_ += std::string(static_cast<size_t>(2 * depth), ' ') + text + "\n";
  }

  void write_statement(const Node& statement, int depth) {
    if (statement.kind == NodeKind::pass) return;
    line(depth, source_line(statement.place.line));
    if (statement.kind == NodeKind::function) return;
    for (const Node& operand : statement.operands) write_expression(operand, depth + 2);
    write_statements(statement.body, depth + 1);
    if (statement.other.empty()) return;
    line(depth, "else:");
    write_statements(statement.other, depth + 1);
  }

  /// Names and constants are what the variables and the text say.
  void write_expression(const Node& node, int depth) {
    if (node.kind == NodeKind::name || node.kind == NodeKind::constant || node.kind == NodeKind::text ||
        node.kind == NodeKind::nothing)
      return;
    if (dotted_name(node) && types_.describe(node).empty()) return;
    const std::string type = types_.describe(node);
    if (!type.empty()) line(depth, source_of(node.place) + ": " + type);
    if (node.kind == NodeKind::function) return;
    for (const Node& operand : node.operands) write_expression(operand, depth + !type.empty());
  }

  std::string source_line(int number) const {
    const int row = number - function_.first_line;
    if (row < 0 || row >= static_cast<int>(function_.lines.size())) return format("line {}", number);
    const std::string& all = function_.lines[static_cast<size_t>(row)];
    const size_t begin = all.find_first_not_of(" \t"), end = all.find_last_not_of(" \t\r\n");
    return begin == std::string::npos ? "" : all.substr(begin, end + 1 - begin);
  }

  std::string source_of(const Place& place) const {
    std::string text;
    for (int number = place.line; number <= place.end_line; ++number) {
      const int row = number - function_.first_line;
      if (row < 0 || row >= static_cast<int>(function_.lines.size())) return format("line {}", place.line);
      const std::string& all = function_.lines[static_cast<size_t>(row)];
      const auto width = static_cast<int>(all.size());
      const int begin = number == place.line ? std::min(place.column, width) : 0;
      const int end = number == place.end_line ? std::min(place.end_column, width) : width;
      std::string part = all.substr(static_cast<size_t>(begin), static_cast<size_t>(std::max(0, end - begin)));
      part.erase(0, std::min(part.find_first_not_of(" \t"), part.size()));
      text += (text.empty() ? "" : " ") + part;
    }
    return text;
  }

  const Function& function_;
  const TypeRecord& types_;
  std::string text_;
};

std::string header_of(const Function& function, const typed::Program& program) {
  const auto all = typed::variables_of(program);
  const auto is_parameter = [&](const auto& variable) {
    return std::ranges::find(function.tree.names, variable.first) != function.tree.names.end();
  };
  std::string parameters, variables;
  for (const std::string& name : function.tree.names)
    for (const auto& [variable, type] : all)
      if (variable == name) parameters += (parameters.empty() ? "" : ", ") + name + ": " + type;
  for (const auto& variable : all)
    if (!is_parameter(variable)) variables += format("  {}: {}\n", variable.first, variable.second);
  return format("{}({}) -> {}\n{}", function.name(), parameters, describe(program.result), variables);
}

}  // namespace

std::string print(const Function& function, const typed::Program& program) {
  Writer writer(function, program.expressions);
  writer.write_statements(function.tree.body, 1);
  return header_of(function, program) + writer.take();
}

}  // namespace tessera::kernel
