# Remove what was installed under PREFIX, whichever version that was: cmake -D PREFIX=... -P cmake/uninstall.cmake
# cmake/install.cmake left a list of the names there, in which folders that it made end in a slash. They are removed, and
# PREFIX itself if it was made, where nothing else is in them now.
get_filename_component(prefix "${PREFIX}" ABSOLUTE BASE_DIR "${CMAKE_BINARY_DIR}")
set(prefix "$ENV{DESTDIR}${prefix}")
set(list "${prefix}/share/talweg/installed")
if(NOT EXISTS "${list}")
  message(FATAL_ERROR "talweg is not installed under ${prefix}: there is no list of its files, ${list}")
endif()
file(STRINGS "${list}" names)
set(folders)
foreach(name IN LISTS names)
  if(name MATCHES "/$")
    string(REGEX REPLACE "/$" "" folder "${name}")
    list(APPEND folders "${folder}")
  else()
    file(REMOVE "${prefix}/${name}")
    get_filename_component(folder "${name}" DIRECTORY)
    if(folder MATCHES "/talweg$") # talweg's own, also where an earlier version made it
      list(APPEND folders "${folder}")
    endif()
  endif()
endforeach()
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING) # what is inside a folder comes before it
foreach(folder IN LISTS folders)
  get_filename_component(path "${prefix}/${folder}" ABSOLUTE) # "." cannot be removed by that name
  file(GLOB left "${path}/*" "${path}/.*")
  if(NOT left AND IS_DIRECTORY "${path}" AND NOT IS_SYMLINK "${path}")
    file(REMOVE_RECURSE "${path}")
  endif()
endforeach()
message(STATUS "Removed talweg from ${prefix}")
