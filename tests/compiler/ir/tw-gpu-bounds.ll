; A kernel that requires a large size of work-groups tells ptxas how many threads a group has.
; RUN: %tw_opt -passes=tw-gpu-bounds %s | FileCheck %s
; REQUIRES: nvptx

; CHECK: {{"nvvm.maxntid"="300"|@exact, !"maxntidx", i32 300}}
; CHECK: {{"nvvm.maxntid"="1024"|@too_many, !"maxntidx", i32 1024}}
; CHECK-NOT: maxntid
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

define void @exact() "kernel" "teamwork.launch_bounds"="300" {
  ret void
}

; No GPU runs it, and ptxas would say so.
define void @too_many() "kernel" "teamwork.launch_bounds"="2000" {
  ret void
}

; As many registers as there are fit.
define void @keeps_small() "kernel" "teamwork.launch_bounds"="256" {
  ret void
}

define void @keeps_any() "kernel" "teamwork.launch_bounds"="0" {
  ret void
}

define void @keeps_range() "kernel" {
  ret void
}

define void @keeps_function() "teamwork.launch_bounds"="300" {
  ret void
}
