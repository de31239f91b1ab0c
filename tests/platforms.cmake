# Platform files: checks, properties and writing, for StarPU's machines and for this machine.
equipoise_tests(platforms
  SOURCES
    platforms/detect_test.cpp
    platforms/platform_file_test.cpp
    platforms/starpu_platform_test.cpp
    platforms/untrusted_platform_test.cpp
  LIBS equipoise::platforms
)
