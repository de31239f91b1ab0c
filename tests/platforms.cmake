# Platform files: checks, properties, writing; StarPU's machines and this one.
equipoise_tests(platforms
  SOURCES
    platforms_detect_test.cpp
    platforms_platform_file_test.cpp
    platforms_starpu_test.cpp
  LIBS equipoise::platforms
)
