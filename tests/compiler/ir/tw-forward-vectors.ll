; What is stored to local memory and read again goes on in registers.
; RUN: %tw_opt -passes=tw-forward-vectors %s | FileCheck %s
; RUN: %keeps tw-forward-vectors %s

@local = internal thread_local global [16 x float] zeroinitializer, align 64 "teamwork.local"
@local_2 = internal thread_local global [16 x float] zeroinitializer, align 64 "teamwork.local"
@of_program = internal thread_local global [16 x float] zeroinitializer, align 64
@known_elsewhere = thread_local global [16 x float] zeroinitializer, align 64

declare ptr @llvm.threadlocal.address.p0(ptr)
declare void @anything(ptr)

; CHECK-LABEL: @halves(
; CHECK-DAG: %[[LOW:.*]] = shufflevector <8 x float> %sum, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK-DAG: %[[HIGH:.*]] = shufflevector <8 x float> %sum, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
; CHECK: fadd <4 x float> %[[LOW]], %[[HIGH]]
; CHECK: ret void
define void @halves(ptr %x, ptr %out, i64 %n) "teamwork.host"="halves" "teamwork.budget"="1000" {
  %part = alloca [16 x float], align 64
  %sum = load <8 x float>, ptr %x, align 4
  store <8 x float> %sum, ptr %part, align 64
  %behind = getelementptr inbounds i8, ptr %part, i64 16
  %low = load <4 x float>, ptr %part, align 64
  %high = load <4 x float>, ptr %behind, align 16
  %add = fadd <4 x float> %low, %high
  store <4 x float> %add, ptr %out, align 4
  ret void
}

; Nobody reads the variable any more: it is one of the function, and nothing is stored.
; CHECK-LABEL: @of_thread(
; CHECK-NOT: @local
; CHECK-NOT: store <8 x float>
; CHECK: ret void
define void @of_thread(ptr %x, ptr %out, i64 %n) "teamwork.host"="of_thread" "teamwork.budget"="1000" {
  %part = call ptr @llvm.threadlocal.address.p0(ptr @local)
  %sum = load <8 x float>, ptr %x, align 4
  store <8 x float> %sum, ptr %part, align 64
  %behind = getelementptr inbounds i8, ptr %part, i64 16
  %low = load <4 x float>, ptr %part, align 64
  %high = load <4 x float>, ptr %behind, align 16
  %add = fadd <4 x float> %low, %high
  store <4 x float> %add, ptr %out, align 4
  ret void
}

; Of parts of two vectors, and a single element.
; CHECK-LABEL: @neighbours(
; CHECK: shufflevector <4 x float> %first, <4 x float> %second, <4 x i32>
; CHECK: insertelement
; CHECK: ret void
define void @neighbours(ptr %x, ptr %out, i64 %n) "teamwork.host"="neighbours" "teamwork.budget"="1000" {
  %part = alloca [16 x float], align 64
  %first = load <4 x float>, ptr %x, align 4
  %second = load <4 x float>, ptr %out, align 4
  %one = load float, ptr %x, align 4
  %at.second = getelementptr inbounds i8, ptr %part, i64 20
  %at.one = getelementptr inbounds i8, ptr %part, i64 16
  store <4 x float> %first, ptr %part, align 4
  store float %one, ptr %at.one, align 4
  store <4 x float> %second, ptr %at.second, align 4
  %at.all = getelementptr inbounds i8, ptr %part, i64 8
  %all = load <4 x float>, ptr %at.all, align 4
  store <4 x float> %all, ptr %out, align 4
  ret void
}

; Any element may be another one.
define void @keeps_other_store(ptr %x, ptr %out, i64 %n) "teamwork.host"="keeps_other_store" "teamwork.budget"="1000" {
  %part = alloca [16 x float], align 64
  %sum = load <8 x float>, ptr %x, align 4
  store <8 x float> %sum, ptr %part, align 64
  %any = getelementptr inbounds float, ptr %part, i64 %n
  store float 1.0, ptr %any, align 4
  %behind = getelementptr inbounds i8, ptr %part, i64 16
  %low = load <4 x float>, ptr %part, align 64
  %high = load <4 x float>, ptr %behind, align 16
  %add = fadd <4 x float> %low, %high
  store <4 x float> %add, ptr %out, align 4
  ret void
}

define void @keeps_volatile(ptr %x, ptr %out, i64 %n) "teamwork.host"="keeps_volatile" "teamwork.budget"="1000" {
  %part = alloca [16 x float], align 64
  %sum = load <8 x float>, ptr %x, align 4
  store <8 x float> %sum, ptr %part, align 64
  store volatile float 1.0, ptr %part, align 4
  %behind = getelementptr inbounds i8, ptr %part, i64 16
  %low = load <4 x float>, ptr %part, align 64
  %high = load <4 x float>, ptr %behind, align 16
  %add = fadd <4 x float> %low, %high
  store <4 x float> %add, ptr %out, align 4
  ret void
}

define void @keeps_passed_on(ptr %x, ptr %out, i64 %n) "teamwork.host"="keeps_passed_on" "teamwork.budget"="1000" {
  %part = alloca [16 x float], align 64
  %sum = load <8 x float>, ptr %x, align 4
  store <8 x float> %sum, ptr %part, align 64
  call void @anything(ptr %part)
  %behind = getelementptr inbounds i8, ptr %part, i64 16
  %low = load <4 x float>, ptr %part, align 64
  %high = load <4 x float>, ptr %behind, align 16
  %add = fadd <4 x float> %low, %high
  store <4 x float> %add, ptr %out, align 4
  ret void
}

define void @keeps_kept(ptr %x, ptr %out, i64 %n) "teamwork.host"="keeps_kept" "teamwork.budget"="1000" {
  %part = alloca [16 x float], align 64
  %sum = load <8 x float>, ptr %x, align 4
  store <8 x float> %sum, ptr %part, align 64
  store ptr %part, ptr %out, align 8
  %behind = getelementptr inbounds i8, ptr %part, i64 16
  %low = load <4 x float>, ptr %part, align 64
  %high = load <4 x float>, ptr %behind, align 16
  %add = fadd <4 x float> %low, %high
  store <4 x float> %add, ptr %out, align 4
  ret void
}

; Half of the elements are others.
define void @keeps_partly_known(ptr %x, ptr %out, i64 %n) "teamwork.host"="keeps_partly_known" "teamwork.budget"="1000" {
  %part = alloca [16 x float], align 64
  %two = load <2 x float>, ptr %x, align 4
  store <2 x float> %two, ptr %part, align 64
  %behind = getelementptr inbounds i8, ptr %part, i64 16
  %high = load <4 x float>, ptr %behind, align 16
  %add = fadd <4 x float> %high, %high
  store <4 x float> %add, ptr %out, align 4
  ret void
}

; In a loop, the next turn reads what this one has stored.
define void @keeps_loop(ptr %x, ptr %out, i64 %n) "teamwork.host"="keeps_loop" "teamwork.budget"="1000" {
entry:
  %part = alloca [8 x float], align 64
  %sum = load <8 x float>, ptr %x, align 4
  store <8 x float> %sum, ptr %part, align 64
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v = load <8 x float>, ptr %part, align 64
  %more.v = fadd <8 x float> %v, %sum
  store <8 x float> %more.v, ptr %part, align 64
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; Its value goes on to the next group.
define void @keeps_variable_of_others(ptr %x, ptr %out, i64 %n) "teamwork.host"="keeps_variable_of_others" "teamwork.budget"="1000" {
  %part = call ptr @llvm.threadlocal.address.p0(ptr @known_elsewhere)
  %sum = load <8 x float>, ptr %x, align 4
  store <8 x float> %sum, ptr %part, align 64
  %behind = getelementptr inbounds i8, ptr %part, i64 16
  %low = load <4 x float>, ptr %part, align 64
  %high = load <4 x float>, ptr %behind, align 16
  %add = fadd <4 x float> %low, %high
  store <4 x float> %add, ptr %out, align 4
  ret void
}

; The program's own variable: the next group finds in it what this one leaves.
define void @keeps_variable_of_program(ptr %x, ptr %out, i64 %n) "teamwork.host"="keeps_variable_of_program" "teamwork.budget"="1000" {
  %part = call ptr @llvm.threadlocal.address.p0(ptr @of_program)
  %sum = load <8 x float>, ptr %x, align 4
  store <8 x float> %sum, ptr %part, align 64
  %behind = getelementptr inbounds i8, ptr %part, i64 16
  %low = load <4 x float>, ptr %part, align 64
  %high = load <4 x float>, ptr %behind, align 16
  %add = fadd <4 x float> %low, %high
  store <4 x float> %add, ptr %out, align 4
  ret void
}

; Another function of this file uses the variable, and is called.
define void @keeps_variable_of_called(ptr %x, ptr %out, i64 %n) "teamwork.host"="keeps_variable_of_called" "teamwork.budget"="1000" {
  %part = call ptr @llvm.threadlocal.address.p0(ptr @local_2)
  %sum = load <8 x float>, ptr %x, align 4
  store <8 x float> %sum, ptr %part, align 64
  call void @uses_local_2()
  %behind = getelementptr inbounds i8, ptr %part, i64 16
  %low = load <4 x float>, ptr %part, align 64
  %high = load <4 x float>, ptr %behind, align 16
  %add = fadd <4 x float> %low, %high
  store <4 x float> %add, ptr %out, align 4
  ret void
}

; No function of whole groups.
define void @keeps_other_function(ptr %x, ptr %out, i64 %n) "teamwork.budget"="1000" {
  %part = alloca [16 x float], align 64
  %sum = load <8 x float>, ptr %x, align 4
  store <8 x float> %sum, ptr %part, align 64
  %behind = getelementptr inbounds i8, ptr %part, i64 16
  %low = load <4 x float>, ptr %part, align 64
  %high = load <4 x float>, ptr %behind, align 16
  %add = fadd <4 x float> %low, %high
  store <4 x float> %add, ptr %out, align 4
  ret void
}

define void @keeps_work_items(ptr %x, ptr %out, i64 %n) "teamwork.work_items"="keeps_work_items" "teamwork.budget"="1000" {
  %part = alloca [16 x float], align 64
  %sum = load <8 x float>, ptr %x, align 4
  store <8 x float> %sum, ptr %part, align 64
  %behind = getelementptr inbounds i8, ptr %part, i64 16
  %low = load <4 x float>, ptr %part, align 64
  %high = load <4 x float>, ptr %behind, align 16
  %add = fadd <4 x float> %low, %high
  store <4 x float> %add, ptr %out, align 4
  ret void
}

define void @keeps_unoptimized(ptr %x, ptr %out, i64 %n) "teamwork.host"="keeps_unoptimized" optnone noinline "teamwork.budget"="1000" {
  %part = alloca [16 x float], align 64
  %sum = load <8 x float>, ptr %x, align 4
  store <8 x float> %sum, ptr %part, align 64
  %behind = getelementptr inbounds i8, ptr %part, i64 16
  %low = load <4 x float>, ptr %part, align 64
  %high = load <4 x float>, ptr %behind, align 16
  %add = fadd <4 x float> %low, %high
  store <4 x float> %add, ptr %out, align 4
  ret void
}

define internal void @uses_local_2() {
  %part = call ptr @llvm.threadlocal.address.p0(ptr @local_2)
  store float 2.0, ptr %part, align 4
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"teamwork.items"}
