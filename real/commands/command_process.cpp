// Starts processes with vfork, because a fork of a large program takes long, and because the new
// process has to tell the guard of itself before it becomes the command.
#include "real/commands/command_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "real/commands/process_guard.hpp"
#include "real/mpi/mpi_module.hpp"
#include "shared_policies/text/printable_text.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): the name POSIX gives it

namespace equipoise {
namespace {

constexpr std::size_t log_bytes_max = std::size_t{1} << 20;
constexpr std::size_t tail_bytes_max = 4096;
constexpr std::size_t last_words_max = 300;
constexpr std::size_t line_bytes_max = std::size_t{1} << 16;
constexpr std::chrono::milliseconds look_span{20};  // between two looks whether it is wanted
constexpr std::chrono::milliseconds blind_span{1};  // between two looks at a process without notice
constexpr std::chrono::milliseconds grace{500};     // from the wish to the kill
constexpr std::chrono::seconds kill_patience{5};    // a killed process may hang in the kernel

void close_file(int& file) {
  if (file >= 0) close(file);
  file = -1;
}

/// A pipe whose ends no command inherits.
struct Pipe {
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      throw std::runtime_error(std::string("no pipe for a command: ") + std::strerror(errno));
    }
    from = ends[0];
    to = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_file(from);
    close_file(to);
  }
  int from = -1;
  int to = -1;
};

bool is_program(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

/// The file that `word` names, seen from `folder`.
std::string program_file(const std::string& word, const std::string& folder, const char* member) {
  if (word.find('/') != std::string::npos) {
    std::string path = word.front() == '/' ? word : folder + "/" + word;
    if (is_program(path)) return path;
    const bool is_there = access(path.c_str(), F_OK) == 0;
    const std::string why = is_there ? "it is no program; chmod +x it"
                                     : fmt::format("there is no such file; correct \"{}\"", member);
    throw std::runtime_error(fmt::format("cannot start {}: {}", path, why));
  }
  const char* const path = std::getenv("PATH");
  const std::string_view all = path == nullptr ? "/usr/bin:/bin" : path;
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(':', begin), all.size());
    const std::string place(all.substr(begin, end - begin));
    std::string file = (place.empty() ? "." : place) + "/" + word;
    if (is_program(file)) return file;
    begin = end + 1;
  }
  throw std::runtime_error(
      fmt::format("cannot start {0}: there is no such program in PATH; write "
                  "./{0} if it lies beside the work file",
                  word));
}

/// Texts as a new process gets them.
class TextArray {
 public:
  explicit TextArray(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] char** pointers() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string text = *one;
    if (is_of_a_rank(text)) continue;  // a command that uses MPI is no rank of ours
    if (!more.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  return all;
}

constexpr const char* enter_folder = "enter the folder";

/// Why a program could not be started that is there and may be, or a folder not be entered.
std::string start_error(int error, bool is_of_folder) {
  if (error == ENOEXEC) return "a script begins with #!/bin/sh or the like; add such a line";
  if (error == ENOENT && !is_of_folder) return "what its first line names (#!) is not there";
  return std::strerror(error);
}

/// What the new process needs before it becomes the command.
struct Launch {
  const char* program;
  char** words;
  char** environment;
  const char* folder;
  const cpu_set_t* cores;  ///< null: as they are
  int guard;
  std::array<int, 3> standard;   ///< its input, output, and errors
  const char* failed = nullptr;  ///< what could not be done; null: nothing
  int error = 0;
};

/// Becomes the command. Runs in the memory of this program, whose calling thread waits, so it only
/// makes system calls.
[[noreturn]] void become(Launch& launch, const sigset_t& mask) {
  const auto give_up = [&launch](const char* what) {
    launch.failed = what;
    launch.error = errno;
    _exit(127);
  };
  setsid();  // with a group of its own, and without a terminal at which it could wait for ever
  if (!send_to_guard(launch.guard, {.kind = '+', .group = getpid()})) give_up("guard");
  if (chdir(launch.folder) != 0) give_up(enter_folder);
  if (launch.cores != nullptr) sched_setaffinity(0, sizeof *launch.cores, launch.cores);
  for (int i = 0; i < 3; ++i) {
    if (dup2(launch.standard[static_cast<std::size_t>(i)], i) < 0) give_up("connect");
  }
  if (close_range(3, ~0U, 0) != 0) {  // as old systems do
    for (int file = 3; file < 1024; ++file) close(file);
  }
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (const int one : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ, SIGCHLD}) {
    sigaction(one, &usual, nullptr);
  }
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execve(launch.program, launch.words, launch.environment);
  give_up("start");
  _exit(127);
}

/// Starts the command. The signals of this program must not run its handlers in the new process.
[[gnu::noinline]] pid_t start_process(Launch& launch) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  sigset_t none;
  sigemptyset(&none);
  const pid_t process = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (process == 0) become(launch, none);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return process;
}

