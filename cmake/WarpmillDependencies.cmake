# The libraries that every room may use. A machine that has no package of them, a GPU server say, can carry their headers:
# tools/carry-headers.sh gathers them into a folder, and -DWARPMILL_HEADERS=FOLDER names it. Both libraries and CLI11 work from headers alone.
set(WARPMILL_HEADERS "" CACHE PATH "Folder with the headers fmt/, nlohmann/ and CLI/, where no packages of them are installed")

# warpmill_find(PACKAGE TARGET HEADER): the package's target, else one made of the carried headers.
macro(warpmill_find package target header)
  if(WARPMILL_HEADERS)
    find_path(WARPMILL_${package}_HEADERS ${header} PATHS ${WARPMILL_HEADERS} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  else()
    # A portable program has no libfmt.so to look for on the other machine.
    if(NOT (WARPMILL_PORTABLE AND "${package}" STREQUAL "fmt"))
      find_package(${package} QUIET)
    endif()
    if(NOT TARGET ${target})
      find_path(WARPMILL_${package}_HEADERS ${header})
    endif()
  endif()
  if(NOT TARGET ${target})
    if(NOT WARPMILL_${package}_HEADERS)
      message(FATAL_ERROR "${package} is missing: install its package (see README.md), or carry its headers (tools/carry-headers.sh, -DWARPMILL_HEADERS=FOLDER)")
    endif()
    add_library(warpmill_carried_${package} INTERFACE)
    target_include_directories(warpmill_carried_${package} SYSTEM INTERFACE ${WARPMILL_${package}_HEADERS})
    add_library(${target} ALIAS warpmill_carried_${package})
  endif()
endmacro()

if(WARPMILL_PORTABLE)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()

warpmill_find(fmt fmt::fmt fmt/format.h)
warpmill_find(nlohmann_json nlohmann_json::nlohmann_json nlohmann/json.hpp)
warpmill_find(CLI11 CLI11::CLI11 CLI/CLI.hpp)
if(TARGET warpmill_carried_fmt)
  target_compile_definitions(warpmill_carried_fmt INTERFACE FMT_HEADER_ONLY)
endif()
find_package(Threads REQUIRED)
