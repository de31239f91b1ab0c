// The list of allowed SimGrid settings and their allowed values.
#include "platforms/platform_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "platforms/host_properties.hpp"
#include "shared_policies/text/printable_text.hpp"

namespace equipoise {
namespace {

/// A setting with a number in [least, most]. Some limits are above 0 because SimGrid divides by the
/// value.
struct NumberSetting {
  const char* name;
  double least;
  double most;
  double default_value;  ///< the value if no platform sets it
};
constexpr std::array number_settings{
    NumberSetting{"network/latency-factor", 0.0, 1e6, 1.0},
    NumberSetting{"network/bandwidth-factor", 1e-3, 1e3, 1.0},
    NumberSetting{"network/weight-S", 0.0, 1e12, 0.0},
};
constexpr const char* tcp_gamma = "network/TCP-gamma";
constexpr const char* crosstraffic = "network/crosstraffic";
constexpr const char* network_model = "network/model";

bool is_among(const std::string& value, std::span<const char* const> words) {
  return std::ranges::any_of(words, [&](const char* word) { return value == word; });
}

struct Judgement {
  std::string wanted;           ///< the values that are allowed, if the value is not
  const char* default_value{};  ///< the default value, if the value differs from it
};

Judgement judge_number(const NumberSetting& setting, const std::optional<double>& value) {
  if (!value || *value < setting.least || *value > setting.most) {
    return {fmt::format("a number from {} to {}", setting.least, setting.most), nullptr};
  }
  return {"", *value == setting.default_value ? nullptr : setting.default_value == 1.0 ? "1" : "0"};
}

/// Returns nothing for a setting that no platform may make.
std::optional<Judgement> judge(const std::string& name, const std::string& value) {
  const std::optional<double> number = number_from(value);
  for (const NumberSetting& setting : number_settings) {
    if (name == setting.name) return judge_number(setting, number);
  }
  if (name == tcp_gamma) {  // bytes of the window; no window if not positive
    if (!number || (*number > 0.0 && *number < 1.0) || *number > 1e15 || *number < -1.0) {
      return Judgement{"-1 or 0 (no limit), or bytes from 1 to 1e15", nullptr};
    }
    return Judgement{"", *number <= 0.0 ? nullptr : "0"};
  }
  if (name == crosstraffic) {
    static constexpr std::array yes{"yes", "on", "true", "1"};
    static constexpr std::array no{"no", "off", "false", "0"};
    if (is_among(value, yes)) return Judgement{"", "no"};
    return is_among(value, no) ? Judgement{} : Judgement{"yes or no", nullptr};
  }
  if (name == network_model) {
    if (value == "LV08") return Judgement{"", "CM02"};
    return value == "CM02" ? Judgement{} : Judgement{"CM02 or LV08", nullptr};
  }
  return std::nullopt;
}

}  // namespace

void PlatformSettings::take(const XmlFile& file, const pugi::xml_node& prop) {
  const std::string name = prop.attribute("id").as_string();
  const std::string value = prop.attribute("value").as_string();
  const std::optional<Judgement> judgement = judge(name, value);
  if (!judgement) {
    file.refuse(prop, fmt::format("a platform may not set `{}` of SimGrid, only network/model, "
                                  "latency-factor, bandwidth-factor, weight-S, TCP-gamma and "
                                  "crosstraffic; remove it",
                                  printable(name)));
  }
  if (!judgement->wanted.empty()) {
    file.refuse(prop, fmt::format("{} must be {}, not `{}`; correct or remove it", name,
                                  judgement->wanted, printable(value)));
  }
  const int line = file.line_of(prop);
  const auto [earlier, added] = line_of_.emplace(name, line);
  if (!added) {
    file.refuse(prop,
                fmt::format("{} is set already, on line {}; remove one", name, earlier->second));
  }
  if (judgement->default_value == nullptr) {
    defaults_.push_back(prop);
    return;
  }
  if (name == network_model) has_other_model_ = true;
  notices_.push_back(fmt::format("{}:{}: the platform sets {} = {}; the default is {}", file.path(),
                                 line, name, value, judgement->default_value));
}

void PlatformSettings::drop_defaults() {
  if (has_other_model_) return;
  for (const pugi::xml_node& prop : defaults_) prop.parent().remove_child(prop);
  defaults_.clear();
}

}  // namespace equipoise
