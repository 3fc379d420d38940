# Options that every target of this project is compiled and linked with.
add_library(usershell_options INTERFACE)
target_compile_features(usershell_options INTERFACE cxx_std_20)
target_include_directories(usershell_options INTERFACE ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR})
target_compile_options(usershell_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  # GCC 14 takes a std::optional that is empty for one whose value is not set.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,14>>:-Wno-maybe-uninitialized>
  # Eight sources of a target are compiled as one, so anonymous namespaces are not in the file that GCC calls main.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wno-subobject-linkage>
  -fstack-protector-strong -fPIE
  $<$<BOOL:${USERSHELL_WERROR}>:-Werror>
  $<$<CONFIG:RelWithDebInfo>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
target_link_options(usershell_options INTERFACE -pie -Wl,-z,relro,-z,now,--as-needed,--build-id=sha1)
if(USERSHELL_SANITIZE)
  target_compile_options(usershell_options INTERFACE -fsanitize=${USERSHELL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(usershell_options INTERFACE -fsanitize=${USERSHELL_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    # Its mark before each function is more than clang 14 can write before a coroutine.
    target_compile_options(usershell_options INTERFACE -fno-sanitize=function)
  elseif(USERSHELL_SANITIZE MATCHES undefined)
    # As a shared library UBSan's runtime writes to standard error, where tests do not look, whatever log_path says; and
    # beside a shared one of ASan's a static one takes its reports apart.
    target_link_options(usershell_options INTERFACE -static-libasan -static-libubsan)
  endif()
endif()
target_compile_definitions(usershell_options INTERFACE USERSHELL_VERSION="${USERSHELL_VERSION}")
target_link_libraries(usershell_options INTERFACE Threads::Threads)

# usershell_layer(name [PARTS] SOURCES … [USES layer…] [SYSTEM library…])
#   PARTS       programs take single files of it: each is compiled by itself, because the linker takes whole objects;
#               files that the same programs take may share a UNITY_GROUP
#   USES        layers whose headers this one may include: linked publicly
#   SYSTEM      outside libraries, linked privately unless the headers show them
function(usershell_layer name)
  cmake_parse_arguments(LAYER "PARTS" "" "SOURCES;USES;SYSTEM;PUBLIC_SYSTEM" ${ARGN})
  add_library(${name} STATIC ${LAYER_SOURCES})
  list(TRANSFORM LAYER_USES PREPEND usershell_ OUTPUT_VARIABLE used)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME usershell_${name})
  if(LAYER_PARTS)
    set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
  endif()
  add_library(usershell_${name} ALIAS ${name})
  target_link_libraries(${name} PUBLIC usershell_options ${used} ${LAYER_PUBLIC_SYSTEM} PRIVATE ${LAYER_SYSTEM})
endfunction()

# usershell_program(name SOURCES … USES layer…)
function(usershell_program name)
  cmake_parse_arguments(PROGRAM "" "" "SOURCES;USES" ${ARGN})
  list(TRANSFORM PROGRAM_USES PREPEND usershell_ OUTPUT_VARIABLE used)
  add_executable(${name} ${PROGRAM_SOURCES})
  target_link_libraries(${name} PRIVATE usershell_options ${used})
  add_dependencies(${name} common_passwords)
  set_property(GLOBAL APPEND PROPERTY usershell_programs ${name})
endfunction()
