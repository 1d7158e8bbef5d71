#include "tessera/kernel/source/declarations.h"

#include <algorithm>
#include <charconv>
#include <functional>

namespace tessera::kernel {

namespace {

using TokenSpan = std::span<const Token>;

/// A decimal number with suffixes, or a product of some.
std::optional<int64_t> number_of(TokenSpan tokens) {
  int64_t product = 1;
  if (tokens.size() % 2 == 0) return std::nullopt;
  for (size_t k = 0; k < tokens.size(); ++k) {
    if (k % 2 == 1) {
      if (!tokens[k].is("*")) return std::nullopt;
      continue;
    }
    const std::string& text = tokens[k].text;
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view rest(end, static_cast<size_t>(text.data() + text.size() - end));
    if (tokens[k].kind != Token::Kind::number || error != std::errc() ||
        rest.find_first_not_of("uUlL") != std::string_view::npos)
      return std::nullopt;
    product *= number;
  }
  return product;
}

/// The names of `typename T, int N = 4, class... Rest`.
std::vector<std::string> template_names(const Tokens& list) {
  std::vector<std::string> names;
  for (const Tokens& parameter : split_at_commas(list)) {
    std::string name;
    for (const Token& token : parameter) {
      if (token.is("=")) break;
      if (token.kind == Token::Kind::name) name = token.text;
    }
    names.push_back(name);
  }
  return names;
}

bool can_end_type(const Token& token) {
  constexpr std::string_view words[] = {"unsigned", "signed", "int",  "long",  "short", "char",
                                        "float",    "double", "bool", "const", "void"};
  return std::ranges::any_of(words, [&](std::string_view word) { return token.is(word); });
}

DeclaredParameter parameter_of(Tokens tokens, const TypeNames& names) {
  const auto equal = std::ranges::find_if(tokens, [](const Token& token) { return token.is("="); });
  tokens.erase(equal, tokens.end());
  DeclaredParameter parameter;
  bool is_array = false;
  while (!tokens.empty() && tokens.back().is("]")) {
    const auto open = std::find_if(tokens.rbegin(), tokens.rend(), [](const Token& token) { return token.is("["); });
    if (open == tokens.rend()) break;
    tokens.erase(open.base() - 1, tokens.end());
    is_array = true;
  }
  // The last word is the name, unless it is all of the type.
  const bool has_type =
      std::ranges::any_of(tokens.begin(), tokens.end() - (tokens.empty() ? 0 : 1), [](const Token& t) {
        return t.kind == Token::Kind::name && !t.is("const") && !t.is("volatile") && !t.is("struct") &&
               !t.is("typename");
      });
  constexpr std::string_view restricts[] = {"__restrict__", "__restrict", "restrict"};
  const auto is_restrict = [&](const Token& t) {
    return std::ranges::any_of(restricts, [&](std::string_view word) { return t.is(word); });
  };
  if (has_type && tokens.back().kind == Token::Kind::name && !can_end_type(tokens.back()) &&
      !is_restrict(tokens.back()) && !(tokens.size() > 1 && tokens[tokens.size() - 2].is("::"))) {
    parameter.name = tokens.back().text;
    tokens.pop_back();
  }
  std::erase_if(tokens, is_restrict);
  if (is_array) tokens.push_back({Token::Kind::mark, "*", 0});
  parameter.type = read_type(tokens, names);
  return parameter;
}

}  // namespace

DeclaredSource::DeclaredSource(std::string_view text, std::span<const std::string> defines) {
  const Tokens tokens = tokens_of(text, defines);
  read(tokens);
}

void DeclaredSource::read(TokenSpan tokens) {
  std::optional<Tokens> pending;  // the parameters of a template whose declaration follows
  for (size_t k = 0; k < tokens.size();) {
    const Token& token = tokens[k];
    if (token.is("template") && k + 1 < tokens.size() && tokens[k + 1].is("<")) {
      const size_t end = after_closing(tokens, k + 1);
      pending.emplace(tokens.begin() + static_cast<ptrdiff_t>(k + 2), tokens.begin() + static_cast<ptrdiff_t>(end - 1));
      k = end;
    } else if (token.is("__global__")) {
      k = read_kernel(tokens, k, pending ? &*pending : nullptr);
      pending.reset();
    } else if (token.is("__constant__") || token.is("__device__")) {
      k = read_variable(tokens, k);
    } else if (token.is("typedef") || (token.is("using") && !pending)) {
      k = read_alias(tokens, k);
    } else {
      if (token.is(";") || token.is("{") || token.is("}")) pending.reset();
      ++k;
    }
  }
}

/// Reads from `__global__` to the end of the parameters.
size_t DeclaredSource::read_kernel(TokenSpan tokens, size_t at, const Tokens* parameters) {
  Kernel kernel;
  kernel.is_template = parameters != nullptr;
  if (parameters) kernel.template_parameters = template_names(*parameters);
  size_t k = at + 1;
  for (; k < tokens.size() && !tokens[k].is(";") && !tokens[k].is("{"); ++k) {
    if (!tokens[k].is("(") || k == 0) continue;
    const size_t end = after_closing(tokens, k);
    const Token& before = tokens[k - 1];
    const TokenSpan inside = tokens.subspan(k + 1, end - k - 2);
    const bool is_attribute = before.is("__launch_bounds__") || before.is("__attribute__") ||
                              before.is("__cluster_dims__") || before.is("__maxnreg__") || before.is("__block_size__");
    if (is_attribute) {
      if (before.is("__launch_bounds__")) kernel.bounds.assign(inside.begin(), inside.end());
      k = end - 1;
      continue;
    }
    if (before.kind != Token::Kind::name) return end;
    kernel.name = before.text;
    kernel.line = before.line;
    kernel.parameters = split_at_commas(inside);
    if (kernel.parameters.size() == 1 && text_of(kernel.parameters[0]) == "void") kernel.parameters.clear();
    kernels_.push_back(std::move(kernel));
    return end;
  }
  return k;
}

/// Reads `__constant__ float weights[8][4];`; functions are skipped.
size_t DeclaredSource::read_variable(TokenSpan tokens, size_t at) {
  DeclaredVariable variable;
  Tokens words;
  size_t k = at;
  for (; k < tokens.size(); ++k) {
    const Token& token = tokens[k];
    if (token.is("__global__")) return k;
    if (token.is("__constant__")) variable.is_constant = true;
    if (token.is("(") || token.is("{")) return words.empty() || token.is("(") ? k + 1 : k;
    if (token.is(";") || token.is("=") || token.is("[") || token.is("}")) break;
    if (token.is("<")) {
      const size_t end = after_closing(tokens, k);
      words.insert(words.end(), tokens.begin() + static_cast<ptrdiff_t>(k),
                   tokens.begin() + static_cast<ptrdiff_t>(end));
      k = end - 1;
      continue;
    }
    const bool is_storage = token.is("__constant__") || token.is("__device__") || token.is("__managed__") ||
                            token.is("static") || token.is("extern") || token.kind == Token::Kind::text;
    if (!is_storage) words.push_back(token);
  }
  while (k < tokens.size() && tokens[k].is("[")) {
    const size_t end = after_closing(tokens, k);
    variable.extents.push_back(number_of(tokens.subspan(k + 1, end - k - 2)).value_or(-1));
    k = end;
  }
  if (words.size() >= 2 && words.back().kind == Token::Kind::name && !words.back().is("operator")) {
    variable.name = words.back().text;
    words.pop_back();
    variable.type = read_type(words, names_);
    variables_.push_back(std::move(variable));
  }
  return k;
}

/// A name that stands for several types, in two scopes or branches of a condition, stands for none that is known.
void DeclaredSource::add_alias(const std::string& name, Tokens type) {
  const auto [known, is_new] = names_.emplace(name, type);
  if (!is_new && text_of(known->second) != text_of(type)) known->second = {{Token::Kind::name, "", 0}};
}

/// Reads `typedef float real;` and `using real = float;`; those of structs and functions are skipped.
size_t DeclaredSource::read_alias(TokenSpan tokens, size_t at) {
  const bool is_using = tokens[at].is("using");
  Tokens words;
  size_t k = at + 1;
  for (; k < tokens.size() && !tokens[k].is(";"); ++k) {
    if (tokens[k].is("{") || tokens[k].is("(")) return k;
    words.push_back(tokens[k]);
  }
  if (is_using && words.size() >= 3 && words[1].is("=")) {
    add_alias(words[0].text, Tokens(words.begin() + 2, words.end()));
  } else if (!is_using && words.size() >= 2 && words.back().kind == Token::Kind::name) {
    add_alias(words.back().text, Tokens(words.begin(), words.end() - 1));
  }
  return k;
}

std::optional<DeclaredKernel> DeclaredSource::find(std::string_view name) const {
  const Tokens tokens = tokens_of(name);
  std::vector<Tokens> arguments;
  std::string plain;
  for (size_t k = 0; k < tokens.size(); ++k) {
    if (tokens[k].is("<")) {
      const size_t end = after_closing(tokens, k);
      arguments = split_at_commas(std::span(tokens).subspan(k + 1, end - k - 2));
      break;
    }
    if (tokens[k].kind == Token::Kind::name) plain = tokens[k].text;
  }
  const Kernel* found = nullptr;
  for (const Kernel& kernel : kernels_) {
    if (kernel.name != plain) continue;
    if (found && !std::ranges::equal(found->parameters, kernel.parameters, std::equal_to<>(), text_of, text_of))
      return std::nullopt;
    found = &kernel;
  }
  if (!found) return std::nullopt;
  TypeNames names = names_;
  for (size_t k = 0; k < found->template_parameters.size(); ++k) {
    names.erase(found->template_parameters[k]);
    if (k < arguments.size()) names[found->template_parameters[k]] = arguments[k];
  }
  DeclaredKernel declared{.name = found->name, .line = found->line, .is_template = found->is_template};
  const std::vector<Tokens> bounds = split_at_commas(found->bounds);
  if (!bounds.empty()) declared.most_threads = number_of(bounds[0]);
  for (const Tokens& parameter : found->parameters) declared.parameters.push_back(parameter_of(parameter, names));
  return declared;
}

std::optional<DeclaredVariable> DeclaredSource::find_variable(std::string_view name) const {
  const auto found = std::ranges::find_if(variables_, [&](const auto& variable) { return variable.name == name; });
  return found == variables_.end() ? std::nullopt : std::optional(*found);
}

bool DeclaredSource::is_template(std::string_view kernel) const {
  return std::ranges::any_of(kernels_, [&](const Kernel& known) { return known.name == kernel && known.is_template; });
}

std::vector<std::string> DeclaredSource::variable_names() const {
  std::vector<std::string> names;
  for (const DeclaredVariable& variable : variables_) names.push_back(variable.name);
  return names;
}

std::vector<std::string> DeclaredSource::kernel_names() const {
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels_)
    if (std::ranges::find(names, kernel.name) == names.end()) names.push_back(kernel.name);
  return names;
}

}  // namespace tessera::kernel
