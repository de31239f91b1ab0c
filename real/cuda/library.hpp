// Libraries of the CUDA toolkit that the program opens when it needs them, so that it starts
// without them.
#pragma once

#include <string>

namespace equipoise {

/// An open shared library. It is never closed: what it started may go on until the program ends.
class Library {
 public:
  /// Opens `file`, such as "libcublas.so.13". `user` is what needs it, for the message. Throws
  /// BackendError if it cannot be opened.
  Library(const std::string& file, const std::string& user);

  /// Sets `function` to the function `name`. Throws BackendError if the library has none.
  template <class Function>
  void find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(address_of(name));
  }

 private:
  [[nodiscard]] void* address_of(const char* name) const;

  std::string file_;
  std::string user_;
  void* handle_;
};

/// Whether `file` can be opened for `kernel`, in a line: "cuBLAS: libcublas.so.13 (matmul)", or
/// "cuBLAS: none: " and why.
[[nodiscard]] std::string library_line(const std::string& name, const std::string& file,
                                       const std::string& kernel);

/// Throws what becomes of a call of a library that returned `status`: std::bad_alloc if that is
/// `no_memory`, and BlockFailure with `why` if not. `user` is what needs the library.
[[noreturn]] void throw_library_failure(const char* user, const char* call, int status,
                                        int no_memory, const std::string& why);

}  // namespace equipoise
