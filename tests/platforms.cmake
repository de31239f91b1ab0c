# Platform files: checks, properties, writing; StarPU's machines and this one.
equipoise_tests(platforms
  SOURCES
    platforms/detect_test.cpp
    platforms/platform_file_test.cpp
    platforms/starpu_platform_test.cpp
    platforms/untrusted_platform_test.cpp
  LIBS equipoise::platforms
)
