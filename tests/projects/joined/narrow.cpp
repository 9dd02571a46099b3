int room(int n) { return n / 2; }
