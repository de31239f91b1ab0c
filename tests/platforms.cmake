# Platform files: checks, properties, writing; the platforms of StarPU's machines and of this
# machine.
equipoise_tests(platforms
  SOURCES
    platforms/detect_test.cpp
    platforms/platform_file_test.cpp
    platforms/starpu_platform_test.cpp
    platforms/untrusted_platform_test.cpp
  LIBS equipoise::platforms
)
