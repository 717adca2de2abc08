# Compiler settings that every target of ours shares, and `warpmill_room`, which makes one room of the house.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

add_library(warpmill_options INTERFACE)
# Same input, same bits, on any machine: the compiler may not contract a*b+c, nor assume finite maths.
target_compile_options(warpmill_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-unused-parameter -ffp-contract=off)
# clang does not know `#pragma GCC ivdep` and needs no such word to vectorise.
target_compile_options(warpmill_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-pragmas>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 warns of overlaps inside std::string at -O3 that cannot be (GCC bug 105651).
  target_compile_options(warpmill_options INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  # Newer g++ takes any reference returned by a function that was given a temporary for one to that temporary.
  target_compile_options(warpmill_options INTERFACE -Wno-dangling-reference)
endif()
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  # With sanitizers g++ warns of uninitialised values inside its own standard library (GCC's manual says so of -Wmaybe-uninitialized).
  target_compile_options(warpmill_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
if(WARPMILL_WERROR)
  target_compile_options(warpmill_options INTERFACE -Werror)
endif()
target_include_directories(warpmill_options INTERFACE ${PROJECT_SOURCE_DIR}/sim ${PROJECT_SOURCE_DIR}/app ${PROJECT_SOURCE_DIR})

# warpmill_room(NAME SOURCES a.cpp b.cpp USES other rooms and libraries)
# A room without sources yet is an interface library, so that others can already name it.
function(warpmill_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES" ${ARGN})
  if(ROOM_SOURCES)
    add_library(warpmill_${name} STATIC ${ROOM_SOURCES})
    set(how PUBLIC)
  else()
    add_library(warpmill_${name} INTERFACE)
    set(how INTERFACE)
  endif()
  target_link_libraries(warpmill_${name} ${how} warpmill_options)
  foreach(use IN LISTS ROOM_USES)
    if(use MATCHES "::")
      target_link_libraries(warpmill_${name} ${how} ${use})
    else()
      target_link_libraries(warpmill_${name} ${how} warpmill_${use})
    endif()
  endforeach()
endfunction()
