/// Complex functions in component arithmetic, without branches; special values follow C99's annex G.
#pragma once

#include "tessera/ir/builder.h"

namespace tessera::ops {

ir::Value complex_sign(ir::Builder& b, ir::Value z);
ir::Value complex_reciprocal(ir::Builder& b, ir::Value z);
ir::Value complex_sqrt(ir::Builder& b, ir::Value z);
ir::Value complex_power(ir::Builder& b, ir::Value z, ir::Value w);

ir::Value complex_exp(ir::Builder& b, ir::Value z);
ir::Value complex_exp2(ir::Builder& b, ir::Value z);
ir::Value complex_expm1(ir::Builder& b, ir::Value z);
ir::Value complex_log(ir::Builder& b, ir::Value z);
ir::Value complex_log2(ir::Builder& b, ir::Value z);
ir::Value complex_log10(ir::Builder& b, ir::Value z);
ir::Value complex_log1p(ir::Builder& b, ir::Value z);

ir::Value complex_sin(ir::Builder& b, ir::Value z);
ir::Value complex_cos(ir::Builder& b, ir::Value z);
ir::Value complex_tan(ir::Builder& b, ir::Value z);
ir::Value complex_sinh(ir::Builder& b, ir::Value z);
ir::Value complex_cosh(ir::Builder& b, ir::Value z);
ir::Value complex_tanh(ir::Builder& b, ir::Value z);

ir::Value complex_asin(ir::Builder& b, ir::Value z);
ir::Value complex_acos(ir::Builder& b, ir::Value z);
ir::Value complex_atan(ir::Builder& b, ir::Value z);
ir::Value complex_asinh(ir::Builder& b, ir::Value z);
ir::Value complex_acosh(ir::Builder& b, ir::Value z);
ir::Value complex_atanh(ir::Builder& b, ir::Value z);

/// NumPy's order of complex numbers, for maximum and friends: false where a NaN decides.
ir::Value complex_ge(ir::Builder& b, ir::Value x, ir::Value y);
ir::Value complex_le(ir::Builder& b, ir::Value x, ir::Value y);
ir::Value complex_is_nan(ir::Builder& b, ir::Value z);

}  // namespace tessera::ops
