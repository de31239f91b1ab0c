# Platform files: checks, properties, writing; the platforms of StarPU's machines.
equipoise_tests(platforms
  SOURCES
    platforms/platform_file_test.cpp
    platforms/starpu_platform_test.cpp
    platforms/untrusted_platform_test.cpp
  LIBS equipoise::platforms
)
