// What tests ask of the library that takes the place of NVML.
#pragma once

#include <dlfcn.h>

#include <stdexcept>

namespace equipoise {

constexpr const char* fake_nvml_file = "libequipoise_fake_nvml.so";

/// Sets what the GPUs of the library show: 01 counts energy, 02 tells only its power, 03 nothing.
class FakeNvml {
 public:
  FakeNvml() : library_(::dlopen(fake_nvml_file, RTLD_LAZY | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(::dlerror());
  }
  void set(unsigned long long energy_mj, unsigned int power_mw, bool lost = false) const {
    function<void(unsigned long long, unsigned int, bool)>("fake_nvml_set")(energy_mj, power_mw,
                                                                            lost);
  }
  [[nodiscard]] int users() const { return function<int()>("fake_nvml_users")(); }

 private:
  template <class Function>
  [[nodiscard]] Function* function(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(library_, name));
  }

  void* library_;
};

}  // namespace equipoise
