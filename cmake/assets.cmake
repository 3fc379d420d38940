# share/assets and share/errors in the build folder: what nginx serves; and the source that tells the pages where
# (assets.py).
set(asset_table ${CMAKE_BINARY_DIR}/asset_table.cpp)
file(GLOB_RECURSE asset_files CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/deploy/nginx/assets/* ${PROJECT_SOURCE_DIR}/deploy/nginx/errors/*
  ${PROJECT_SOURCE_DIR}/templates/*)
add_custom_command(OUTPUT ${asset_table}
  COMMAND ${USERSHELL_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/assets.py ${PROJECT_SOURCE_DIR}/deploy/nginx
          ${PROJECT_SOURCE_DIR}/templates/languages ${CMAKE_BINARY_DIR}/share ${asset_table}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/assets.py ${asset_files}
  VERBATIM)
add_custom_target(assets ALL DEPENDS ${asset_table})
