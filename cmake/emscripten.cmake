# Emscripten's own toolchain file, wherever it is installed: an activated emsdk or a distribution's package.
execute_process(COMMAND em-config EMSCRIPTEN_ROOT
  OUTPUT_VARIABLE emscripten_root OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
include(${emscripten_root}/cmake/Modules/Platform/Emscripten.cmake)

# Eigen is only headers: the host's serve the target as well.
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
