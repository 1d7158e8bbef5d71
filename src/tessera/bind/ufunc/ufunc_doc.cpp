#include "tessera/bind/ufunc/ufunc_doc.h"

#include "tessera/base/format.h"
#include "tessera/ops/signatures.h"

namespace tessera::bind {

namespace {

/// "x" or "x1, x2"
std::string operand_names(const ops::Op& op) {
  if (op.nin == 1) return "x";
  std::string names;
  for (int i = 1; i <= op.nin; ++i) names += format("{}x{}", i > 1 ? ", " : "", i);
  return names;
}

std::string output_names(const ops::Op& op) {
  if (op.nout == 1) return "out=None";
  std::string names = "[, ";
  for (int i = 1; i <= op.nout; ++i) names += format("{}out{}", i > 1 ? ", " : "", i);
  return names + "], / [, out=(None, None)]";
}

std::string loops(const ops::Op& op) {
  std::string text;
  for (const ops::Signature& s : op.signatures) text += (text.empty() ? "" : " ") + ops::print(s);
  return text;
}

}  // namespace

std::string documentation(const ops::Op& op) {
  std::string operands = operand_names(op);
  std::string head = op.nout == 1 ? operands + ", /, " : operands;
  return format(
      "{}({}{}, *, where=True, casting='same_kind', order='K', dtype=None, subok=True[, signature])\n\n{}\n\n"
      "Parameters\n----------\n{} : array_like\n    The operands; they are broadcast to one shape.\n"
      "out : ndarray or a tuple of one a result, None where one is to be made\n    Where results are stored.\n"
      "where : array_like, optional\n    Elements where it is False keep what `out` held.\n\n"
      "Returns\n-------\narray or scalar\n    One result an element; a scalar when every operand is one.\n\n"
      "Notes\n-----\nShapes: what the operands broadcast to. Dtypes: the first of these loops that the operands cast "
      "to, or `dtype`'s: {}\n"
      "Errors: ValueError where shapes do not broadcast, together or to `out`; TypeError where no loop takes the "
      "operands or `out` its\n"
      "results. Floating-point events warn, or raise, as `errstate` says.\n",
      op.name, head, output_names(op), op.doc, operands, loops(op));
}

}  // namespace tessera::bind
