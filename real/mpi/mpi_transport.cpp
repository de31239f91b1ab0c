// Connections by MPI: frames into a ring of persistent receives, payloads from where they lie to
// where they belong. All calls come from the thread that initialised MPI (MPI_THREAD_FUNNELED).
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "real/mpi/mpi_module.hpp"

namespace equipoise {
namespace {

constexpr int frame_tag = 1;
constexpr int payload_tag = 2;
/// How many frames may come before the first of them is looked at; more wait in MPI.
constexpr std::size_t frames_at_once = 16;
/// The most bytes of one message of MPI, whose counts are ints.
constexpr std::size_t piece_max = std::size_t{1} << 30;
/// How long the end waits for what was sent last.
constexpr std::chrono::seconds last_sends{5};

std::string text_of(int error) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(error, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

class MpiTransport final : public Transport {
 public:
  MpiTransport(MPI_Comm communicator, bool finalizes)
      : communicator_(communicator), finalizes_(finalizes) {
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &ranks_);
    for (Slot& slot : slots_) {
      slot.frame.resize(frame_bytes_max);
      MPI_Recv_init(slot.frame.data(), static_cast<int>(frame_bytes_max), MPI_BYTE, MPI_ANY_SOURCE,
                    frame_tag, communicator_, &slot.request);
      MPI_Start(&slot.request);
    }
  }

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }

  void send_frame(int to, std::string_view bytes) override {
    frames_.emplace_back(bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    const int error = MPI_Isend(frames_.back().data(), static_cast<int>(bytes.size()), MPI_BYTE, to,
                                frame_tag, communicator_, &request);
    if (error != MPI_SUCCESS) return fail(to, error);
    add(request, {.peer = to, .frame = std::prev(frames_.end()), .is_frame = true});
  }

  void send(int to, std::span<const std::byte> bytes, Ticket ticket) override {
    move(to, bytes, ticket, [&](std::span<const std::byte> piece, MPI_Request& request) {
      return MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, to, payload_tag,
                       communicator_, &request);
    });
  }

  void receive(int from, std::span<std::byte> bytes, Ticket ticket) override {
    move(from, bytes, ticket, [&](std::span<std::byte> piece, MPI_Request& request) {
      return MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, from, payload_tag,
                       communicator_, &request);
    });
  }

