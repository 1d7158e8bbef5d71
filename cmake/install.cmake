# What `cmake --install` puts where: the library and its headers for C++ users, the modules for the Python package.
include(GNUInstallDirs)
