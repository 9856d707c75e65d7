# Installs the library into an empty folder and builds and runs a small program against it, as a user would.
set(work ${BUILD}/installed_package)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGV}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${work}/build -G Ninja
    -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
if(NOT output MATCHES "^bandwidth 0\\.[0-9]+ with dyad ${VERSION}")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
run(${work}/prefix/bin/dyad --version)
if(NOT output STREQUAL "dyad ${VERSION}\n")
  message(FATAL_ERROR "the installed program printed: ${output}")
endif()
