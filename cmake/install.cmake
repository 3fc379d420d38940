# What `cmake --install` puts where, for a package: deploy/debian/rules. What an operator changes is in /etc whatever
# the prefix. Units name /usr/lib/usershell, so the prefix is /usr.
set(USERSHELL_UNIT_DIR lib/systemd/system CACHE STRING "Where systemd finds units")

install(TARGETS usershell-auth usershell-manage usershell-execute usershell-opener usershell-mail DESTINATION lib/usershell)
install(TARGETS usershellctl DESTINATION bin)
install(PROGRAMS systemd/restart-all systemd/restart-pool systemd/restrict-addresses DESTINATION lib/usershell)

install(FILES ${common_passwords} sql/roles.sql DESTINATION share/usershell)
install(DIRECTORY templates ${CMAKE_BINARY_DIR}/share/assets ${CMAKE_BINARY_DIR}/share/errors DESTINATION share/usershell)

file(GLOB units CONFIGURE_DEPENDS systemd/*.service systemd/*.socket systemd/*.slice systemd/*.target systemd/*.timer)
install(FILES ${units} DESTINATION ${USERSHELL_UNIT_DIR})
install(DIRECTORY systemd/usershell-.service.d DESTINATION ${USERSHELL_UNIT_DIR})
install(FILES systemd/90-usershell.preset DESTINATION lib/systemd/system-preset)
install(FILES systemd/usershell.sysusers DESTINATION lib/sysusers.d RENAME usershell.conf)
install(FILES systemd/usershell.tmpfiles DESTINATION lib/tmpfiles.d RENAME usershell.conf)

install(DIRECTORY deploy/settings/ DESTINATION /etc/usershell FILES_MATCHING PATTERN *.conf)
install(FILES deploy/nginx/site.conf DESTINATION /etc/nginx/sites-available RENAME usershell)
install(FILES deploy/nginx/metrics.conf DESTINATION /etc/nginx/sites-available RENAME usershell-metrics)
# Not in /etc, where files outlive the version that they belong to, the package, and the modules that it depends on.
install(DIRECTORY deploy/nginx/snippets DESTINATION share/usershell/nginx)
install(DIRECTORY deploy/nginx/modules/ DESTINATION share/usershell/nginx)
# Where nginx's Lua looks for modules.
install(DIRECTORY deploy/nginx/lua/usershell ${CMAKE_BINARY_DIR}/share/lua/usershell DESTINATION share/lua/5.1)
install(DIRECTORY deploy/monitoring DESTINATION share/usershell)
