# Libraries of the system or, where it has none, downloads of exactly these versions.
include(FetchContent)
find_package(Threads REQUIRED)

# Fetches the sources of a library into ${name}_SOURCE_DIR, without its own build, tests and documentation.
macro(dyad_fetch name url sha256)
  FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${sha256} DOWNLOAD_EXTRACT_TIMESTAMP OFF SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(${name})
endmacro()

# The same for a library of headers alone, in `folder` of its sources, as the target `target`.
macro(dyad_fetch_headers target folder name url sha256)
  dyad_fetch(${name} ${url} ${sha256})
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${name}_SOURCE_DIR}/${folder})
endmacro()

find_package(Eigen3 3.4 QUIET NO_MODULE)
if(NOT TARGET Eigen3::Eigen)
  dyad_fetch_headers(Eigen3::Eigen "" eigen
    https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.gz
    8586084f71f9bde545ee7fa6d00288b264a2b7ac3607b974e54d13e7162c1c72)
endif()

find_package(nlohmann_json QUIET)
if(NOT TARGET nlohmann_json::nlohmann_json)
  dyad_fetch_headers(nlohmann_json::nlohmann_json include nlohmann_json
    https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
    d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)
endif()

if(DYAD_BUILD_PROGRAM)
  find_package(CLI11 QUIET)
  if(NOT TARGET CLI11::CLI11)
    dyad_fetch_headers(CLI11::CLI11 include cli11
      https://github.com/CLIUtils/CLI11/archive/v2.1.2.tar.gz
      26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb)
  endif()

  find_package(fmt QUIET)
  if(NOT TARGET fmt::fmt-header-only)
    dyad_fetch_headers(fmt::fmt-header-only include fmt
      https://github.com/fmtlib/fmt/archive/9.1.0.tar.gz
      5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2)
    target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY=1)
  endif()
endif()

set(ZLIB_USE_STATIC_LIBS ON)  # wheels carry it
find_package(ZLIB QUIET)
if(NOT TARGET ZLIB::ZLIB)
  dyad_fetch(zlib https://github.com/madler/zlib/releases/download/v1.3.1/zlib-1.3.1.tar.gz
    9a93b2b7dfdac77ceba5a558a580e74667dd6fede4585b91eefb60f03b72df23)
  enable_language(C)
  file(GLOB zlib_sources ${zlib_SOURCE_DIR}/*.c)
  add_library(dyad_zlib STATIC ${zlib_sources})
  target_compile_definitions(dyad_zlib PRIVATE HAVE_UNISTD_H)
  set_target_properties(dyad_zlib PROPERTIES POSITION_INDEPENDENT_CODE ON)
  # Imported, for the installed library to name zlib as if it were the system's.
  add_library(ZLIB::ZLIB INTERFACE IMPORTED GLOBAL)
  target_link_libraries(ZLIB::ZLIB INTERFACE dyad_zlib)
  target_include_directories(ZLIB::ZLIB SYSTEM INTERFACE ${zlib_SOURCE_DIR})
endif()
