// C's constants of mathematics; the functions are in tessera_math.h.
#pragma once
#include "../include/host_math.h"
