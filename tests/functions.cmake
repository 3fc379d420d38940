# How a suite registers itself. Every function adds one ctest entry, which may run beside any other; all take
#   TIMEOUT seconds   LABELS word…
# An entry names the programs that it needs (REQUIRED_FILES): ./dev test builds those and no more.

# main() of every Boost.Test program, and the framework, linked dynamically.
add_library(usershell_test_main OBJECT ${CMAKE_CURRENT_LIST_DIR}/unit/main.cpp)
target_compile_definitions(usershell_test_main PUBLIC BOOST_TEST_DYN_LINK)
target_link_libraries(usershell_test_main PUBLIC usershell_options Boost::unit_test_framework)

# The framework is read once: else it takes a third of a build. ./dev lint reads each source without it. GCC 12 no
# longer takes precompiled headers for the system's, and its false warnings of them come out.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cpp CONTENT "")
add_library(usershell_test_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
target_link_libraries(usershell_test_precompiled PRIVATE usershell_options Boost::unit_test_framework)
target_compile_definitions(usershell_test_precompiled PRIVATE BOOST_TEST_DYN_LINK)
target_precompile_headers(usershell_test_precompiled PRIVATE
  <boost/test/unit_test.hpp> <algorithm> <array> <chrono> <functional> <map> <memory> <optional> <string> <vector>)

# What a test may read from its environment.
set(USERSHELL_TEST_ENVIRONMENT
  "USERSHELL_BUILD=${CMAKE_BINARY_DIR}"
  "USERSHELL_SOURCE=${PROJECT_SOURCE_DIR}"
  "PYTHONDONTWRITEBYTECODE=1"
  "PYTHONPATH=${PROJECT_SOURCE_DIR}/tests")
if(USERSHELL_SANITIZE)
  # For programs in C++; those that a suite starts: harness/sanitizers.py.
  list(APPEND USERSHELL_TEST_ENVIRONMENT
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/harness/lsan.supp:print_suppressions=0"
    "UBSAN_OPTIONS=print_stacktrace=1")
endif()

function(usershell_describe_test name default_timeout default_label)
  cmake_parse_arguments(TEST "" "TIMEOUT" "LABELS;NEEDS;SOURCES;USES;SYSTEM" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT ${default_timeout})
  endif()
  if(USERSHELL_SANITIZE OR CMAKE_CXX_FLAGS MATCHES "--coverage")
    math(EXPR TEST_TIMEOUT "${TEST_TIMEOUT} * 10")
  endif()
  set(junit ${CMAKE_BINARY_DIR}/junit/${name}.xml)
  set_tests_properties(${name} PROPERTIES
    TIMEOUT ${TEST_TIMEOUT}
    COST ${TEST_TIMEOUT} # the long ones begin first
    LABELS "${default_label};${TEST_LABELS}"
    SKIP_RETURN_CODE 77
    ENVIRONMENT "${USERSHELL_TEST_ENVIRONMENT};USERSHELL_JUNIT=${junit};BOOST_TEST_LOGGER=HRF,warning,stdout:JUNIT,warning,${junit}")
  if(TEST_NEEDS)
    list(TRANSFORM TEST_NEEDS REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
    set_tests_properties(${name} PROPERTIES REQUIRED_FILES "${files}")
  endif()
endfunction()

function(usershell_test_program name)
  cmake_parse_arguments(PROGRAM "" "TIMEOUT" "SOURCES;USES;SYSTEM;LABELS" ${ARGN})
  list(TRANSFORM PROGRAM_USES PREPEND usershell_ OUTPUT_VARIABLE used)
  add_executable(${name} ${PROGRAM_SOURCES})
  target_link_libraries(${name} PRIVATE usershell_test_main ${used} ${PROGRAM_SYSTEM})
  target_compile_definitions(${name} PRIVATE USERSHELL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_compile_options(${name} PRIVATE
      -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-uninitialized)
  endif()
  target_precompile_headers(${name} REUSE_FROM usershell_test_precompiled)
endfunction()

# A signal ends the program. Boost.Test would go on from its handler, on a stack that may be another thread's.
set(boost_test_options --catch_system_errors=no)

# usershell_unit_test(unit_name SOURCES … [USES library…] [SYSTEM library…])
#   A Boost.Test program that needs nothing but itself.
function(usershell_unit_test name)
  usershell_test_program(${name} ${ARGN})
  add_test(NAME ${name} COMMAND ${name} ${boost_test_options})
  usershell_describe_test(${name} 300 unit NEEDS ${name} ${ARGN})
endfunction()

# usershell_postgres_test(name SOURCES … [USES library…] [SYSTEM library…])
#   A Boost.Test program that is given a PostgreSQL cluster of its own (see harness/servers/postgres.py).
function(usershell_postgres_test name)
  usershell_test_program(${name} ${ARGN})
  add_test(NAME ${name} COMMAND ${USERSHELL_PYTHON} -m harness.servers.postgres
    -- $<TARGET_FILE:${name}> ${boost_test_options})
  usershell_describe_test(${name} 600 postgres NEEDS ${name} ${ARGN})
endfunction()

# usershell_suite(name FOLDER [NEEDS program…])
#   The files test_*.py of a folder below tests/, in one process (see harness/suite.py). Without NEEDS: all programs.
function(usershell_suite name folder)
  cmake_parse_arguments(SUITE "" "" "NEEDS" ${ARGN})
  if(NOT SUITE_NEEDS)
    get_property(programs GLOBAL PROPERTY usershell_programs)
    list(APPEND ARGN NEEDS ${programs})
  endif()
  add_test(NAME ${name} COMMAND ${USERSHELL_PYTHON} -m harness.suite ${folder}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests)
  usershell_describe_test(${name} 600 python ${ARGN})
endfunction()
