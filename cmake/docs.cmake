# The API reference, from the headers' own comments: cmake --build BUILD --target docs, then BUILD/html/index.html.
# A comment that doxygen cannot make sense of, or a link that leads nowhere, stops the build. A public name without a
# comment does not: where the signature says all, a comment would repeat it.
option(PBD_BUILD_DOCS "Add the target docs: the API reference, by doxygen" OFF)
if(NOT PBD_BUILD_DOCS)
  return()
endif()
find_package(Doxygen REQUIRED)

set(DOXYGEN_USE_MDFILE_AS_MAINPAGE ${PROJECT_SOURCE_DIR}/README.md)
set(DOXYGEN_STRIP_FROM_PATH ${PROJECT_SOURCE_DIR})
set(DOXYGEN_STRIP_FROM_INC_PATH ${PROJECT_SOURCE_DIR}/include)
set(DOXYGEN_IMAGE_PATH ${PROJECT_SOURCE_DIR})
set(DOXYGEN_EXTRACT_ALL YES)
set(DOXYGEN_EXCLUDE_SYMBOLS pbd::detail*)
set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
set(DOXYGEN_GENERATE_LATEX NO)
set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
doxygen_add_docs(docs
  ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/docs
  ${PROJECT_SOURCE_DIR}/include
  COMMENT "API reference")
