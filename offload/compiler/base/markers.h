/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that stand for what C cannot say: of markers, which the headers declare, and of a note of the plugin. */
#ifndef TEAMWORK_COMPILER_BASE_MARKERS_H
#define TEAMWORK_COMPILER_BASE_MARKERS_H

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>

namespace tw_compiler
{

/* What a marker is called; it is a function that stands for an intrinsic, so its whole name says what it is. */
constexpr const char *BeginMarker = "tw_internal_marker_begin";
constexpr const char *IdMarker = "tw_internal_marker_id";
constexpr const char *BarrierMarker = "tw_internal_marker_barrier";
constexpr const char *OnceMarker = "tw_internal_marker_once";
constexpr const char *ExchangeCall = "tw_internal_split_exchange"; /* of the group; not a marker */
constexpr const char *DoneMarker = "tw_internal_marker_done";
constexpr const char *SizedMarker = "tw_internal_marker_sized";
constexpr const char *ItemsMarker = "tw_internal_marker_items";
constexpr const char *PointsMarker = "tw_internal_marker_points";
constexpr const char *AloneMarker = "tw_internal_marker_alone";
constexpr const char *SameMarker = "tw_internal_marker_same";
constexpr const char *LocalMarker = "tw_internal_marker_local"; /* of C: llvm.strip.invariant.group stands for it */
constexpr const char *EndMarker = "tw_internal_marker_end";

/* The call of a marker, or null. */
llvm::CallInst *markerCall(llvm::Instruction &I, const char *Name);

/* Stands in a loop over the points of a range until it is known how many work-items share them out, which is the argument. */
constexpr const char *PointsNote = "teamwork.points";

} // namespace tw_compiler

#endif
