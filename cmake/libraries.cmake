# Options that every target of this project is compiled and linked with.
add_library(usershell_options INTERFACE)
target_compile_features(usershell_options INTERFACE cxx_std_20)
target_include_directories(usershell_options INTERFACE ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR})
target_compile_options(usershell_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  # GCC 14 takes a std::optional that is empty for one whose value is not set.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,14>>:-Wno-maybe-uninitialized>
  # Sources of one folder are compiled as one, so anonymous namespaces are not in the file that GCC calls main.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wno-subobject-linkage>
  -fstack-protector-strong -fPIE -ffunction-sections -fdata-sections
  $<$<BOOL:${USERSHELL_WERROR}>:-Werror>
  $<$<CONFIG:RelWithDebInfo>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
target_link_options(usershell_options INTERFACE -pie -Wl,-z,relro,-z,now,--as-needed,--gc-sections,--build-id=sha1)
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

# usershell_library(name FOLDERS folder… [WITHOUT pattern…] [ALONE pattern…] [GENERATED file…] [USES library…]
#                   [SYSTEM library…])
#   The sources of the folders and of those inside them, without those whose paths match WITHOUT. With
#   CMAKE_UNITY_BUILD a folder's are compiled as one, but for those that match ALONE. The linker drops each function that
#   a program does not call; the outside libraries that it needs go by objects.
#   USES        libraries of ours, linked publicly
#   SYSTEM      outside libraries, linked privately
function(usershell_library name)
  cmake_parse_arguments(LIBRARY "" "" "FOLDERS;WITHOUT;ALONE;GENERATED;USES;SYSTEM" ${ARGN})
  list(TRANSFORM LIBRARY_FOLDERS APPEND "/*.cpp" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${patterns})
  foreach(pattern IN LISTS LIBRARY_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "^${pattern}")
  endforeach()
  list(JOIN LIBRARY_ALONE "|^" alone)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    if(NOT alone OR NOT source MATCHES "^${alone}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "all/${folder}")
    endif()
  endforeach()
  add_library(${name} STATIC ${sources} ${LIBRARY_GENERATED})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME usershell_${name} UNITY_BUILD_MODE GROUP)
  add_library(usershell_${name} ALIAS ${name})
  list(TRANSFORM LIBRARY_USES PREPEND usershell_ OUTPUT_VARIABLE used)
  target_link_libraries(${name} PUBLIC usershell_options ${used} PRIVATE ${LIBRARY_SYSTEM})
endfunction()

# usershell_program(name SOURCES … USES library…)
function(usershell_program name)
  cmake_parse_arguments(PROGRAM "" "" "SOURCES;USES" ${ARGN})
  list(TRANSFORM PROGRAM_USES PREPEND usershell_ OUTPUT_VARIABLE used)
  add_executable(${name} ${PROGRAM_SOURCES})
  target_link_libraries(${name} PRIVATE usershell_options ${used})
  add_dependencies(${name} common_passwords)
  set_property(GLOBAL APPEND PROPERTY usershell_programs ${name})
endfunction()
