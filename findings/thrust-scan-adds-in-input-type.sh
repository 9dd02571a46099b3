#!/usr/bin/env bash
# thrust::exclusive_scan of bool or bytes into an array of int adds in the type of the input: offsets stop at 1, or wrap at 256.
#
# Versions:  nvidia-cuda-cccl-cu12 12.9.27, nvidia-cuda-cccl 13.3.5.0.6, nvidia-cuda-runtime and -crt 13.0 from PyPI, g++ (host back end), x86-64 Linux
# Guess:     the sums are stored as int and `a + b` of two bool or unsigned char is int, so that partial sums are int, as they are in
#            `for (...) { out[i] = sum; sum += in[i]; }` with the type of `out`.
# Behaviour: without an initial value the type of the partial sums is the value type of the input iterator: the scan of five true flags
#            is 0 1 1 1 1, and that of 300 bytes ends in 43. The same holds for exclusive_scan_by_key and, where the values of one
#            key are added, for reduce_by_key, which takes no initial value. An initial value of `0` makes the sums int; no warning.
# Matters:   to stream compaction and histograms: positions from a scan of flags are right for tests with few elements or with an
#            input of int, and wrong when the flags shrink to bytes to save memory.
#
# Fails where this changes.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
g++ --version | head -n 1
python3 -m venv "$folder/venv"
install() { # folder, packages
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder/$1" "${@:2}"
}
install runtime nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88
install 12.9.27 nvidia-cuda-cccl-cu12==12.9.27
install 13.3.5.0.6 nvidia-cuda-cccl==13.3.5.0.6

cat >"$folder/scan.cpp" <<'CPP'
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <cstdio>
#include <vector>
int main() {
  bool flags[5] = {true, true, true, true, true};
  int keys[5] = {}, ends[5], out[5];
  thrust::exclusive_scan(thrust::host, flags, flags + 5, out);
  std::printf("exclusive_scan of flags: %d\n", out[4]);
  thrust::exclusive_scan_by_key(thrust::host, keys, keys + 5, flags, out);
  std::printf("exclusive_scan_by_key of flags: %d\n", out[4]);
  thrust::reduce_by_key(thrust::host, keys, keys + 5, flags, ends, out);
  std::printf("reduce_by_key of flags: %d\n", out[0]);
  thrust::exclusive_scan(thrust::host, flags, flags + 5, out, 0);
  std::printf("exclusive_scan of flags from 0: %d\n", out[4]);
  std::vector<unsigned char> bytes(300, 1);
  std::vector<int> offsets(300);
  thrust::exclusive_scan(thrust::host, bytes.begin(), bytes.end(), offsets.begin());
  std::printf("exclusive_scan of bytes: %d\n", offsets[299]);
  thrust::exclusive_scan(thrust::host, bytes.begin(), bytes.end(), offsets.begin(), 0);
  std::printf("exclusive_scan of bytes from 0: %d\n", offsets[299]);
}
CPP
cat >"$folder/expected" <<'TEXT'
exclusive_scan of flags: 1
exclusive_scan_by_key of flags: 1
reduce_by_key of flags: 1
exclusive_scan of flags from 0: 4
exclusive_scan of bytes: 43
exclusive_scan of bytes from 0: 299
TEXT

runtime=$(find "$folder/runtime" -name cuda_runtime.h)
for release in 12.9.27 13.3.5.0.6; do
  cccl=$(find "$folder/$release" -path '*/thrust/version.h')
  g++ -std=c++17 -O1 -Wall -Wextra -DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP -isystem "${cccl%/thrust/version.h}" -isystem "${runtime%/*}" \
    -o "$folder/scan" "$folder/scan.cpp" 2>"$folder/said" || { cat "$folder/said" >&2; exit 1; }
  [ ! -s "$folder/said" ] || { cat "$folder/said" >&2; echo "changed: the compiler says something" >&2; exit 1; }
  echo "CCCL $release:"
  "$folder/scan" | tee "$folder/seen" | sed 's/^/  /'
  diff "$folder/expected" "$folder/seen" || { echo "changed" >&2; exit 1; }
done
