; The check compiled into a kernel, appended to the device code of a unit by `scuba confirm`.
;
; A site calls `scuba_check` with its number, the address it is about to access, the width of the access, and the start of its
; array where the code itself knows it (else null: the table has it). It is given the address to use: its own where the access
; lies in the array, else that of a piece of memory that nobody needs, so that the kernel goes on.
;
; A row of the table: whether it is on, start of the array, bytes, then the witness: block x, y, z, thread x, y, z, offset of
; the access; last where in the array the bytes begin, of which an access must stay: all offsets count from there. Where the
; code of the site is shared by accesses to other arrays (a function with several callers) it is on with 2: then what is out of
; these bounds but not the witness's access is left alone. An array that is local to another function is told by
; `scuba_keep`: where it is allocated, the witness's thread puts its address into the table.
; A row of the records: how often the site was out of bounds, how often it was the witness's access, its offset, then block and
; thread of the first that was out of bounds, last the address of the witness's access in the generic address space.

@scuba_table = dso_local addrspace(1) externally_initialized global [{{rows}} x [11 x i64]] zeroinitializer, align 16
@scuba_records = dso_local addrspace(1) externally_initialized global [{{rows}} x [10 x i64]] zeroinitializer, align 16
@scuba_sink = internal addrspace(1) global [4096 x i8] zeroinitializer, align 256
; The same in shared memory, for instructions without generic addresses.
@scuba_shared_sink = internal addrspace(3) global [512 x i8] undef, align 256

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()

; Whether this is the witness's thread.
define internal i1 @scuba_witness(ptr addrspace(1) %row) nounwind {
  %bx.n = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by.n = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %bz.n = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %tx.n = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty.n = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tz.n = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %bx = zext i32 %bx.n to i64
  %by = zext i32 %by.n to i64
  %bz = zext i32 %bz.n to i64
  %tx = zext i32 %tx.n to i64
  %ty = zext i32 %ty.n to i64
  %tz = zext i32 %tz.n to i64
  %wbx.p = getelementptr i64, ptr addrspace(1) %row, i32 3
  %wbx = load i64, ptr addrspace(1) %wbx.p, align 8
  %sbx = icmp eq i64 %bx, %wbx
  %wby.p = getelementptr i64, ptr addrspace(1) %row, i32 4
  %wby = load i64, ptr addrspace(1) %wby.p, align 8
  %sby = icmp eq i64 %by, %wby
  %wbz.p = getelementptr i64, ptr addrspace(1) %row, i32 5
  %wbz = load i64, ptr addrspace(1) %wbz.p, align 8
  %sbz = icmp eq i64 %bz, %wbz
  %wtx.p = getelementptr i64, ptr addrspace(1) %row, i32 6
  %wtx = load i64, ptr addrspace(1) %wtx.p, align 8
  %stx = icmp eq i64 %tx, %wtx
  %wty.p = getelementptr i64, ptr addrspace(1) %row, i32 7
  %wty = load i64, ptr addrspace(1) %wty.p, align 8
  %sty = icmp eq i64 %ty, %wty
  %wtz.p = getelementptr i64, ptr addrspace(1) %row, i32 8
  %wtz = load i64, ptr addrspace(1) %wtz.p, align 8
  %stz = icmp eq i64 %tz, %wtz
  %s1 = and i1 %sbx, %sby
  %s2 = and i1 %sbz, %stx
  %s3 = and i1 %sty, %stz
  %s4 = and i1 %s1, %s2
  %s5 = and i1 %s3, %s4
  ret i1 %s5
}

define internal void @scuba_keep(i32 %site, ptr %address) noinline nounwind {
start:
  %row = getelementptr [11 x i64], ptr addrspace(1) @scuba_table, i32 %site
  %on = load i64, ptr addrspace(1) %row, align 8
  %is.on = icmp ne i64 %on, 0
  br i1 %is.on, label %ask, label %done

ask:
  %witness = call i1 @scuba_witness(ptr addrspace(1) %row)
  br i1 %witness, label %keep, label %done

keep:
  %start.p = getelementptr i64, ptr addrspace(1) %row, i32 1
  %address.i = ptrtoint ptr %address to i64
  store i64 %address.i, ptr addrspace(1) %start.p, align 8
  br label %done

done:
  ret void
}

