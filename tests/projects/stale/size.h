// How many elements there are.
#pragma once
#ifndef COUNT
#define COUNT 64
#endif
