# One program, every compiler and optimisation level: the numbers it prints must be the same.
#   cmake -DCOMPILERS="g++;clang++" -DVARIANTS="-O0;-O3" -DCOMPILE="-std=c++20;…;tour.cpp" -DOUTPUT=program -P same_bits.cmake
# A variant is one list element; its flags are separated by spaces.
foreach(compiler IN LISTS COMPILERS)
  foreach(variant IN LISTS VARIANTS)
    separate_arguments(flags UNIX_COMMAND "${variant}")
    execute_process(COMMAND ${compiler} ${flags} ${COMPILE} -o ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${OUTPUT} OUTPUT_VARIABLE bits COMMAND_ERROR_IS_FATAL ANY)
    string(STRIP "${bits}" bits)
    message("${bits}  ${compiler} ${variant}")
    list(APPEND all_bits "${bits}")
  endforeach()
endforeach()
list(REMOVE_DUPLICATES all_bits)
list(LENGTH all_bits distinct)
if(NOT distinct EQUAL 1)
  message(FATAL_ERROR "the same motion has ${distinct} results")
endif()
