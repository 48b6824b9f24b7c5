# Install: the library, its public headers, find_package(crawler), pkg-config, and the tool.
include(CMakePackageConfigHelpers)

install(
  TARGETS crawler
  EXPORT crawler-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(TARGET crawler_cli)
  # The tool finds the library beside it, wherever the tree is moved to.
  file(RELATIVE_PATH bin_to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(crawler_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS crawler_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  set(made "${PROJECT_BINARY_DIR}/apps/crawler")
  install(FILES "${made}/crawler.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES "${made}/crawler.bash" RENAME crawler
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${made}/_crawler" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES "${made}/crawler.fish"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/crawler")
install(EXPORT crawler-targets NAMESPACE crawler:: DESTINATION "${package_dir}")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/crawler-config.cmake.in"
  "${PROJECT_BINARY_DIR}/crawler-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/crawler-config-version.cmake"
                                 COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/crawler-config.cmake"
              "${PROJECT_BINARY_DIR}/crawler-config-version.cmake" DESTINATION "${package_dir}")

# From where the .pc file lies back to the prefix, so that the installed tree can be moved.
file(RELATIVE_PATH CRAWLER_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_CURRENT_LIST_DIR}/crawler.pc.in" "${PROJECT_BINARY_DIR}/crawler.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/crawler.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
