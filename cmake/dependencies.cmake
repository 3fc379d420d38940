# Debian's packages; ./dev lists them with a word on each.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(CURL REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(Boost 1.81 REQUIRED COMPONENTS program_options json url unit_test_framework)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(ctemplate REQUIRED IMPORTED_TARGET libctemplate)
pkg_check_modules(pqxx REQUIRED IMPORTED_TARGET libpqxx libpq)
pkg_check_modules(systemd REQUIRED IMPORTED_TARGET libsystemd)
pkg_check_modules(idn2 REQUIRED IMPORTED_TARGET libidn2)
pkg_check_modules(png REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(qrencode REQUIRED IMPORTED_TARGET libqrencode)
pkg_check_modules(jpeg REQUIRED IMPORTED_TARGET libjpeg)
pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(brotli REQUIRED IMPORTED_TARGET libbrotlidec)

# Linked statically, so that the linker shows whose operating-system layer it has (docs/decisions/0006).
find_library(FCGI_ARCHIVE libfcgi.a REQUIRED)

# libunistring ships no .pc file.
find_library(UNISTRING_LIBRARY unistring REQUIRED)
add_library(unistring INTERFACE)
target_link_libraries(unistring INTERFACE ${UNISTRING_LIBRARY})
