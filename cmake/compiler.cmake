# Warnings, sanitizers and guards of our own targets (linked privately, so they never reach a consumer).
add_library(dyad_warnings INTERFACE)
target_compile_options(dyad_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wimplicit-fallthrough
  -Wno-missing-field-initializers)  # S{.a = 1} leaves the other fields at their defaults
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of GCC 12 inside std::string; the sanitizer builds look for the real thing.
  target_compile_options(dyad_warnings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                         -Wno-stringop-overread)
endif()
if(DYAD_WERROR)
  target_compile_options(dyad_warnings INTERFACE -Werror)
endif()

if(DYAD_SANITIZE)
  add_compile_options(-fsanitize=${DYAD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${DYAD_SANITIZE})
endif()

if(DYAD_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)  # what the fuzzer watches, in every source
endif()

# Guards of the compiler and the C library, which turn errors of memory into a stop (tests/package/hardening.cmake looks for them). They
# cost nothing that could be measured (docs/benchmarks.md).
if(DYAD_HARDEN AND NOT DYAD_SANITIZE)
  include(CheckCXXCompilerFlag)
  foreach(flag stack-protector-strong stack-clash-protection cf-protection)
    check_cxx_compiler_flag(-f${flag} DYAD_HAS_${flag})
    if(DYAD_HAS_${flag})
      add_compile_options(-f${flag})
    endif()
  endforeach()
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=3>)
  add_link_options(LINKER:-z,relro,-z,now,-z,noexecstack)
  include(CheckPIESupported)
  check_pie_supported()
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()

find_program(DYAD_CCACHE ccache)
if(DYAD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Objects of one clone serve another.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${DYAD_CCACHE})
endif()
