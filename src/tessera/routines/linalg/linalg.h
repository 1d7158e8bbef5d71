/// The implementations of linear systems and factorisations. The first argument of each is the dtype to compute in.
#pragma once

#include "tessera/routines/calls.h"

namespace tessera::routines {

void solve_on_host(HostCall& call);
void inv_on_host(HostCall& call);
void det_on_host(HostCall& call);
void slogdet_on_host(HostCall& call);
void cholesky_on_host(HostCall& call);
void qr_packed_on_host(HostCall& call);
void qr_on_host(HostCall& call);
void svd_on_host(HostCall& call);
void eigh_on_host(HostCall& call);
void eig_on_host(HostCall& call);
void lstsq_on_host(HostCall& call);

void solve_on_device(DeviceCall& call);
void inv_on_device(DeviceCall& call);
void det_on_device(DeviceCall& call);
void slogdet_on_device(DeviceCall& call);
void cholesky_on_device(DeviceCall& call);
void qr_packed_on_device(DeviceCall& call);
void qr_on_device(DeviceCall& call);
void svd_on_device(DeviceCall& call);
void eigh_on_device(DeviceCall& call);

}  // namespace tessera::routines
