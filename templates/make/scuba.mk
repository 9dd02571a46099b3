# include this after NVCC, CXX, CC and AR are set: what they compile and link is analysed.
#
#   SCUBA=0 leaves the build as it is; SCUBA_NVCC_PROGRAM names `scuba-nvcc` where it is not in PATH.
#   make scuba-check reports on all programs that were built.
#
# For C++ compilers, ar and linkers `scuba-nvcc` is a launcher: it runs the command as it is given.

SCUBA_NVCC_PROGRAM ?= scuba-nvcc
SCUBA_PROGRAM ?= $(if $(findstring /,$(SCUBA_NVCC_PROGRAM)),$(dir $(SCUBA_NVCC_PROGRAM)))scuba

NVCC ?= nvcc
ifneq ($(SCUBA),0)
# Also where they were set on the command line.
override NVCC := $(SCUBA_NVCC_PROGRAM) $(NVCC)
override CXX := $(SCUBA_NVCC_PROGRAM) $(CXX)
override CC := $(SCUBA_NVCC_PROGRAM) $(CC)
override AR := $(SCUBA_NVCC_PROGRAM) $(AR)
endif

.PHONY: scuba-check
scuba-check:
	$(SCUBA_PROGRAM) check $(SCUBA_CHECK_FLAGS)
# The first target of the Makefile stays its default, wherever this is included.
ifeq ($(.DEFAULT_GOAL),scuba-check)
.DEFAULT_GOAL :=
endif
