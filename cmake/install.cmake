# What `cmake --install` puts where: the library and its headers for C++ users, the modules for the Python package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Into a wheel: the extension module and the libraries it opens, beside the Python sources; and those of packages that
# the machine it is installed on may lack.
option(TESSERA_BUNDLE "Put the shared libraries of other packages into the wheel" ON)
if(SKBUILD)
  install(TARGETS _core tessera tessera_codegen LIBRARY DESTINATION tessera COMPONENT python)
endif()
if(SKBUILD AND TESSERA_BUNDLE)
  install(CODE "set(ours $<TARGET_FILE:tessera> $<TARGET_FILE:tessera_codegen>)" COMPONENT python)
  install(CODE [[
    file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${ours} RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
      PRE_INCLUDE_REGEXES "^lib(tbb|hwy|hwy_contrib|zstd|z)\\.so" PRE_EXCLUDE_REGEXES ".")
    foreach(library IN LISTS found)
      get_filename_component(name ${library} NAME)
      file(REAL_PATH ${library} file)
      file(COPY_FILE ${file} ${CMAKE_INSTALL_PREFIX}/tessera/${name})
    endforeach()
  ]] COMPONENT python)
endif()

# The same from the Python package: `tessera config --cmake-dir` says where this is. A wheel has the headers; in a tree
# that runs in place they are the sources', found from where the package lies, so that no file names the tree.
set(public_rooms base layout runtime ir ops graph eager engine)
if(TARGET _core)
  file(RELATIVE_PATH TESSERA_PACKAGE_HEADERS ${TESSERA_PACKAGE_DIR} ${PROJECT_SOURCE_DIR}/src)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/package_config.cmake.in ${TESSERA_PACKAGE_DIR}/cmake/tesseraConfig.cmake @ONLY)
  write_basic_package_version_file(${TESSERA_PACKAGE_DIR}/cmake/tesseraConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  set(TESSERA_PACKAGE_HEADERS include)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/package_config.cmake.in ${PROJECT_BINARY_DIR}/wheel_config/tesseraConfig.cmake @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/wheel_config/tesseraConfig.cmake ${TESSERA_PACKAGE_DIR}/cmake/tesseraConfigVersion.cmake
    DESTINATION tessera/cmake COMPONENT wheel_headers)
  foreach(room IN LISTS public_rooms)
    install(DIRECTORY src/tessera/${room}/ DESTINATION tessera/include/tessera/${room} COMPONENT wheel_headers
      FILES_MATCHING PATTERN "*.h")
  endforeach()
endif()

# For C++: find_package(tessera), then link tessera::tessera. The public header is tessera/engine/engine.h; the others
# are what it includes.
install(TARGETS tessera EXPORT tesseraTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp)
if(TARGET tessera_codegen)
  install(TARGETS tessera_codegen LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp)
endif()
foreach(room IN LISTS public_rooms)
  install(DIRECTORY src/tessera/${room}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera/${room} COMPONENT cpp
    FILES_MATCHING PATTERN "*.h")
endforeach()
install(EXPORT tesseraTargets NAMESPACE tessera:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tessera COMPONENT cpp)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(WRITE ${PROJECT_BINARY_DIR}/tesseraConfig.cmake "include(\"\${CMAKE_CURRENT_LIST_DIR}/tesseraTargets.cmake\")\n")
install(FILES ${PROJECT_BINARY_DIR}/tesseraConfig.cmake ${PROJECT_BINARY_DIR}/tesseraConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tessera COMPONENT cpp)
