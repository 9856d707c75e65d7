# Warnings, sanitizers and guards of our own targets (linked privately, so they never reach a consumer).
add_library(dyad_warnings INTERFACE)
target_compile_options(dyad_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Woverloaded-virtual -Wimplicit-fallthrough
  -Wno-missing-field-initializers)  # S{.a = 1} leaves the other fields at their defaults
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of GCC 12 inside std::string, and on unnamed namespaces of joined sources; Clang looks for the real thing.
  target_compile_options(dyad_warnings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                         -Wno-stringop-overread -Wno-subobject-linkage)
else()
  target_compile_options(dyad_warnings INTERFACE -Wshadow)
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

# Program, tests and Python module are made of the same objects.
if(NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
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
endif()

# Compiles the sources of each folder, with its subfolder internal, as one (DYAD_JOIN_SOURCES), and those of
# neighbouring folders of the library, too: headers are read and templates instantiated once. Names in unnamed
# namespaces are therefore unique there.
set(dyad_neighbours
  "base|counts|data|density|dependence"
  "evaluation|explanation|io|model|simulation"
  "fit|pairs|terms|weights")
function(dyad_join_sources target)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    string(REGEX REPLACE "/internal$" "" folder "${folder}")
    cmake_path(GET folder FILENAME group)
    foreach(folders ${dyad_neighbours})
      if(folder MATCHES "/dyad/(${folders})$")
        string(REPLACE "|" "_" group "${folders}")
      endif()
    endforeach()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${DYAD_JOIN_SOURCES} UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
endfunction()

# For code that waits for files and people, most of the program by size: compiled in two thirds of the time.
function(dyad_compile_for_size target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Os>)
endfunction()

# Links the C++ library into a target, where the system has it as a static one, for wheels to run on other systems.
function(dyad_carry_runtime target)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -static-libstdc++ DYAD_STATIC_RUNTIME)
  if(DYAD_STATIC_RUNTIME)
    # Without the parts of it that are not used, one of which needs a newer C library.
    target_link_options(${target} PRIVATE -static-libstdc++ LINKER:--gc-sections)
  endif()
endfunction()

find_program(DYAD_CCACHE ccache)
if(DYAD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Objects of one clone serve another.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${DYAD_CCACHE})
endif()
