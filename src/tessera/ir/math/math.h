/// The math library: elementary and special functions with the same bits on every target.
///
/// Free of branches, tables and library calls wherever that allows loops over it to be vectorised. Compiled with
/// -ffp-contract=off into the interpreter's loops and, as LLVM bitcode, into every compiled kernel.
#pragma once

#include "tessera/ir/math/core.h"
#include "tessera/ir/math/erf.h"
#include "tessera/ir/math/exp.h"
#include "tessera/ir/math/gamma.h"
#include "tessera/ir/math/hyperbolic.h"
#include "tessera/ir/math/integer_division.h"
#include "tessera/ir/math/inverse_trigonometric.h"
#include "tessera/ir/math/log.h"
#include "tessera/ir/math/parts.h"
#include "tessera/ir/math/power.h"
#include "tessera/ir/math/rounding.h"
#include "tessera/ir/math/trigonometric.h"
#include "tessera/ir/math/written_out.h"
