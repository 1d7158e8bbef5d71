/// Rows of neighbours as operands of routines: their checks, their types, and what work on them costs.
#pragma once

#include <vector>

#include "tessera/routines/neighbours/rows.h"
#include "tessera/routines/networks/csr.h"
#include "tessera/routines/table.h"

namespace tessera::routines {

/// Throws TypeError unless the operand has one axis and this dtype.
void check_operand(const ops::CallView& call, int k, DType dtype);
/// The same of offsets and targets, operands k and k + 1.
void check_row_types(const ops::CallView& call, int k = 0);

/// Operands k and k + 1; throws ValueError where they are no rows of neighbours.
networks::CsrView rows_of_call(HostCall& call, int k = 0);
/// The same; waits. What was checked is kept with the operands.
DeviceRows rows_of_call(DeviceCall& call, int k = 0);

template <class Value>
std::span<const Value> values_of_call(const HostCall& call, int k) {
  return {call.operand(k).as<const Value>(), static_cast<size_t>(call.operand(k).size())};
}

/// Throws ValueError unless the operand has `count` elements.
void check_count(const CallBase& call, int k, int64_t count);
/// Makes result k of these numbers.
template <class Value>
void give(HostCall& call, int k, const std::vector<Value>& values, DType dtype) {
  const auto count = static_cast<int64_t>(values.size());
  call.make_result(k, std::span(&count, 1), dtype);
  std::copy(values.begin(), values.end(), call.result(k).as<Value>());
}
/// The same of `count` elements in device memory.
void give(DeviceCall& call, int k, int64_t count, const char* values, DType dtype);
/// The same of one number.
void give_number(DeviceCall& call, int k, int64_t number);

/// `rounds` passes over all rows, each of so many nanoseconds an arc on the host, bytes an arc and launches on a
/// device.
struct RowWork {
  double rounds = 1, steps = 1, bytes = 16;
  int launches = 8, synchronisations = 1;
};
ops::Cost cost_of_rows(std::string_view op, const ops::CallView& call, const RowWork& work);

}  // namespace tessera::routines
