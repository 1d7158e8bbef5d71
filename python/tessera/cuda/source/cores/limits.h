#pragma once
#include "../include/host_limits.h"
