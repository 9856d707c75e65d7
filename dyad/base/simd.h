// Functions compiled for several instruction sets, of which the machine's best is chosen when the program
// starts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Before the definition of a function with plain loops over arrays: the compiler makes one version of it,
/// and of what it inlines, for each level of x86-64, so that one binary is fast on new machines and runs on
/// old ones. Nothing elsewhere, nor under a sanitizer, which cannot run the choice among versions at
/// start-up.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DYAD_SIMD __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define DYAD_SIMD
#endif
