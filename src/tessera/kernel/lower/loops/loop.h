/// Loops: `for`, `while`, and what iterations pass on.
#pragma once

#include "tessera/ir/builder.h"
#include "tessera/kernel/lower/loops/sequence.h"
#include "tessera/kernel/lower/region.h"
#include "tessera/kernel/syntax/syntax.h"

namespace tessera::kernel {

class Lowering;

/// A `while`.
void lower_while(Lowering& l, const Node& loop);
/// A `for` over what the expression says.
void lower_for(Lowering& l, const Node& loop);
/// A loop over this sequence.
void lower_for_over(Lowering& l, const Node& loop, const Sequence& sequence);
/// The `else` of a loop.
void lower_other(Lowering& l, const Node& loop, bool breaks);
/// The range that the call makes.
Range lower_range(Lowering& l, const Node& call);
/// A loop that nothing leaves: as many steps as the range has.
void lower_counted(Lowering& l, const Node& loop, const Sequence& sequence, const Passed& passed);
/// Whether a range that has come to this index goes on to the bound.
ir::Value is_before(Lowering& l, ir::Value index, ir::Value bound, ir::Value step);
/// A loop that may be left.
void lower_leavable(Lowering& l, const Node& loop, const Sequence& sequence, const Passed& passed, bool breaks);
/// What iterations pass on; `breaks` is whether the loop may be left.
Passed begin_loop(Lowering& l, const Node& loop, bool& breaks);

}  // namespace tessera::kernel
