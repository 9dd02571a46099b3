; The guard of all other accesses, appended to the check where one more bad access would end the kernel before the one that is looked for:
; an address of the global window that lies neither near an object of the launch nor in a variable of the unit, and one of the window of
; shared memory that lies behind what the block has of it, is replaced by that of a piece of memory that nobody needs, and counted.
;
; A row of the ranges: first byte, and the first behind; the first row of zeros ends them.

@scuba_ranges = dso_local addrspace(1) externally_initialized global [{{ranges}} x [2 x i64]] zeroinitializer, align 16

declare i1 @llvm.nvvm.isspacep.global(ptr)
declare i1 @llvm.nvvm.isspacep.shared(ptr)

; Whether an address lies in a variable of the unit in device memory: the unit's variables are added before the end.
define internal i1 @scuba_variable(i64 %a) nounwind {
  ret i1 false
}

; Bytes of shared memory from the start of its window to the end of what the block has: what the system reserves comes first (sm_80 and newer).
define internal i64 @scuba_shared_end() nounwind {
  %own = call i32 asm "mov.u32 $0, %total_smem_size;", "=r"()
  %reserved = {{reserved}}
  %end = add i32 %own, %reserved
  %end.w = zext i32 %end to i64
  ret i64 %end.w
}

define internal ptr @scuba_guard(ptr %address, i64 %width) noinline nounwind {
start:
  %global = call i1 @llvm.nvvm.isspacep.global(ptr %address)
  br i1 %global, label %window, label %elsewhere

elsewhere:
  %shared = call i1 @llvm.nvvm.isspacep.shared(ptr %address)
  br i1 %shared, label %block, label %good

block:
  %shared.p = addrspacecast ptr %address to ptr addrspace(3)
  %shared.i = ptrtoint ptr addrspace(3) %shared.p to i64
  %behind.i = add i64 %shared.i, %width
  %end = call i64 @scuba_shared_end()
  %fits = icmp ule i64 %behind.i, %end
  br i1 %fits, label %good, label %bad

window:
  ; The kernel's parameters lie in the global window too (sm_70 and newer; older code has no generic addresses of them).
  %address.i = ptrtoint ptr %address to i64
  %parameter.n = {{parameter}}
  %parameter = icmp ne i32 %parameter.n, 0
  br i1 %parameter, label %good, label %replaced

replaced:
  ; What a check has replaced is where it should be.
  %from.sink = sub i64 %address.i, ptrtoint (ptr addrspacecast (ptr addrspace(1) @scuba_sink to ptr) to i64)
  %sink = icmp ult i64 %from.sink, 4096
  br i1 %sink, label %good, label %ask

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

; The same where a condition decides whether the access happens.
define internal ptr @scuba_guard_if(i1 %happens, ptr %address, i64 %width) noinline nounwind {
start:
  br i1 %happens, label %guard, label %none

guard:
  %use = call ptr @scuba_guard(ptr %address, i64 %width)
  ret ptr %use

none:
  ret ptr %address
}
