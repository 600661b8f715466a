/* SPDX-License-Identifier: Apache-2.0 */
/** The version of Teamwork: what the headers say, and what the library says. */
#ifndef TEAMWORK_VERSION_H
#define TEAMWORK_VERSION_H

#include <teamwork/export.h>

/** Semantic version of these headers (semver.org): the ABI is stable within one major version. */
#define TW_VERSION_MAJOR 0
#define TW_VERSION_MINOR 2
#define TW_VERSION_PATCH 0

/** One number that orders versions: 10000 * major + 100 * minor + patch. */
#define TW_VERSION (10000 * TW_VERSION_MAJOR + 100 * TW_VERSION_MINOR + TW_VERSION_PATCH)

/** The version of SYCL after which the interface is made: 1.2.0 (spec 5.4, CL_SYCL_LANGUAGE_VERSION). */
#define TW_SYCL_LANGUAGE_VERSION 120

TW_BEGIN_DECLS

/** Compare the major part with TW_VERSION_MAJOR to detect a mismatch. Thread safe, never fails.
 *  @return the version of the library that the program runs with, as TW_VERSION counts it */
TW_API unsigned tw_version(void);

TW_END_DECLS

#endif
