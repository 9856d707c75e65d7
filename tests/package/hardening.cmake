# Whether the program has the guards that cmake/compiler.cmake asks for: addresses that change from run to run, tables of functions that
# cannot be written, a stack that cannot be executed, and checked copies.
execute_process(COMMAND ${READELF} --wide --file-header --dynamic --segments --symbols ${PROGRAM}
  OUTPUT_VARIABLE elf RESULT_VARIABLE code)
if(code)
  message(FATAL_ERROR "cannot look into ${PROGRAM}")
endif()
foreach(wanted "Type: +DYN" "GNU_RELRO" "FLAGS_1.*NOW.*PIE" "GNU_STACK +[x0-9a-f ]+ RW " "__stack_chk_fail" "_chk@")
  if(NOT elf MATCHES "${wanted}")
    message(FATAL_ERROR "${PROGRAM} was linked without: ${wanted}")
  endif()
endforeach()
