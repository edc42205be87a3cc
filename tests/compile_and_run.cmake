# Compiles with one command, then runs what came out: for flags and compilers that differ from this build's own.
#   cmake -DCOMPILE="c++;-std=c++20;…;main.cpp" -DOUTPUT=program -P compile_and_run.cmake
execute_process(COMMAND ${COMPILE} -o ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
