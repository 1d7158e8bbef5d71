#include "tessera/ops/signatures.h"

#include "tessera/base/error.h"

namespace tessera::ops {

namespace {

DType from_code(char code, DType half) {
  if (code == 'e') return half;
  auto dtype = dtype_from_code(code);
  invariant(dtype.has_value(), "no dtype has the code '{}'", code);
  return *dtype;
}

Signature parse_loop(std::string_view text, DType half) {
  Signature signature;
  auto arrow = text.find("->");
  invariant(arrow != text.npos, "'{}' is no loop", text);
  for (char code : text.substr(0, arrow)) signature.in.push_back(from_code(code, half));
  for (char code : text.substr(arrow + 2)) signature.out.push_back(from_code(code, half));
  return signature;
}

void append_loop(std::vector<Signature>& loops, std::string_view text) {
  loops.push_back(parse_loop(text, DType::float16));
  if (text.find('e') != text.npos) loops.push_back(parse_loop(text, DType::bfloat16));
}

}  // namespace

std::vector<Signature> uniform_loops(std::string_view codes, int nin, int nout) {
  std::vector<Signature> loops;
  for (char code : codes) append_loop(loops, std::string(nin, code) + "->" + std::string(nout, code));
  return loops;
}

std::vector<Signature> loops_to(DType result, std::string_view codes, int nin) {
  std::vector<Signature> loops = uniform_loops(codes, nin);
  for (Signature& loop : loops) loop.out[0] = result;
  return loops;
}

std::vector<Signature> parse_loops(std::string_view text) {
  std::vector<Signature> loops;
  while (!text.empty()) {
    auto end = std::min(text.find(' '), text.size());
    if (end > 0) append_loop(loops, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return loops;
}

std::string print(const Signature& signature) {
  auto code = [](DType t) { return t == DType::bfloat16 ? 'E' : info(t).code; };
  std::string text;
  for (DType t : signature.in) text += code(t);
  text += "->";
  for (DType t : signature.out) text += code(t);
  return text;
}

std::vector<Signature> operator+(std::vector<Signature> a, const std::vector<Signature>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace tessera::ops
