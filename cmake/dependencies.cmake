# Libraries of the system or, where it has none, downloads of exactly these versions.
include(FetchContent)
find_package(Threads REQUIRED)

# Only headers are needed: its own build would bring tests and documentation.
find_package(Eigen3 3.4 QUIET NO_MODULE)
if(NOT TARGET Eigen3::Eigen)
  FetchContent_Declare(eigen
    URL https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.gz
    URL_HASH SHA256=8586084f71f9bde545ee7fa6d00288b264a2b7ac3607b974e54d13e7162c1c72
    DOWNLOAD_EXTRACT_TIMESTAMP OFF
    SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(eigen)
  add_library(Eigen3::Eigen INTERFACE IMPORTED GLOBAL)
  target_include_directories(Eigen3::Eigen SYSTEM INTERFACE ${eigen_SOURCE_DIR})
endif()

find_package(nlohmann_json QUIET)
if(NOT TARGET nlohmann_json::nlohmann_json)
  FetchContent_Declare(nlohmann_json
    URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
    URL_HASH SHA256=d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d
    DOWNLOAD_EXTRACT_TIMESTAMP OFF
    SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(nlohmann_json)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED GLOBAL)
  target_include_directories(nlohmann_json::nlohmann_json SYSTEM INTERFACE ${nlohmann_json_SOURCE_DIR}/include)
endif()

if(DYAD_BUILD_PROGRAM)
  find_package(CLI11 QUIET)
  if(NOT TARGET CLI11::CLI11)
    FetchContent_Declare(cli11
      URL https://github.com/CLIUtils/CLI11/archive/v2.1.2.tar.gz
      URL_HASH SHA256=26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb
      DOWNLOAD_EXTRACT_TIMESTAMP OFF
      SOURCE_SUBDIR none)
    FetchContent_MakeAvailable(cli11)
    add_library(CLI11::CLI11 INTERFACE IMPORTED GLOBAL)
    target_include_directories(CLI11::CLI11 SYSTEM INTERFACE ${cli11_SOURCE_DIR}/include)
  endif()

  find_package(fmt QUIET)
  if(NOT TARGET fmt::fmt-header-only)
    FetchContent_Declare(fmt
      URL https://github.com/fmtlib/fmt/archive/9.1.0.tar.gz
      URL_HASH SHA256=5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2
      DOWNLOAD_EXTRACT_TIMESTAMP OFF
      SOURCE_SUBDIR none)
    FetchContent_MakeAvailable(fmt)
    add_library(fmt::fmt-header-only INTERFACE IMPORTED GLOBAL)
    target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY=1)
    target_include_directories(fmt::fmt-header-only SYSTEM INTERFACE ${fmt_SOURCE_DIR}/include)
  endif()
endif()

set(ZLIB_USE_STATIC_LIBS ON)  # wheels carry it
find_package(ZLIB QUIET)
if(NOT TARGET ZLIB::ZLIB)
  FetchContent_Declare(zlib
    URL https://github.com/madler/zlib/releases/download/v1.3.1/zlib-1.3.1.tar.gz
    URL_HASH SHA256=9a93b2b7dfdac77ceba5a558a580e74667dd6fede4585b91eefb60f03b72df23
    DOWNLOAD_EXTRACT_TIMESTAMP OFF
    SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(zlib)
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
