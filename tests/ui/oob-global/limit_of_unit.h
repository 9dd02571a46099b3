static __constant__ int limit;
void set_other(int n);
