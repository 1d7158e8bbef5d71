# What `cmake --install` puts where: the library and its headers for C++ users, the modules for the Python package.
include(GNUInstallDirs)

# Into a wheel: the extension module and the libraries it opens, beside the Python sources.
if(SKBUILD)
  install(TARGETS _core tessera tessera_codegen LIBRARY DESTINATION tessera COMPONENT python)
endif()
