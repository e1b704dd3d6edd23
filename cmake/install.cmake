# What `make install` puts where: header, libraries, talweg.pc, talwegConfig.cmake.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/talweg DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS talweg talweg_static EXPORT talwegTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
