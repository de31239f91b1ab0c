# equipoise_add_policy(NAME SOURCES...) adds the target NAME: the library NAME.so, with a policy for
# `--policy PATH/NAME.so`. The library finds the functions of Equipoise in the program that opens it,
# and shows it nothing but the function equipoise_policy, so that names in it may be like ours.
function(equipoise_add_policy name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX .so
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${name} PRIVATE equipoise::headers)
endfunction()
