# How the project declares its targets: one function each for a module, a test, a benchmark.

set(CRAWLER_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wcast-qual -Wvla)
if(CRAWLER_WERROR)
  list(APPEND CRAWLER_WARNINGS -Werror)
endif()

# Flags that every target of ours shares. Nothing here reaches the consumers of the library.
add_library(crawler_flags INTERFACE)
target_compile_options(
  crawler_flags INTERFACE ${CRAWLER_WARNINGS}
                          $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
target_compile_features(crawler_flags INTERFACE cxx_std_20 c_std_99)
if(CMAKE_UNITY_BUILD)
  # The sources of a unity build are included, and so look like headers to the first warning. A local
  # variable may have the name of something in another source.
  target_compile_options(
    crawler_flags INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage;-Wno-shadow;-Wshadow=local>)
endif()
if(CRAWLER_SANITIZE)
  target_compile_options(crawler_flags INTERFACE -fsanitize=${CRAWLER_SANITIZE}
                                                 -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(crawler_flags INTERFACE -fsanitize=${CRAWLER_SANITIZE})
endif()
if(CRAWLER_BUILD_FUZZERS)
  # The fuzzer learns from the coverage of every module, not of the fuzz target alone.
  target_compile_options(crawler_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# src/LAYERS as variables: CRAWLER_LAYER_<module> holds the modules it may use.
set(CRAWLER_LAYERS_FILE "${PROJECT_SOURCE_DIR}/src/LAYERS")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CRAWLER_LAYERS_FILE}")
file(STRINGS "${CRAWLER_LAYERS_FILE}" layer_lines REGEX "^[0-9]")
foreach(line IN LISTS layer_lines)
  if(NOT line MATCHES "^[0-9]+ +([a-z_]+) *:(.*)$")
    message(FATAL_ERROR "src/LAYERS: cannot read the line '${line}'")
  endif()
  set(module "${CMAKE_MATCH_1}")
  string(REGEX MATCHALL "[a-z_]+" CRAWLER_LAYER_${module} "${CMAKE_MATCH_2}")
  list(APPEND CRAWLER_LAYER_MODULES "${module}")
endforeach()

# crawler_module(name SOURCES a.cpp… [LIBS lib…]): the static library crawler_<name>, linked to the
# modules that src/LAYERS lets it use. Symbols are hidden: what the .so exports is marked in api/.
function(crawler_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  if(NOT name IN_LIST CRAWLER_LAYER_MODULES)
    message(FATAL_ERROR "module '${name}' has no line in src/LAYERS")
  endif()
  add_library(crawler_${name} STATIC ${arg_SOURCES})
  target_include_directories(crawler_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src"
                                                    "${PROJECT_SOURCE_DIR}/include")
  set_target_properties(
    crawler_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                               VISIBILITY_INLINES_HIDDEN ON CXX_EXTENSIONS OFF)
  list(TRANSFORM CRAWLER_LAYER_${name} PREPEND crawler_ OUTPUT_VARIABLE deps)
  target_link_libraries(crawler_${name} PUBLIC ${deps} PRIVATE crawler_flags)
  target_link_libraries(crawler_${name} PUBLIC ${arg_LIBS})
endfunction()

# Tests are most of what there is to compile, and their own speed hardly matters.
set(CRAWLER_QUICK_TO_COMPILE "$<$<CONFIG:RelWithDebInfo>:-O1;-g1>")

# GoogleTest's headers take longer to read than most tests; they are read once for all of them. The
# flags have to be the same everywhere: -pthread comes with some libraries and not with others. What
# GCC 12 warns of in vain within std::string it keeps to itself in system headers, but it forgets
# that these are such once they are precompiled.
set(CRAWLER_TEST_OPTIONS "${CRAWLER_QUICK_TO_COMPILE}" -pthread -Wno-array-bounds
    -Wno-stringop-overflow)
if(CRAWLER_BUILD_TESTS)
  find_package(GTest REQUIRED)
  add_library(crawler_test_headers OBJECT "${PROJECT_SOURCE_DIR}/tests/test_headers.cpp")
  target_link_libraries(crawler_test_headers PRIVATE crawler_flags GTest::gmock)
  target_compile_options(crawler_test_headers PRIVATE ${CRAWLER_TEST_OPTIONS})
  target_precompile_headers(crawler_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  set_target_properties(crawler_test_headers PROPERTIES CXX_EXTENSIONS OFF)
endif()

# crawler_has_suite(variable file): whether the conformance suites have the file; if not, it is
# counted as missing.
function(crawler_has_suite variable file)
  set(${variable} TRUE PARENT_SCOPE)
  if(NOT EXISTS "${CRAWLER_CONFORMANCE}/${file}")
    set(${variable} FALSE PARENT_SCOPE)
    set_property(GLOBAL APPEND PROPERTY CRAWLER_MISSING_SUITES "${file}")
  endif()
endfunction()

# crawler_test(name SOURCES a_test.cpp… LIBS crawler_url… [SUITES file filter…]): a GoogleTest
# program; each TEST in it becomes a ctest of its own. Those that match the filter behind a file of
# the conformance suites are left out where the file is missing.
function(crawler_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBS;LABELS;SUITES" ${ARGN})
  set(filter "")
  while(arg_SUITES)
    list(POP_FRONT arg_SUITES file pattern)
    crawler_has_suite(found "${file}")
    if(NOT found)
      string(APPEND filter ":${pattern}")
    endif()
  endwhile()
  if(filter)
    string(REGEX REPLACE "^:" "TEST_FILTER;-" filter "${filter}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE crawler_flags ${arg_LIBS} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_compile_options(${name} PRIVATE ${CRAWLER_TEST_OPTIONS})
  target_compile_definitions(${name}
                             PRIVATE CRAWLER_CONFORMANCE_DEFAULT="${CRAWLER_CONFORMANCE}")
  target_precompile_headers(${name} REUSE_FROM crawler_test_headers)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  gtest_discover_tests(
    ${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST ${filter}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()

# crawler_bench(name SOURCES a_bench.cpp… LIBS crawler_url…): a Google Benchmark program.
function(crawler_bench name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE crawler_flags ${arg_LIBS} benchmark::benchmark)
  target_compile_options(${name} PRIVATE "${CRAWLER_QUICK_TO_COMPILE}")
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()
