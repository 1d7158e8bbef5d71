# link_with_old_glibc(<target> <link options>): the library runs with glibc from TESSERA_GLIBC on and brings its own C++ library, hidden. For wheels; without
# TESSERA_GLIBC this does nothing. tools/glibc_stubs.py says how the versions of symbols are chosen.
set(TESSERA_GLIBC "" CACHE STRING "The oldest glibc that the libraries run with, such as 2.28; by default this system's")

if(TESSERA_GLIBC)
  set(glibc_stubs ${CMAKE_BINARY_DIR}/glibc-${TESSERA_GLIBC})
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/glibc_stubs.py ${TESSERA_GLIBC} ${glibc_stubs} --compiler ${CMAKE_C_COMPILER}
    COMMAND_ERROR_IS_FATAL ANY)
  add_library(tessera_old_glibc OBJECT ${CMAKE_CURRENT_LIST_DIR}/old_glibc.c)
endif()

function(link_with_old_glibc target)
  if(NOT TESSERA_GLIBC)
    return()
  endif()
  target_link_libraries(${target} PRIVATE tessera_old_glibc)
  target_link_options(${target} PRIVATE -L${glibc_stubs} -static-libstdc++ -Wl,--exclude-libs,ALL -Wl,--gc-sections ${ARGN})
endfunction()
