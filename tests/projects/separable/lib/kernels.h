void scale(float *a, int n);
float *make(int n);
int finish(float *a);
