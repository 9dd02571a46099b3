#!/usr/bin/env bash
# Installs what building and running SCuBA needs and what is not there yet; says what to install by hand where it may not.
#
#   tools/setup.sh demo    what `make build` and `make demo` need: an nvcc found on this machine is used
#   tools/setup.sh test    the pinned CUDA toolkit as well, whatever else is installed: the tests compare with it
#   tools/setup.sh dist    what `make dist` needs
#   tools/setup.sh stores  what the tests need, and servers of remote caches (300 MB)
#   tools/setup.sh slurm   what the tests need, and Slurm for one node
#   tools/setup.sh farm    what the build needs, Bazel, PostgreSQL, BuildGrid's server and WsgiDAV: a farm on one machine
#   tools/setup.sh torch   PyTorch as well, which `make test-full` compares the models of its operations with (5 GB)
#   tools/setup.sh book    what the build needs, and mdBook, for `make book`
#   tools/setup.sh fuzz    what the tests need, and cargo-fuzz, for `make fuzz`
#   tools/setup.sh page    what the tests need, and what looks at results as users do: Chromium, Neovim, Node
#   tools/setup.sh corpus  what `make corpus` needs: the test's toolkit, headers of CUDA's libraries, OpenFst's headers
#
# Nothing is reinstalled: every step looks at what is there, not at a record of what was done, so an interrupted run, a
# removed package or a newer pin is noticed. System packages come from apt (only as root), the CUDA toolkit and Z3 from
# PyPI wheels into .deps/ of the checkout.
set -euo pipefail
cd "$(dirname "$0")/.."

want=${1:-demo}
# Where rustup puts cargo; a shell that was open before does not have it on PATH yet.
PATH=$PATH:${HOME:-/root}/.cargo/bin
llvm=22
# Newer Z3 decides index queries that Debian's 4.8 does not.
z3_pin=z3-solver==5.4.0.0
cuda_pins=(
  nvidia-cuda-nvcc==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-runtime==13.5.37
  nvidia-cuda-cccl==13.3.5.0.6 nvidia-curand==10.4.5.25 nvidia-cuda-sanitizer-api==13.5.25
)
# Programs of the corpus include these libraries' headers; nothing is linked, so the libraries themselves (gigabytes) are not kept.
header_pins=(
  nvidia-cublas==13.10.0.20 nvidia-cusparse==12.9.4.2 nvidia-cufft==12.5.0.14 nvidia-cusolver==12.4.1.2
  nvidia-nvjitlink==13.5.37 nvidia-nvtx==13.5.25
)
# The version whose headers and documentation the models of its operations were written by (`templates/models/aten.cpp`). PyPI's wheel for Linux needs
# CUDA's libraries to be loaded at all; no GPU is used.
torch_pin=torch==2.11.0
mdbook_pin=0.5.4
fuzz_pin=0.13.2
# Servers that tests of the remote cache start.
store_pins=('moto[server]==5.2.5' wsgidav==4.4.0 cheroot==11.1.2 gcp-storage-emulator==2026.7.19)
azurite_pin=azurite@3.37.0
# A farm for Bazel.
farm_pins=(buildgrid==0.4.4 psycopg2-binary==2.9.13 wsgidav==4.4.0 cheroot==11.1.2)
# What rustc must be at least: `rust-version` in Cargo.toml.
rust_min=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' Cargo.toml)

say() { printf '%s\n' "$*" >&2; }
by_hand() { say ""; say "set-up: $1"; shift; for line in "$@"; do say "    $line"; done; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n1)" = "$1" ]; }

# ---- system packages --------------------------------------------------------------------------------------------------

