// How many elements are written.
#pragma once
#ifndef REACH
#define REACH 64
#endif