define internal ptr @scuba_check(i32 %site, ptr %address, i64 %width, ptr %known) noinline nounwind {
start:
  %row = getelementptr [11 x i64], ptr addrspace(1) @scuba_table, i32 %site
  %on = load i64, ptr addrspace(1) %row, align 8
  %off.0 = icmp eq i64 %on, 0
  br i1 %off.0, label %good, label %test

test:
  %start.p = getelementptr i64, ptr addrspace(1) %row, i32 1
  %start.t = load i64, ptr addrspace(1) %start.p, align 8
  %known.i = ptrtoint ptr %known to i64
  %unknown = icmp eq i64 %known.i, 0
  %start.a = select i1 %unknown, i64 %start.t, i64 %known.i
  %from.p = getelementptr i64, ptr addrspace(1) %row, i32 10
  %from = load i64, ptr addrspace(1) %from.p, align 8
  %start.i = add i64 %start.a, %from
  %bytes.p = getelementptr i64, ptr addrspace(1) %row, i32 2
  %bytes = load i64, ptr addrspace(1) %bytes.p, align 8
  %address.i = ptrtoint ptr %address to i64
  %offset = sub i64 %address.i, %start.i
  %end = add i64 %offset, %width
  %before = icmp slt i64 %offset, 0
  %after = icmp sgt i64 %end, %bytes
  %bad.0 = or i1 %before, %after
  br i1 %bad.0, label %bad, label %good

bad:
  %woffset.p = getelementptr i64, ptr addrspace(1) %row, i32 9
  %woffset = load i64, ptr addrspace(1) %woffset.p, align 8
  %soffset = icmp eq i64 %offset, %woffset
  %witness.t = call i1 @scuba_witness(ptr addrspace(1) %row)
  %same = and i1 %witness.t, %soffset
  %alone = icmp eq i64 %on, 1
  %meant = or i1 %same, %alone
  br i1 %meant, label %record, label %good

record:
  %entry = getelementptr [10 x i64], ptr addrspace(1) @scuba_records, i32 %site
  %n = atomicrmw add ptr addrspace(1) %entry, i64 1 syncscope("device") monotonic, align 8
  %first = icmp eq i64 %n, 0
  br i1 %first, label %note, label %compare

note:
  %bx.n = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by.n = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %bz.n = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %tx.n = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty.n = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tz.n = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %bx = zext i32 %bx.n to i64
  %by = zext i32 %by.n to i64
  %bz = zext i32 %bz.n to i64
  %tx = zext i32 %tx.n to i64
  %ty = zext i32 %ty.n to i64
  %tz = zext i32 %tz.n to i64
  %bx.p = getelementptr i64, ptr addrspace(1) %entry, i32 3
  store i64 %bx, ptr addrspace(1) %bx.p, align 8
  %by.p = getelementptr i64, ptr addrspace(1) %entry, i32 4
  store i64 %by, ptr addrspace(1) %by.p, align 8
  %bz.p = getelementptr i64, ptr addrspace(1) %entry, i32 5
  store i64 %bz, ptr addrspace(1) %bz.p, align 8
  %tx.p = getelementptr i64, ptr addrspace(1) %entry, i32 6
  store i64 %tx, ptr addrspace(1) %tx.p, align 8
  %ty.p = getelementptr i64, ptr addrspace(1) %entry, i32 7
  store i64 %ty, ptr addrspace(1) %ty.p, align 8
  %tz.p = getelementptr i64, ptr addrspace(1) %entry, i32 8
  store i64 %tz, ptr addrspace(1) %tz.p, align 8
  br label %compare

compare:
  br i1 %same, label %witness, label %skip

witness:
  ; One thread alone comes here: no other writes these three.
  %hits.p = getelementptr i64, ptr addrspace(1) %entry, i32 1
  %hits = load i64, ptr addrspace(1) %hits.p, align 8
  %hits.1 = add i64 %hits, 1
  store i64 %hits.1, ptr addrspace(1) %hits.p, align 8
  %offset.p = getelementptr i64, ptr addrspace(1) %entry, i32 2
  store i64 %offset, ptr addrspace(1) %offset.p, align 8
  %address.p = getelementptr i64, ptr addrspace(1) %entry, i32 9
  store i64 %address.i, ptr addrspace(1) %address.p, align 8
  br label %skip

skip:
  ret ptr addrspacecast (ptr addrspace(1) @scuba_sink to ptr)

good:
  ret ptr %address
}

; The same where a condition decides whether the access happens.
define internal ptr @scuba_check_if(i1 %happens, i32 %site, ptr %address, i64 %width, ptr %known) noinline nounwind {
start:
  br i1 %happens, label %check, label %none

check:
  %use = call ptr @scuba_check(i32 %site, ptr %address, i64 %width, ptr %known)
  ret ptr %use

none:
  ret ptr %address
}

; Whether this lane is among the first of its warp.
define internal i1 @scuba_lane(i32 %lanes) nounwind {
  %lane = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  %is = icmp ult i32 %lane, %lanes
  ret i1 %is
}
