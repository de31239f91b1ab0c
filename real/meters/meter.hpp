// The interface of energy meters, and the meters that a machine has.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace equipoise {

/// Counts the energy that a domain of the machine takes: a CPU package or a GPU.
class Meter {
 public:
  /// `source` is what the readings come from: "RAPL", "NVML".
  Meter(std::string domain, std::string source)
      : domain_(std::move(domain)), source_(std::move(source)) {}
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  virtual ~Meter() = default;

  /// "package-0", "cuda:0"
  [[nodiscard]] const std::string& domain() const { return domain_; }
  [[nodiscard]] const std::string& source() const { return source_; }

  /// The energy in joules that the domain has taken since its first reading, which gives 0. `now_s`
  /// is the time now in seconds since any moment; meters that only tell power need it. Returns
  /// nullopt if the meter cannot be read (any more). To be called by one thread at a time, at least
  /// every few seconds while its readings are compared: counters wrap around.
  [[nodiscard]] virtual std::optional<double> joules(double now_s) = 0;

 private:
  std::string domain_;
  std::string source_;
};

/// The meters that were found.
struct Meters {
  std::vector<std::unique_ptr<Meter>> found;
  /// What is not measured, and why: phrases for people.
  std::vector<std::string> notes;
};

}  // namespace equipoise
