# What is installed comes first; what is not is fetched at one pinned commit, never from a branch.
# The viewer's libraries are looked for in examples/viewer.
include(FetchContent)

if(NOT TARGET Eigen3::Eigen)
  FetchContent_Declare(Eigen3
    GIT_REPOSITORY https://gitlab.com/libeigen/eigen.git
    GIT_TAG 3147391d946bb4b6c68edd901f2add6ac1f31f8c # 3.4.0
    SOURCE_SUBDIR headers-only # no such folder: Eigen's own build would add its tests and documentation
    SYSTEM
    FIND_PACKAGE_ARGS 3.4)
  FetchContent_MakeAvailable(Eigen3)
  if(NOT TARGET Eigen3::Eigen)
    add_library(Eigen3::Eigen INTERFACE IMPORTED GLOBAL)
    target_include_directories(Eigen3::Eigen INTERFACE ${eigen3_SOURCE_DIR})
  endif()
endif()

if(PBD_BUILD_TESTS)
  FetchContent_Declare(Catch2
    GIT_REPOSITORY https://github.com/catchorg/Catch2.git
    GIT_TAG fa43b77429ba76c462b1898d6cd2f2d7a9416b14 # 3.7.1
    SYSTEM
    FIND_PACKAGE_ARGS) # any version: tests/catch.hpp bridges 2.13 and 3
  FetchContent_MakeAvailable(Catch2)
  if(Catch2_SOURCE_DIR)
    list(APPEND CMAKE_MODULE_PATH ${Catch2_SOURCE_DIR}/extras)
  endif()
endif()

if(PBD_BUILD_BENCHMARKS)
  set(BENCHMARK_ENABLE_TESTING OFF)
  set(BENCHMARK_ENABLE_INSTALL OFF)
  FetchContent_Declare(benchmark
    GIT_REPOSITORY https://github.com/google/benchmark.git
    GIT_TAG 344117638c8ff7e239044fd0fa7085839fc03021 # 1.8.3
    SYSTEM
    FIND_PACKAGE_ARGS 1.7)
  FetchContent_MakeAvailable(benchmark)
endif()