# What is missing, as Debian package names. Looks for the programs, not for the packages: another origin is as good.
missing_packages() {
  local prefix=${LLVM_SYS_221_PREFIX:-/usr/lib/llvm-$llvm}
  have g++ || echo g++
  have cmake || echo cmake
  have ninja || echo ninja-build
  have "clang++-$llvm" || echo "clang-$llvm"
  { [ -x "$prefix/bin/llvm-config" ] && [ -e "$prefix/lib/libLLVM.so" ]; } || echo "llvm-$llvm-dev"
  if ! have python3; then echo python3; echo python3-venv
  elif [ ! -x .deps/venv/bin/pip ] && ! python3 -c 'import venv, ensurepip' 2>/dev/null; then echo python3-venv; fi
  if [ "$want" = dist ]; then have patchelf || echo patchelf; fi
  # Without it one test is left out. The package starts no server.
  if { [ "$want" = test ] && [ "$(id -u)" = 0 ]; } || [ "$want" = stores ]; then have redis-server || have redis-check-rdb || echo redis-tools; fi
  if [ "$want" = slurm ]; then have slurmctld || echo slurmctld; have slurmd || echo slurmd; have sbatch || echo slurm-client; have munged || echo munge; fi
  if [ "$want" = farm ]; then have bazel || echo bazel-bootstrap; ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || echo postgresql; fi
  if [ "$want" = page ]; then
    have chromium || have google-chrome || echo chromium
    have nvim || echo neovim
    have node || echo nodejs
  fi
  if [ "$want" = corpus ] && [ ! -e /usr/include/fst/fstlib.h ]; then echo libfst-dev; fi
}

# Runs apt-get, and waits for another apt or dpkg for at most ten minutes. apt itself waits for dpkg's lock alone (DPkg::Lock::Timeout), not
# for that of the package lists.
apt() {
  local log status waited=0
  log=$(mktemp)
  while :; do
    status=0
    LC_ALL=C apt-get "$@" >"$log" 2>&1 || status=$?
    if [ "$status" = 0 ] || [ "$waited" -ge 600 ] || ! grep -qE 'Could not get lock|Unable to (lock|acquire)' "$log"; then break; fi
    if [ "$waited" = 0 ]; then say "set-up: another program holds apt's lock; waiting for it (at most 10 minutes)"; fi
    sleep 5
    waited=$((waited + 5))
  done
  cat "$log" >&2
  rm -f "$log"
  return "$status"
}

install_packages() {
  local packages=("$@") command="apt-get install -y --no-install-recommends $*"
  have apt-get || by_hand "these programs are missing, and this is not a Debian system:" \
    "${packages[@]}" "Install what your distribution calls them (LLVM and clang $llvm, CMake 3.18 or newer, Ninja)."
  [ "$(id -u)" = 0 ] || by_hand "packages are missing, and only root may install them. Run:" "sudo apt-get update && sudo $command"
  say "set-up: installing ${packages[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt update -q || say "set-up: apt-get update failed; trying with the package lists that are here"
  local package
  for package in "${packages[@]}"; do
    apt-cache show "$package" >/dev/null 2>&1 || by_hand "the configured package sources have no $package." \
      "clang-$llvm and llvm-$llvm-dev come with Debian 12's security updates: add the suite bookworm-security to the" \
      "sources under /etc/apt. For other releases they are at https://apt.llvm.org (\`bash llvm.sh $llvm\`). Then run make again."
  done
  apt install -y --no-install-recommends "${packages[@]}" || by_hand "apt could not install ${packages[*]} (its message is above). Run by hand:" "$command"
}

# ---- Rust -------------------------------------------------------------------------------------------------------------

check_rust() {
  have cargo && have rustc || by_hand "cargo is missing (Rust $rust_min or newer; Debian 12's own is too old). Install it from https://rustup.rs:" \
    "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- --profile minimal"
  local version
  version=$(rustc --version | sed -n 's/^rustc \([0-9.]*\).*/\1/p')
  at_least "$rust_min" "$version" || by_hand "rustc is $version, and SCuBA needs $rust_min or newer. Run:" "rustup update stable"
  # A build that fails half way for want of a crate is hard to read: fetch first.
  local host log
  host=$(rustc -vV | sed -n 's/^host: //p')
  log=$(mktemp)
  if ! cargo fetch --locked --target "$host" >"$log" 2>&1; then
    cat "$log" >&2; rm -f "$log"
    by_hand "the crates of Cargo.lock could not be fetched (cargo's message is above)." \
      "The build needs crates.io or a mirror of it (see 'Source Replacement' in the Cargo book), once:" "cargo fetch --locked"
  fi
  rm -f "$log"
}

# ---- wheels: Z3 and the CUDA toolkit ----------------------------------------------------------------------------------

