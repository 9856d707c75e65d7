# The fixed parts of exported models, which become a part of the library.
set(DYAD_C_TEMPLATE ${PROJECT_SOURCE_DIR}/dyad/exports/predictor.c)
set(DYAD_JS_TEMPLATE ${PROJECT_SOURCE_DIR}/dyad/exports/predictor.js)
set(DYAD_SQL_TEMPLATE ${PROJECT_SOURCE_DIR}/dyad/exports/query.sql)
configure_file(${PROJECT_SOURCE_DIR}/dyad/exports/templates.cpp.in ${PROJECT_BINARY_DIR}/exports/templates.cpp @ONLY)
set_source_files_properties(${PROJECT_BINARY_DIR}/exports/templates.cpp PROPERTIES OBJECT_DEPENDS
  "${DYAD_C_TEMPLATE};${DYAD_JS_TEMPLATE};${DYAD_SQL_TEMPLATE}")
target_sources(dyad PRIVATE ${PROJECT_BINARY_DIR}/exports/templates.cpp)
