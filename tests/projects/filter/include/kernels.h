#pragma once

void launch_smooth(float *row, int count);
extern "C" void launch_clear_(float *row, const int *count);
