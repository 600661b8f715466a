; Annotations of the headers become attributes, before any pass asks for them; those of the program stay.
; RUN: %tw_opt -passes=tw-kernels %s | FileCheck %s

; CHECK-NOT: teamwork.
; CHECK: @local = internal thread_local global [16 x float] zeroinitializer, align 64 #[[LOCAL:[0-9]+]]
; CHECK-NEXT: @of_program = internal thread_local global [16 x float] zeroinitializer, align 64{{$}}
; CHECK-NEXT: @saxpy_kernel = constant i32 0 #[[OBJECT:[0-9]+]]
; CHECK-NOT: c"teamwork.
; CHECK: @llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, ptr, i32, ptr } { ptr @of_program, {{.*}}section "llvm.metadata"
; CHECK-NOT: @.str.file
; CHECK-NOT: @.args
@local = internal thread_local global [16 x float] zeroinitializer, align 64
@of_program = internal thread_local global [16 x float] zeroinitializer, align 64
@saxpy_kernel = constant i32 0
@.str = private unnamed_addr constant [15 x i8] c"teamwork.local\00", section "llvm.metadata"
@.str.1 = private unnamed_addr constant [7 x i8] c"custom\00", section "llvm.metadata"
@.str.2 = private unnamed_addr constant [20 x i8] c"teamwork.host=saxpy\00", section "llvm.metadata"
@.str.3 = private unnamed_addr constant [20 x i8] c"teamwork.simt=saxpy\00", section "llvm.metadata"
@.str.4 = private unnamed_addr constant [22 x i8] c"teamwork.object=saxpy\00", section "llvm.metadata"
@.str.5 = private unnamed_addr constant [17 x i8] c"teamwork.sharing\00", section "llvm.metadata"
@.str.6 = private unnamed_addr constant [16 x i8] c"teamwork.writes\00", section "llvm.metadata"
@.str.7 = private unnamed_addr constant [19 x i8] c"teamwork.has_loops\00", section "llvm.metadata"
@.args = private unnamed_addr constant { i64 } { i64 20 }, section "llvm.metadata"
@.str.file = private unnamed_addr constant [2 x i8] c"h\00", section "llvm.metadata"
@llvm.global.annotations = appending global [8 x { ptr, ptr, ptr, i32, ptr }] [
  { ptr, ptr, ptr, i32, ptr } { ptr @local, ptr @.str, ptr @.str.file, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @of_program, ptr @.str.1, ptr @.str.1, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @saxpy_tw_host, ptr @.str.2, ptr @.str.file, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @saxpy_tw_simt_body, ptr @.str.3, ptr @.str.file, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @saxpy_kernel, ptr @.str.4, ptr @.str.file, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @saxpy_kernel, ptr @.str.7, ptr @.str.file, i32 1, ptr @.args },
  { ptr, ptr, ptr, i32, ptr } { ptr @adds, ptr @.str.5, ptr @.str.file, i32 1, ptr null },
  { ptr, ptr, ptr, i32, ptr } { ptr @adds, ptr @.str.6, ptr @.str.file, i32 1, ptr null }
], section "llvm.metadata"

; CHECK: define internal void @saxpy_tw_host(ptr %launch) #[[HOST:[0-9]+]]
define internal void @saxpy_tw_host(ptr %launch) {
  ret void
}

; CHECK: define internal void @saxpy_tw_simt_body(ptr %words) #[[SIMT:[0-9]+]]
define internal void @saxpy_tw_simt_body(ptr %words) {
  ret void
}

; A target region is clang's own function: it has the role of what it calls.
; CHECK: define void @__omp_offloading_1_saxpy_l1(ptr %words) #[[SIMT]]
define void @__omp_offloading_1_saxpy_l1(ptr %words) {
  call void @__omp_offloading_1_saxpy_l1_debug__(ptr %words)
  ret void
}
; CHECK: define internal void @__omp_offloading_1_saxpy_l1_debug__(ptr %words) #[[SIMT]]
define internal void @__omp_offloading_1_saxpy_l1_debug__(ptr %words) {
  call void @saxpy_tw_simt_body(ptr %words)
  ret void
}

; CHECK: define internal void @adds(ptr %x) #[[ADDS:[0-9]+]]
define internal void @adds(ptr %x) {
  ret void
}

; CHECK: define void @other_tw_host(){{ *}}{
define void @other_tw_host() {
  ret void
}

; CHECK-DAG: attributes #[[LOCAL]] = { "teamwork.local" }
; CHECK-DAG: attributes #[[OBJECT]] = { "teamwork.has_loops"="20" "teamwork.object"="saxpy" }
; CHECK-DAG: attributes #[[HOST]] = { "teamwork.host"="saxpy" }
; CHECK-DAG: attributes #[[SIMT]] = { "teamwork.simt"="saxpy" }
; CHECK-DAG: attributes #[[ADDS]] = { {{.*}}"teamwork.sharing" "teamwork.writes" }
