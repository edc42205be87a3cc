// SPDX-License-Identifier: MIT
//
// The test runner, compiled once: in Catch2 2.13 this file is where most of the framework's code ends up.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

int main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
