// Functions compiled for several instruction sets, of which the machine's best is chosen when the program
// starts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Before the definition of a function with plain loops over arrays: the compiler makes one version of it,
/// and of what it inlines, for each level of x86-64, so that one binary is fast on new machines and runs on
/// old ones. Nothing elsewhere, nor under a sanitizer, which cannot run the choice among versions at
/// start-up, nor with older Clang: version 14 compiles a function that was declared before for the newest
/// machines alone.
#if defined(__clang__)
#if __clang_major__ >= 22 && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) && \
    !__has_feature(coverage_sanitizer)
#define DYAD_HAS_CLONES
#endif
#elif defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define DYAD_HAS_CLONES
#endif

#if defined(DYAD_HAS_CLONES) && defined(__x86_64__) && defined(__gnu_linux__)
#define DYAD_SIMD __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define DYAD_SIMD
#endif
