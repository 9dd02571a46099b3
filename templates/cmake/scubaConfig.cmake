# find_package(scuba) after project(): what this build compiles and links from here on is analysed.
#
#   SCUBA_ENABLE             OFF leaves the build as it is; scuba_check() then does nothing [ON]
#   SCUBA_EXECUTABLE         `scuba`, SCUBA_NVCC_EXECUTABLE `scuba-nvcc` [beside this package, else in PATH]
#   scuba_check(TARGET [TEST] [OPTIONS …])
#       a target TARGET-scuba that reports on the program or library of TARGET alone, and fails where a finding is denied;
#       with TEST also a test `scuba.TARGET`. OPTIONS are those of `scuba check`.
#
# Launchers that are set already (ccache) stay behind ours. Works with CMake 3.18 and later, Ninja and Makefiles.

option(SCUBA_ENABLE "analyse CUDA memory accesses while building" ON)

set(_scuba_bin "${CMAKE_CURRENT_LIST_DIR}/../../../bin")
find_program(SCUBA_EXECUTABLE scuba HINTS "${_scuba_bin}")
find_program(SCUBA_NVCC_EXECUTABLE scuba-nvcc HINTS "${_scuba_bin}")
unset(_scuba_bin)

if(NOT SCUBA_EXECUTABLE OR NOT SCUBA_NVCC_EXECUTABLE)
  set(scuba_FOUND FALSE)
  set(scuba_NOT_FOUND_MESSAGE "scuba and scuba-nvcc are not in PATH: set SCUBA_EXECUTABLE and SCUBA_NVCC_EXECUTABLE")
  return()
endif()

if(SCUBA_ENABLE)
  foreach(_scuba_language IN ITEMS CUDA CXX C)
    if(NOT SCUBA_NVCC_EXECUTABLE IN_LIST CMAKE_${_scuba_language}_COMPILER_LAUNCHER)
      list(PREPEND CMAKE_${_scuba_language}_COMPILER_LAUNCHER "${SCUBA_NVCC_EXECUTABLE}")
    endif()
  endforeach()
  unset(_scuba_language)
  # CMake links CUDA programs with the host's compiler. A launcher of the links is a property of the whole build.
  get_property(_scuba_before GLOBAL PROPERTY RULE_LAUNCH_LINK)
  if(NOT _scuba_before MATCHES "scuba-nvcc")
    set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "\"${SCUBA_NVCC_EXECUTABLE}\" ${_scuba_before}")
  endif()
  unset(_scuba_before)
  # Which objects make which program: CMake tells from 3.27 on, and before once the shim has asked, from the next configuration on.
  if(COMMAND cmake_file_api)
    cmake_file_api(QUERY API_VERSION 1 CODEMODEL 2)
  endif()
endif()

function(scuba_check target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TEST" "" "OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "scuba_check(${target}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "scuba_check(${target}): there is no such target")
  endif()
  if(NOT SCUBA_ENABLE)
    return()
  endif()
  set(command "${SCUBA_EXECUTABLE}" check "${CMAKE_BINARY_DIR}" --program "$<TARGET_FILE:${target}>" ${arg_OPTIONS})
  add_custom_target(${target}-scuba COMMAND ${command} VERBATIM)
  add_dependencies(${target}-scuba ${target})
  if(arg_TEST)
    add_test(NAME scuba.${target} COMMAND ${command})
  endif()
endfunction()