have_wheel() { # name==version: whether pip has finished installing it into .deps/cuda
  local name=${1%%==*} version=${1##*==}
  [ -e ".deps/cuda/${name//-/_}-$version.dist-info/RECORD" ]
}

wheels_complete() {
  local pin
  for pin in "$@"; do have_wheel "$pin" || return 1; done
  [ -e .deps/cuda/z3/lib/libz3.so ] || return 1
  [[ " $* " != *" nvidia-cuda-nvcc=="* ]] || [ -x .deps/cuda/nvidia/cu13/bin/nvcc ]
}

# The links that the wheels leave out: nvcc and CMake look into lib64, and the loader wants Z3 by its soname.
link_wheels() {
  local root=$1
  if [ -d "$root/nvidia/cu13/lib" ] && [ ! -e "$root/nvidia/cu13/lib64" ]; then ln -s lib "$root/nvidia/cu13/lib64"; fi
  if [ ! -e "$root/z3/lib/libz3.so.5.4" ]; then ln -s libz3.so "$root/z3/lib/libz3.so.5.4"; fi
}

install_wheels() {
  local pins=("$@")
  if ! .deps/venv/bin/pip --version >/dev/null 2>&1; then
    rm -rf .deps/venv
    python3 -m venv .deps/venv >&2 || by_hand "python3 could not make a virtual environment. Run:" "apt-get install python3-venv"
  fi
  say "set-up: fetching ${pins[*]}"
  # Into a folder beside, then renamed: pip leaves half a toolkit behind when it is interrupted.
  local staging=.deps/cuda.partial
  rm -rf "$staging"
  .deps/venv/bin/pip install --disable-pip-version-check --quiet --no-deps --only-binary :all: --target "$staging" "${pins[@]}" >&2 || {
    rm -rf "$staging"
    by_hand "pip could not fetch these wheels (its message is above): ${pins[*]}" \
      "They come from PyPI or a mirror of it (pip's own settings, PIP_INDEX_URL and pip.conf, hold). With it at hand, run make again." \
      "For the CUDA toolkit alone NVIDIA's own installation serves too: put its bin/ on PATH, or set SCUBA_NVCC."
  }
  link_wheels "$staging"
  rm -rf .deps/cuda
  mv "$staging" .deps/cuda
}

# Headers of a wheel alone, beside the toolkit's. The mark comes last, so an interrupted run is noticed.
install_headers() {
  local pin staging=.deps/headers.partial
  for pin in "$@"; do
    if [ -e ".deps/cuda/headers/$pin" ]; then continue; fi
    say "set-up: fetching the headers of $pin"
    rm -rf "$staging"
    mkdir -p "$staging" .deps/cuda/headers
    .deps/venv/bin/pip download --disable-pip-version-check --quiet --no-deps --only-binary :all: --dest "$staging" "$pin" >&2 || {
      rm -rf "$staging"
      by_hand "pip could not fetch $pin (its message is above)." "Only rows of the corpus that include its headers need it."
    }
    python3 - "$staging" .deps/cuda <<'EOF'
import pathlib, sys, zipfile
for wheel in pathlib.Path(sys.argv[1]).glob("*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(sys.argv[2], [name for name in archive.namelist() if name.startswith("nvidia/cu13/include/")])
EOF
    rm -rf "$staging"
    touch ".deps/cuda/headers/$pin"
  done
}

install_torch() {
  local venv=.deps/torch-venv
  if [ -e "$venv/made-with-$torch_pin" ]; then return; fi
  say "set-up: fetching $torch_pin and what it needs (some minutes)"
  rm -rf "$venv"
  python3 -m venv "$venv" >&2 || by_hand "python3 could not make a virtual environment. Run:" "apt-get install python3-venv"
  "$venv/bin/pip" install --disable-pip-version-check --quiet --no-cache-dir --only-binary :all: "$torch_pin" >&2 || {
    rm -rf "$venv"
    by_hand "pip could not fetch $torch_pin (its message is above)." "Only the comparison of models with PyTorch needs it."
  }
  touch "$venv/made-with-$torch_pin"
}

# Installs Python packages into a virtual environment of their own. Arguments: its name, what needs it, the packages.
install_venv() {
  local venv=.deps/$1-venv needs=$2 mark
  shift 2
  mark="$venv/made-with-$(printf '%s,' "$@" | tr / _)"
  if [ -e "$mark" ]; then return; fi
  say "set-up: fetching $*"
  rm -rf "$venv"
  python3 -m venv "$venv" >&2 || by_hand "python3 could not make a virtual environment. Run:" "apt-get install python3-venv"
  "$venv/bin/pip" install --disable-pip-version-check --quiet --no-cache-dir "$@" >&2 || {
    rm -rf "$venv"
    by_hand "pip could not fetch $* (its message is above)." "Only \`$needs\` needs them."
  }
  touch "$mark"
}

# Azure's emulator is a package of npm.
install_azurite() {
  local folder=.deps/azurite
  if [ -e "$folder/made-with-$azurite_pin" ]; then return; fi
  if ! have npm; then say "set-up: no npm: the cache is not tried with Azure's emulator"; return; fi
  say "set-up: fetching $azurite_pin"
  rm -rf "$folder"
  mkdir -p "$folder"
  npm install --prefix "$folder" --no-audit --no-fund --silent "$azurite_pin" >&2 || by_hand "npm could not fetch $azurite_pin." "Only \`make remote-cache\` needs it."
  touch "$folder/made-with-$azurite_pin"
}

install_mdbook() {
  if [ -x ".deps/mdbook-$mdbook_pin/bin/mdbook" ]; then return; fi
  say "set-up: building mdBook $mdbook_pin (some minutes)"
  CARGO_TARGET_DIR=.deps/mdbook.partial cargo install mdbook --version "=$mdbook_pin" --locked --no-default-features --features search \
    --root ".deps/mdbook-$mdbook_pin" --quiet >&2 || by_hand "cargo could not build mdBook $mdbook_pin (its message is above)." "Only the book needs it."
  rm -rf .deps/mdbook.partial
}

install_fuzz() {
  if [ -x ".deps/cargo-fuzz-$fuzz_pin/bin/cargo-fuzz" ]; then return; fi
  say "set-up: building cargo-fuzz $fuzz_pin"
  CARGO_TARGET_DIR=.deps/cargo-fuzz.partial cargo install cargo-fuzz --version "=$fuzz_pin" --locked \
    --root ".deps/cargo-fuzz-$fuzz_pin" --quiet >&2 || by_hand "cargo could not build cargo-fuzz $fuzz_pin (its message is above)." "Only \`make fuzz\` needs it."
  rm -rf .deps/cargo-fuzz.partial
}

# ---- all of it --------------------------------------------------------------------------------------------------------

mkdir -p .deps
exec 9>.deps/lock
flock 9

mapfile -t packages < <(missing_packages)
if [ "${#packages[@]}" -gt 0 ]; then
  install_packages "${packages[@]}"
  mapfile -t packages < <(missing_packages)
  [ "${#packages[@]}" = 0 ] || by_hand "installed, but still not found on PATH:" "${packages[@]}"
fi
cmake_version=$(cmake --version | sed -n 's/^cmake version \([0-9.]*\).*/\1/p')
at_least 3.18 "$cmake_version" || by_hand "CMake is $cmake_version; the example needs 3.18 or newer, for instance:" "pip install cmake==3.25.2"

check_rust

pins=("$z3_pin")
if [ "$want" = test ] || [ "$want" = fuzz ] || [ "$want" = page ] || [ "$want" = stores ] || [ "$want" = slurm ] || [ "$want" = farm ] || [ "$want" = torch ] || [ "$want" = corpus ] || ! tools/find-nvcc.sh --system >/dev/null || [ -x .deps/cuda/nvidia/cu13/bin/nvcc ]; then pins+=("${cuda_pins[@]}"); fi
if wheels_complete "${pins[@]}"; then link_wheels .deps/cuda; else install_wheels "${pins[@]}"; fi

nvcc=.deps/cuda/nvidia/cu13/bin/nvcc
if [ "${#pins[@]}" -gt 1 ]; then
  "$nvcc" --version >/dev/null || by_hand "$nvcc does not run here (its message is above)." \
    "The wheels are for 64-bit Linux with glibc 2.28 or newer. Install a CUDA toolkit by hand and set SCUBA_NVCC to its nvcc."
fi
if [ "$want" = torch ]; then install_torch; fi
if [ "$want" = stores ]; then install_venv stores "make remote-cache" "${store_pins[@]}"; install_azurite; fi
if [ "$want" = farm ]; then install_venv farm "make bazel-farm" "${farm_pins[@]}"; fi
if [ "$want" = book ]; then install_mdbook; fi
if [ "$want" = fuzz ]; then install_fuzz; fi
if [ "$want" = corpus ]; then install_headers "${header_pins[@]}"; fi
