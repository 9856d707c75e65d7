# dyad::report writes the report page. It carries plotly.js, so that programs without pages link dyad::dyad alone.
file(GLOB_RECURSE report_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/dyad/report/*.cpp)
add_library(dyad_report STATIC ${report_sources})
add_library(dyad::report ALIAS dyad_report)
target_link_libraries(dyad_report PUBLIC dyad
                                  PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json> $<BUILD_INTERFACE:dyad_warnings>)
set_target_properties(dyad_report PROPERTIES EXPORT_NAME report)
dyad_join_sources(dyad_report)
dyad_compile_for_size(dyad_report)

# The page: our files, and plotly.js from the Python package of that name.
file(GLOB page_scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/dyad/report/page/*.js)  # in the order of their names
list(PREPEND page_scripts ${PROJECT_SOURCE_DIR}/dyad/exports/predictor.js)
set(DYAD_PAGE_FRAME ${PROJECT_SOURCE_DIR}/dyad/report/page/page.html)
set(DYAD_PAGE_STYLE ${PROJECT_SOURCE_DIR}/dyad/report/page/page.css)
set(DYAD_PAGE_SCRIPT ${PROJECT_BINARY_DIR}/report/page.js)
add_custom_command(OUTPUT ${DYAD_PAGE_SCRIPT} DEPENDS ${page_scripts}
  COMMAND ${CMAKE_COMMAND} -E cat ${page_scripts} > ${DYAD_PAGE_SCRIPT} VERBATIM)

if(NOT EXISTS "${DYAD_PLOTLY}")
  file(GLOB site_packages ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages)
  if(Python_EXECUTABLE)  # of the build of a wheel
    execute_process(COMMAND ${Python_EXECUTABLE} -c "import plotly; print(*plotly.__path__)"
      OUTPUT_VARIABLE plotly_package OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  unset(DYAD_PLOTLY CACHE)
  find_file(DYAD_PLOTLY plotly.min.js NO_DEFAULT_PATH DOC "plotly.js, for the report page"
    PATHS ${plotly_package}/package_data ${site_packages}
    PATH_SUFFIXES plotly/package_data)
endif()
if(NOT DYAD_PLOTLY)
  message(WARNING "plotly.js is missing, so that `dyad report` cannot write pages: "
                  "pip install plotly, or set DYAD_PLOTLY to plotly.min.js")
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/report)
  file(TOUCH ${PROJECT_BINARY_DIR}/report/no_plotly.js)
  set(DYAD_PLOTLY ${PROJECT_BINARY_DIR}/report/no_plotly.js)
endif()

configure_file(${PROJECT_SOURCE_DIR}/dyad/report/page_files.cpp.in ${PROJECT_BINARY_DIR}/report/page_files.cpp @ONLY)
set_source_files_properties(${PROJECT_BINARY_DIR}/report/page_files.cpp PROPERTIES OBJECT_DEPENDS
  "${DYAD_PAGE_FRAME};${DYAD_PAGE_STYLE};${DYAD_PAGE_SCRIPT};${DYAD_PLOTLY}")
target_sources(dyad_report PRIVATE ${PROJECT_BINARY_DIR}/report/page_files.cpp)