/// The commands that run.
struct Running {
  std::mutex mutex;
  std::set<pid_t> processes;
};

Running running;

int open_notice(pid_t process) { return static_cast<int>(syscall(SYS_pidfd_open, process, 0)); }

}  // namespace

namespace {

/// The CPU time of the process that /proc calls `process`, if it is in one of `groups`, and of
/// those for which it has waited.
double seconds_in_groups(const std::string& process, const std::set<pid_t>& groups) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string text;
  if (!std::getline(file, text)) return 0.0;
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string state;
  long parent = 0, group = 0, session = 0, terminal = 0, foreground = 0;
  unsigned long flags = 0, minor = 0, minor_waited = 0, major = 0, major_waited = 0;
  unsigned long user = 0, system = 0, user_waited = 0, system_waited = 0;
  fields >> state >> parent >> group >> session >> terminal >> foreground >> flags >> minor >>
      minor_waited >> major >> major_waited >> user >> system >> user_waited >> system_waited;
  if (!fields || !groups.contains(static_cast<pid_t>(group))) return 0.0;
  return static_cast<double>(user + system + user_waited + system_waited) /
         static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

double commands_cpu_seconds() {
  const std::lock_guard<std::mutex> lock(running.mutex);
  rusage ended{};
  getrusage(RUSAGE_CHILDREN, &ended);
  double seconds = 0.0;
  for (const timeval& part : {ended.ru_utime, ended.ru_stime}) {
    seconds += static_cast<double>(part.tv_sec) + 1e-6 * static_cast<double>(part.tv_usec);
  }
  if (running.processes.empty()) return seconds;
  std::error_code ignored;
  for (const auto& process : std::filesystem::directory_iterator("/proc", ignored)) {
    seconds += seconds_in_groups(process.path().filename(), running.processes);
  }
  return seconds;
}

void expect_program(const ProcessStart& start) {
  static_cast<void>(program_file(start.words.front(), start.folder, start.member));
}

ProcessWords::~ProcessWords() { close_file(file_); }

void ProcessWords::add(const char* text, std::size_t bytes) {
  tail_.append(text + bytes - std::min(bytes, tail_bytes_max), std::min(bytes, tail_bytes_max));
  if (tail_.size() > 2 * tail_bytes_max) tail_.erase(0, tail_.size() - tail_bytes_max);
  if (log_.empty() || logged_ >= log_bytes_max) return;
  if (file_ < 0) file_ = open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const std::size_t part = std::min(bytes, log_bytes_max - logged_);
  logged_ += part;
  // A log that cannot be written ends no run.
  if (file_ < 0 || write(file_, text, part) < 0) logged_ = log_bytes_max;
}

std::string ProcessWords::last() const {
  std::string text = tail_;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.size() > last_words_max) text = "..." + text.substr(text.size() - last_words_max);
  std::ranges::replace(text, '\n', ' ');
  return printable(text, 4 * last_words_max);
}

std::string ProcessEnd::text() const {
  if (!is_exit && number == 0) return "nobody knows what";
  return is_exit ? fmt::format("exit code {}", number)
                 : fmt::format("signal {} ({})", number, strsignal(number));
}

CommandProcess::CommandProcess(const ProcessStart& start, ProcessWords& words)
    : words_(words), is_spoken_to_(start.is_spoken_to) {
  process_guard::start();
  try {
    spawn(start);
  } catch (...) {
    close_all();
    throw;
  }
}

