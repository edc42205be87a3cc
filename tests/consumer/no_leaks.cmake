# No flag, definition or warning of the library's own reaches whoever links it: include path, C++20, Eigen, no more.
set(target pbd::pbd)
get_target_property(aliased pbd::pbd ALIASED_TARGET)
if(aliased)
  set(target ${aliased})
endif()

foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS LINK_OPTIONS LINK_DIRECTORIES PRECOMPILE_HEADERS SOURCES)
  get_target_property(value ${target} INTERFACE_${property})
  if(value)
    message(FATAL_ERROR "pbd::pbd forces ${property} on its users: ${value}")
  endif()
endforeach()

get_target_property(features ${target} INTERFACE_COMPILE_FEATURES)
get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
if(NOT features STREQUAL "cxx_std_20" OR NOT libraries STREQUAL "Eigen3::Eigen")
  message(FATAL_ERROR "pbd::pbd carries more than C++20 and Eigen: ${features}; ${libraries}")
endif()