  void progress(TransportSink& sink) override {
    for (const auto& [peer, why] : std::exchange(failures_, {})) sink.failed(peer, why);
    while (take_frame(sink)) {
    }
    if (requests_.empty()) return;
    int count = 0;
    done_.resize(requests_.size());
    statuses_.resize(requests_.size());
    const int error = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                   done_.data(), statuses_.data());
    if (count == MPI_UNDEFINED || count <= 0) return;
    std::vector<Ticket> moved;
    std::vector<std::size_t> over;
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(done_[static_cast<std::size_t>(i)]);
      const int own = statuses_[static_cast<std::size_t>(i)].MPI_ERROR;
      if (error == MPI_ERR_IN_STATUS && own == MPI_ERR_PENDING) continue;
      const bool has_failed = error == MPI_ERR_IN_STATUS && own != MPI_SUCCESS;
      if (has_failed) fail(moving_[at].peer, own);
      over.push_back(at);
      if (moving_[at].is_frame) {
        frames_.erase(moving_[at].frame);
      } else if (moving_[at].ticket && !has_failed) {  // else nobody knows what was moved
        moved.push_back(*moving_[at].ticket);
      }
    }
    remove(over);
    for (const Ticket ticket : moved) sink.moved(ticket);
  }

  void leave(bool is_orderly) override {
    if (!is_orderly) return;
    const auto until = std::chrono::steady_clock::now() + last_sends;
    for (int are_done = 0; are_done == 0 && std::chrono::steady_clock::now() < until;) {
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &are_done,
                  MPI_STATUSES_IGNORE);
    }
    for (Slot& slot : slots_) {
      MPI_Cancel(&slot.request);
      MPI_Wait(&slot.request, MPI_STATUS_IGNORE);
      MPI_Request_free(&slot.request);
    }
    MPI_Comm_free(&communicator_);
    if (finalizes_) MPI_Finalize();
  }

 private:
  struct Slot {
    std::string frame;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  /// What a request moves.
  struct Moving {
    int peer = 0;
    std::list<std::string>::iterator frame{};
    bool is_frame = false;
    std::optional<Ticket> ticket{};  ///< of the last piece of a payload
  };

  template <class Bytes, class Begin>
  void move(int peer, Bytes bytes, Ticket ticket, const Begin& begin) {
    do {
      const std::size_t size = std::min(bytes.size(), piece_max);
      MPI_Request request = MPI_REQUEST_NULL;
      const int error = begin(bytes.first(size), request);
      if (error != MPI_SUCCESS) return fail(peer, error);
      bytes = bytes.subspan(size);
      Moving moving{.peer = peer};
      if (bytes.empty()) moving.ticket = ticket;
      add(request, moving);
    } while (!bytes.empty());
  }

  void add(MPI_Request request, const Moving& moving) {
    requests_.push_back(request);
    moving_.push_back(moving);
  }

  /// Removes requests, whose places ascend or not, and keeps the order of the others.
  void remove(const std::vector<std::size_t>& over) {
    for (const std::size_t at : over) moving_[at].peer = -1;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < moving_.size(); ++i) {
      if (moving_[i].peer < 0) continue;
      moving_[kept] = moving_[i];
      requests_[kept++] = requests_[i];
    }
    moving_.resize(kept);
    requests_.resize(kept);
  }

  /// Frames are matched with receives in the order in which these were started, and looked at in
  /// the same order.
  bool take_frame(TransportSink& sink) {
    Slot& slot = slots_[next_];
    int is_there = 0;
    MPI_Status status{};
    const int error = MPI_Test(&slot.request, &is_there, &status);
    if (is_of_another(error)) {
      acknowledge_failures(error);
      return false;  // the receive goes on
    }
    if (is_there == 0) return false;
    if (error == MPI_SUCCESS) {
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      sink.frame(status.MPI_SOURCE,
                 std::string_view(slot.frame).substr(0, static_cast<std::size_t>(bytes)));
    } else {
      fail(status.MPI_SOURCE, error);
    }
    MPI_Start(&slot.request);
    next_ = (next_ + 1) % slots_.size();
    return true;
  }

  /// Whether a receive from anybody says that some rank has failed, though it may still succeed:
  /// MPI_ERR_PROC_FAILED_PENDING of ULFM, which Open MPI 4 does not have.
  static bool is_of_another(int error) {
    return error != MPI_SUCCESS && text_of(error).find("PROC_FAILED_PENDING") != std::string::npos;
  }

  /// Lets receives from anybody go on, and reports all ranks that have failed so far.
  void acknowledge_failures(int error) {
    using Acknowledge = int (*)(MPI_Comm);
    using Acknowledged = int (*)(MPI_Comm, MPI_Group*);
    static const auto acknowledge =
        reinterpret_cast<Acknowledge>(::dlsym(RTLD_DEFAULT, "MPIX_Comm_failure_ack"));
    static const auto acknowledged =
        reinterpret_cast<Acknowledged>(::dlsym(RTLD_DEFAULT, "MPIX_Comm_failure_get_acked"));
    MPI_Group failed = MPI_GROUP_NULL;
    if (acknowledge == nullptr || acknowledged == nullptr) return;
    if (acknowledge(communicator_) != MPI_SUCCESS) return;
    if (acknowledged(communicator_, &failed) != MPI_SUCCESS) return;
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Comm_group(communicator_, &all);
    int count = 0;
    MPI_Group_size(failed, &count);
    for (int i = 0; i < count; ++i) {
      int peer = MPI_UNDEFINED;
      MPI_Group_translate_ranks(failed, 1, &i, all, &peer);
      fail(peer, error);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&failed);
  }

  void fail(int peer, int error) {
    if (peer >= 0) failures_.emplace_back(peer, text_of(error));
  }

  MPI_Comm communicator_;
  bool finalizes_;
  int rank_ = 0;
  int ranks_ = 1;
  std::array<Slot, frames_at_once> slots_{};
  std::size_t next_ = 0;
  std::list<std::string> frames_;  ///< that are being sent
  std::vector<MPI_Request> requests_;
  std::vector<Moving> moving_;  ///< (requests)
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
  std::vector<std::pair<int, std::string>> failures_;
};

bool is_initialized() {
  int is_begun = 0;
  int is_over = 0;
  MPI_Initialized(&is_begun);
  MPI_Finalized(&is_over);
  return is_begun != 0 && is_over == 0;
}

std::unique_ptr<Transport> connect(std::string& why) {
  int is_over = 0;
  MPI_Finalized(&is_over);
  if (is_over != 0) {
    why = "the program has finalised MPI; run loops before that";
    return nullptr;
  }
  const bool is_of_program = is_initialized();
  int level = MPI_THREAD_SINGLE;
  if (is_of_program) {
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_SERIALIZED) {
      why =
          "the program has initialised MPI for calls of its first thread alone; call "
          "MPI_Init_thread with MPI_THREAD_SERIALIZED, or let this library initialise MPI";
      return nullptr;
    }
  } else {
    const int error = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    if (error != MPI_SUCCESS) {
      why = text_of(error);
      return nullptr;
    }
  }
  MPI_Comm own = MPI_COMM_NULL;
  if (const int error = MPI_Comm_dup(MPI_COMM_WORLD, &own); error != MPI_SUCCESS) {
    why = text_of(error);
    return nullptr;
  }
  return std::make_unique<MpiTransport>(own, !is_of_program);
}

}  // namespace
}  // namespace equipoise

extern "C" {
extern const equipoise::MpiModule equipoise_mpi;
const equipoise::MpiModule equipoise_mpi{&equipoise::connect, &equipoise::is_initialized};
}
