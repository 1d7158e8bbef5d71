/// Inference: the types of a function's variables and all else that is found of it before code is made.
#pragma once

#include <functional>
#include <span>

#include "tessera/kernel/environment.h"
#include "tessera/kernel/function.h"
#include "tessera/kernel/lower/parameters.h"
#include "tessera/kernel/options.h"
#include "tessera/kernel/typed/findings.h"
#include "tessera/kernel/types/type.h"

namespace tessera::kernel {

/// The function for arguments of these types. Throws CompileError and LiteralRequest.
typed::Program infer(const Function& function, std::span<const Type> arguments, const Environment& environment,
                     const CompileOptions& options = {}, const Declared& declared = {});
/// The function of numbers as the body of an op.
typed::Program infer_body(const Function& function, std::span<const DType> in, const Environment& environment,
                          const CompileOptions& options);

/// The kernel's own function, that of an op's body: what the rules are run over, with a builder that keeps code or
/// none.
ir::Builder builder_for(const Function& function, const CompileOptions& options, bool keeps_code);
std::vector<Item> operands_of_body(ir::Builder& b, std::span<const DType> in);

}  // namespace tessera::kernel
