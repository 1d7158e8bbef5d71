#pragma once
#include "../include/stdint.h"
