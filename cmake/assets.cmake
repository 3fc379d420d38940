# USERSHELL_ASSETS: the path under which pages ask for their assets. It names a hash of all of them, so
# that browsers may keep them for good; a change of any one is a new path. Scripts find each other by
# relative paths and so stay under it.
file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/deploy/nginx/assets/*)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
set(hashes "")
foreach(file ${files})
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 hash)
set(USERSHELL_ASSETS /assets/v-${hash})
