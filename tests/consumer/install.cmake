# Installs the library, then moves it: what a package that was built here, or a folder that was copied, looks like.
#   cmake -DSOURCE=… -DBUILD=… -DPREFIX=… -P install.cmake
file(REMOVE_RECURSE ${PREFIX} ${PREFIX}-before-the-move)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}-before-the-move
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${PREFIX}-before-the-move ${PREFIX})

file(GLOB_RECURSE files ${PREFIX}/*)
foreach(file IN LISTS files)
  file(READ ${file} text)
  foreach(path ${SOURCE} ${BUILD} ${PREFIX})
    string(FIND "${text}" "${path}" found)
    if(NOT found EQUAL -1)
      message(FATAL_ERROR "${file} names a folder of the machine that built it: ${path}")
    endif()
  endforeach()
endforeach()
if(NOT EXISTS ${PREFIX}/include/pbd/pbd.hpp)
  message(FATAL_ERROR "no pbd/pbd.hpp under ${PREFIX}/include: ${files}")
endif()