void CommandProcess::spawn(const ProcessStart& start) {
  const std::string file = program_file(start.words.front(), start.folder, start.member);
  const std::string program = std::filesystem::absolute(file);
  TextArray arguments(start.words);
  TextArray environment(environment_with(start.environment));
  Pipe output;
  std::array<int, 3> standard = {-1, output.to, output.to};
  std::optional<Pipe> input;
  std::optional<Pipe> errors;
  int nothing = -1;
  if (is_spoken_to_) {
    standard = {input.emplace().from, output.to, errors.emplace().to};
  } else {
    standard[0] = nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (const int core : start.cores) {
    if (core < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(core), &cores);
  }
  Launch launch{program.c_str(),
                arguments.pointers(),
                environment.pointers(),
                start.folder.c_str(),
                start.cores.empty() ? nullptr : &cores,
                process_guard::socket(),
                standard};
  const pid_t process = start_process(launch);
  const int error = errno;
  close_file(nothing);
  if (process < 0) {
    throw std::runtime_error(fmt::format("cannot start {}: {}", file, std::strerror(error)));
  }
  if (launch.failed != nullptr) {
    process_guard::forget(process);
    waitpid(process, nullptr, 0);
    const bool is_of_folder = launch.failed == std::string_view(enter_folder);
    throw std::runtime_error(fmt::format("cannot {} {}: {}", launch.failed,
                                         is_of_folder ? start.folder : file,
                                         start_error(launch.error, is_of_folder)));
  }
  process_ = process;
  {
    const std::lock_guard<std::mutex> lock(running.mutex);
    running.processes.insert(process);
  }
  notice_ = open_notice(process);
  output_file_ = std::exchange(output.from, -1);
  fcntl(output_file_, F_SETFL, O_NONBLOCK);
  if (!is_spoken_to_) return;
  input_ = std::exchange(input->to, -1);
  errors_file_ = std::exchange(errors->from, -1);
  fcntl(errors_file_, F_SETFL, O_NONBLOCK);
  fcntl(input_, F_SETFL, O_NONBLOCK);
}

CommandProcess::~CommandProcess() {
  if (process_ != 0) {
    kill(-process_, SIGTERM);
    close_file(input_);
    const auto patience = Clock::now() + grace;
    Waited waited = Waited::line;
    while (waited == Waited::line && Clock::now() < patience) {
      output_.clear();  // nobody waits for answers any more
      waited = wait(patience, [] { return true; });
    }
    if (waited != Waited::ended) {
      kill(-process_, SIGKILL);
      const auto end = Clock::now() + kill_patience;
      while (!has_ended() && Clock::now() < end) std::this_thread::sleep_for(blind_span);
    }
    if (has_ended()) static_cast<void>(collect());
  }
  close_all();
}

bool CommandProcess::has_ended() const {
  siginfo_t facts{};
  return waitid(P_PID, static_cast<id_t>(process_), &facts, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         facts.si_pid == process_;
}

CommandProcess::Waited CommandProcess::wait(Clock::time_point deadline,
                                            const std::function<bool()>& is_wanted) {
  for (;;) {
    read_all();
    if (is_spoken_to_ && has_line()) return Waited::line;
    if (has_ended()) {
      read_all();
      return is_spoken_to_ && has_line() ? Waited::line : Waited::ended;
    }
    const Clock::time_point now = Clock::now();
    if (!is_wanted()) return Waited::unwanted;
    if (now >= deadline) return Waited::late;
    const auto span = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::min<Clock::duration>(notice_ < 0 ? blind_span : look_span, deadline - now));
    std::array<pollfd, 3> files = {
        {{notice_, POLLIN, 0}, {output_file_, POLLIN, 0}, {errors_file_, POLLIN, 0}}};
    poll(files.data(), files.size(), static_cast<int>(span.count()) + 1);
  }
}

void CommandProcess::read_all() {
  // In turns with looks at the deadline, because a process may write faster than this reads.
  for (int turn = 0; turn < 16; ++turn) {
    const bool has_output = read_from(output_file_, true);
    const bool has_errors = read_from(errors_file_, false);
    if (!has_output && !has_errors) return;
    if (is_spoken_to_ && has_line()) return;
  }
}

bool CommandProcess::read_from(int& file, bool is_output) {
  if (file < 0) return false;
  std::array<char, 16384> text;
  const ssize_t bytes = read(file, text.data(), text.size());
  if (bytes < 0) return false;
  if (bytes == 0) {  // all that could write have closed it
    close_file(file);
    return false;
  }
  const auto count = static_cast<std::size_t>(bytes);
  if (!is_spoken_to_ || !is_output) {
    words_.add(text.data(), count);
    return true;
  }
  output_.append(text.data(), count);
  if (output_.size() > line_bytes_max && !has_line()) {
    words_.add(output_.data(), output_.size());
    output_.clear();
  }
  return true;
}

std::string CommandProcess::line() {
  const std::size_t end = output_.find('\n');
  std::string line = output_.substr(0, end);
  output_.erase(0, end + 1);
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

bool CommandProcess::say(const std::string& text) {
  sigset_t broken;
  sigset_t before;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken, &before);
  const bool is_written =
      write(input_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  constexpr timespec at_once{};
  if (!is_written && error == EPIPE) sigtimedwait(&broken, nullptr, &at_once);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return is_written;
}

void CommandProcess::end_input() {
  close_file(input_);
  const auto patience = Clock::now() + grace;
  while (Clock::now() < patience && wait(patience, [] { return true; }) == Waited::line) {
    output_.clear();
  }
}

ProcessEnd CommandProcess::collect() {
  const pid_t process = std::exchange(process_, 0);
  kill(-process, SIGKILL);  // what it has left behind; its number is not used again yet
  process_guard::forget(process);
  int status = 0;
  bool is_known = false;
  {
    const std::lock_guard<std::mutex> lock(running.mutex);
    pid_t collected = -1;
    do {
      collected = waitpid(process, &status, 0);
    } while (collected < 0 && errno == EINTR);
    is_known = collected == process;
    running.processes.erase(process);
  }
  close_all();
  if (!is_known) return {};
  if (WIFSIGNALED(status)) return {false, WTERMSIG(status)};
  return {true, WEXITSTATUS(status)};
}

void CommandProcess::close_all() {
  for (int* const file : {&notice_, &input_, &output_file_, &errors_file_}) close_file(*file);
}

}  // namespace equipoise
