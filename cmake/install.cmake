# What `make install` puts where: program, manual page, completion for shells, headers, libraries, talweg.pc,
# talwegConfig.cmake. Everything finds the rest relative to itself, so the prefix may be chosen at install time and the
# installed tree may be moved.
include(CMakePackageConfigHelpers)

set(TALWEG_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/talweg)

# ---- first of all, which folders are not there yet: make uninstall removes what this installation makes, and no more
set(TALWEG_FOLDERS)
foreach(folder ${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_INCLUDEDIR}/talweg ${CMAKE_INSTALL_DOCDIR} ${TALWEG_CMAKE_DIR}
    ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    ${CMAKE_INSTALL_DATADIR}/zsh/site-functions share/talweg)
  while(folder AND NOT IS_ABSOLUTE "${folder}")
    list(APPEND TALWEG_FOLDERS ${folder})
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()
list(REMOVE_DUPLICATES TALWEG_FOLDERS)
install(CODE "set(talweg_folders \".;${TALWEG_FOLDERS}\")")
install(CODE [[
  set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
  set(talweg_made "")
  foreach(folder IN LISTS talweg_folders)
    if(NOT EXISTS "${root}/${folder}")
      string(APPEND talweg_made "${folder}/\n")
    endif()
  endforeach()
  if(EXISTS "${root}/share/talweg/installed") # an installation before this one may have made others
    file(STRINGS "${root}/share/talweg/installed" before REGEX "/$")
    foreach(folder IN LISTS before)
      string(APPEND talweg_made "${folder}\n")
    endforeach()
  endif()
]])

if(NOT MPI_C_FOUND)
  set(TALWEG_NOT_INSTALLED PATTERN team_mpi.h EXCLUDE)
endif()
if(NOT TARGET talweg_distributed)
  list(APPEND TALWEG_NOT_INSTALLED PATTERN distributed.h EXCLUDE)
endif()
install(DIRECTORY include/talweg DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" ${TALWEG_NOT_INSTALLED})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(TARGETS talweg talweg_static EXPORT talwegTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(MPI_C_FOUND)
  install(TARGETS talweg_mpi EXPORT talwegTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET talweg_distributed)
  install(TARGETS talweg_distributed EXPORT talwegTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS talweg_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/man/talweg.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completion/talweg.bash RENAME talweg
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/completion/_talweg
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

# ---- CMake: find_package(talweg) gives talweg::talweg (shared) and talweg::static
install(EXPORT talwegTargets NAMESPACE talweg:: DESTINATION ${TALWEG_CMAKE_DIR})
configure_package_config_file(cmake/talwegConfig.cmake.in talwegConfig.cmake INSTALL_DESTINATION ${TALWEG_CMAKE_DIR})
write_basic_package_version_file(talwegConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/talwegConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/talwegConfigVersion.cmake
  DESTINATION ${TALWEG_CMAKE_DIR})

# ---- pkg-config: talweg.pc, talweg_mpi.pc
file(RELATIVE_PATH TALWEG_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(TALWEG_PC_LIBS_PRIVATE ${BLAS_LDFLAGS} ${LAPACKE_LDFLAGS} ${JANSSON_LDFLAGS} ${NETCDF_LDFLAGS} ${ZLIB_LDFLAGS} ${NLOPT_LDFLAGS} ${TALWEG_SPARSE_FLAGS} ${CMAKE_THREAD_LIBS_INIT} -lm)
list(REMOVE_DUPLICATES TALWEG_PC_LIBS_PRIVATE)
list(JOIN TALWEG_PC_LIBS_PRIVATE " " TALWEG_PC_LIBS_PRIVATE)
configure_file(cmake/talweg.pc.in talweg.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/talweg.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(MPI_C_FOUND)
  configure_file(cmake/talweg_mpi.pc.in talweg_mpi.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/talweg_mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# ---- the list of what was installed, relative to the prefix, and of the folders that were made, with a slash at their
# ends: make uninstall reads it (cmake/uninstall.cmake)
install(CODE [[
  set(list "share/talweg/installed")
  set(names "${list}\n${talweg_made}")
  foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
    file(RELATIVE_PATH name "${CMAKE_INSTALL_PREFIX}" "${file}")
    string(APPEND names "${name}\n")
  endforeach()
  file(WRITE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${list}" "${names}")
]])
