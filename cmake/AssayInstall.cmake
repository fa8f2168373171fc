# Installs the tool with its man page and completions, the library, its public headers, and the package that
# `find_package(assay)` reads. tests/consumer proves it.

include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/assayConfig.cmake.in ${PROJECT_BINARY_DIR}/assayConfig.cmake
  INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/assayConfigVersion.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS assay EXPORT assayTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/assay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT assayTargets NAMESPACE assay:: DESTINATION ${config_dir})
install(FILES ${PROJECT_BINARY_DIR}/assayConfig.cmake ${PROJECT_BINARY_DIR}/assayConfigVersion.cmake
  DESTINATION ${config_dir})

# The tool writes its own man page and completions, from the same tables as its help.
if(TARGET assay_cli)
  set(documents ${PROJECT_BINARY_DIR}/documents)
  add_custom_command(OUTPUT ${documents}/assay.1 ${documents}/assay ${documents}/_assay ${documents}/assay.fish
    COMMAND ${CMAKE_COMMAND} -E make_directory ${documents}
    COMMAND assay_cli help --man > ${documents}/assay.1
    COMMAND assay_cli help --completions bash > ${documents}/assay
    COMMAND assay_cli help --completions zsh > ${documents}/_assay
    COMMAND assay_cli help --completions fish > ${documents}/assay.fish
    DEPENDS assay_cli VERBATIM)
  add_custom_target(assay_documents ALL DEPENDS ${documents}/assay.1)
  install(FILES ${documents}/assay.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${documents}/assay DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${documents}/_assay DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${documents}/assay.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
