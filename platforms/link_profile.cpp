// Checks link profiles line by line, because SimGrid aborts the program on a malformed one.
#include "platforms/link_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <vector>

#include "platforms/host_properties.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "shared_policies/text/words.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

class ProfileChecker {
 public:
  ProfileChecker(double periodicity_s, double least, const std::string& where, int first_line)
      : where_(where), least_(least), line_(first_line), first_line_(first_line) {
    if (periodicity_s > 0.0) period_ = periodicity_s;
  }

  ProfileRange check(const std::string& text) {
    for (std::size_t from = 0; from < text.size(); ++line_) {
      const std::size_t end = std::min(text.find_first_of("\n\r", from), text.size());
      const std::string line = text.substr(from, end - from);
      take(split_at_blanks(line), line);
      from = end + (text.compare(end, 2, "\r\n") == 0 ? 2 : 1);
    }
    line_ = first_line_;
    if (events_ == 0) refuse("a profile without times; write lines `TIME VALUE`");
    if (period_ && loop_after_) {
      refuse("a profile with both PERIODICITY and LOOPAFTER; remove one");
    }
    if (period_ && *period_ < last_time_) {
      refuse("a profile with times after its PERIODICITY; make that longer");
    }
    if ((period_ || loop_after_) && period_.value_or(last_time_ + loop_after_.value_or(0)) < 1e-6) {
      refuse("a profile that repeats without time passing; make it repeat after 1e-6 s or more");
    }
    return seen_;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(where_ + ":" + std::to_string(line_), why);
  }

  void expect_text(const std::string& line) const {
    std::string text = line;
    std::ranges::replace(text, '\t', ' ');
    if (is_printable(text)) return;
    refuse(fmt::format("a profile is UTF-8 text without control characters, not `{}`; correct it",
                       printable(line)));
  }

  void take(const std::vector<std::string>& words, const std::string& line) {
    expect_text(line);
    if (words.empty() || words[0][0] == '#' || words[0][0] == '%') return;
    const std::optional<double> second = words.size() == 2 ? number_from(words[1]) : std::nullopt;
    if (words[0] == "PERIODICITY" || words[0] == "LOOPAFTER") {
      if (!second || *second < 0.0) refuse(words[0] + " needs seconds from 0 on; correct it");
      (words[0] == "LOOPAFTER" ? loop_after_ : period_) = second;
      return;
    }
    const std::optional<double> time_s = number_from(words[0]);
    if (!time_s || !second) {
      refuse(
          fmt::format("a profile has lines `TIME VALUE` with numbers, not `{}`; correct it "
                      "(random profiles are not supported)",
                      printable(line)));
    }
    if (*time_s < last_time_) refuse("a profile's times must not fall; sort its lines");
    if (*second < least_) {
      refuse(fmt::format("a profile's value must be {} or more, not `{}`; correct it", least_,
                         printable(words[1])));
    }
    last_time_ = *time_s;
    seen_ = {std::min(seen_.least, *second), std::max(seen_.greatest, *second)};
    ++events_;
  }

  const std::string& where_;
  double least_;
  int line_;
  int first_line_;
  std::optional<double> period_;
  std::optional<double> loop_after_;
  double last_time_ = 0.0;
  ProfileRange seen_{std::numeric_limits<double>::infinity(), 0.0};
  std::size_t events_ = 0;
};

}  // namespace

ProfileRange check_link_profile(const std::string& text, double periodicity_s, double least,
                                const std::string& where, int first_line) {
  return ProfileChecker(periodicity_s, least, where, first_line).check(text);
}

std::string find_profile(const std::string& name, const std::string& platform_file,
                         const std::string& where) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (const fs::path& folder : {fs::path(), fs::path(platform_file).parent_path()}) {
    const fs::path file = folder / name;
    if (!fs::exists(file, error)) continue;
    if (fs::is_regular_file(file, error)) return fs::absolute(file, error).string();
    throw InputError(where, "the profile " + printable(name) + " is no regular file; name one");
  }
  throw InputError(where, "no file " + printable(name) +
                              ", neither here nor beside the platform; correct the name");
}

std::string profile_text(const std::string& file) {
  return read_input(file, "give a profile of a link", most_profile_bytes);
}

}  // namespace equipoise
