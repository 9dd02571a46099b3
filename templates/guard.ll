
; The guard of all other accesses, appended to the check where one more bad access would end the kernel before the one that is looked for:
; an address of the global window that lies neither near an object of the launch nor in a variable of the unit is replaced by that of a
; piece of memory that nobody needs, and counted.
;
; A row of the ranges: first byte, and the first behind; the first row of zeros ends them.

@scuba_ranges = dso_local addrspace(1) externally_initialized global [{{ranges}} x [2 x i64]] zeroinitializer, align 16

declare i1 @llvm.nvvm.isspacep.global(ptr)

{{variables}}

define internal ptr @scuba_guard(ptr %address) noinline nounwind {
start:
  %global = call i1 @llvm.nvvm.isspacep.global(ptr %address)
  br i1 %global, label %window, label %good

window:
  ; The kernel's parameters lie in the global window too.
  %address.i = ptrtoint ptr %address to i64
  %parameter.n = call i32 asm "{ .reg .pred p; isspacep.param p, $1; selp.u32 $0, 1, 0, p; }", "=r,l"(i64 %address.i)
  %parameter = icmp ne i32 %parameter.n, 0
  br i1 %parameter, label %good, label %ask

ask:
  %variable = call i1 @scuba_variable(i64 %address.i)
  br i1 %variable, label %good, label %next

next:
  %n = phi i64 [ 0, %ask ], [ %n.1, %other ]
  %last = icmp eq i64 %n, {{ranges}}
  br i1 %last, label %bad, label %look

look:
  %first.p = getelementptr [2 x i64], ptr addrspace(1) @scuba_ranges, i64 %n
  %first = load i64, ptr addrspace(1) %first.p, align 16
  %behind.p = getelementptr i64, ptr addrspace(1) %first.p, i64 1
  %behind = load i64, ptr addrspace(1) %behind.p, align 8
  %none = icmp eq i64 %behind, 0
  br i1 %none, label %bad, label %compare

compare:
  %since = icmp uge i64 %address.i, %first
  %until = icmp ult i64 %address.i, %behind
  %in = and i1 %since, %until
  br i1 %in, label %good, label %other

other:
  %n.1 = add i64 %n, 1
  br label %next

bad:
  %entry = getelementptr [10 x i64], ptr addrspace(1) @scuba_records, i32 {{row}}
  %count = atomicrmw add ptr addrspace(1) %entry, i64 1 syncscope("device") monotonic, align 8
  ret ptr addrspacecast (ptr addrspace(1) @scuba_sink to ptr)

good:
  ret ptr %address
}
