// The bare MPI program, to compare runs on nodes with: rank 0 keeps a number of messages at the
// other ranks, in turn, which answer each. Each message lies at a place of its own, and comes to
// one of its own, as blocks do. It uses nothing but MPI.
//
//   mpirun -n RANKS equipoise_bare_mpi MESSAGES BYTES_THERE BYTES_BACK AT_ONCE
//
// Prints the seconds from the first message to the last answer.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct Exchange {
  int messages = 0;
  int there_bytes = 0;
  int back_bytes = 0;
  int at_once = 0;
};

constexpr int work = 1;
constexpr int end = 2;

/// Room for all messages, one behind the other, which is there.
class Messages {
 public:
  explicit Messages(const Exchange& exchange)
      : bytes_(static_cast<std::size_t>(exchange.there_bytes)),
        all_(bytes_ * static_cast<std::size_t>(exchange.messages), 1) {}
  [[nodiscard]] char* at(int message) {
    return all_.data() + bytes_ * static_cast<std::size_t>(message);
  }

 private:
  std::size_t bytes_;
  std::vector<char> all_;
};

void answer(const Exchange& exchange) {
  Messages there(exchange);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::vector<char> back(static_cast<std::size_t>(exchange.back_bytes));
  MPI_Status status;
  for (int message = 0;; ++message) {
    MPI_Recv(message < exchange.messages ? there.at(message) : nullptr,
             message < exchange.messages ? exchange.there_bytes : 0, MPI_BYTE, 0, MPI_ANY_TAG,
             MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == end) return;
    MPI_Send(back.data(), exchange.back_bytes, MPI_BYTE, 0, work, MPI_COMM_WORLD);
  }
}

double ask(const Exchange& exchange, int ranks) {
  Messages there(exchange);
  std::vector<std::vector<char>> back;
  std::vector<MPI_Request> answers;
  int sent = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  const auto send = [&](int rank, std::size_t place) {
    MPI_Irecv(back[place].data(), exchange.back_bytes, MPI_BYTE, rank, work, MPI_COMM_WORLD,
              &answers[place]);
    MPI_Send(there.at(sent), exchange.there_bytes, MPI_BYTE, rank, work, MPI_COMM_WORLD);
    ++sent;
  };
  const int places = exchange.at_once;
  back.assign(static_cast<std::size_t>(places),
              std::vector<char>(static_cast<std::size_t>(exchange.back_bytes)));
  answers.assign(static_cast<std::size_t>(places), MPI_REQUEST_NULL);
  const auto rank_of = [&](int place) { return 1 + (places == 1 ? sent : place) % (ranks - 1); };
  for (int place = 0; place < places && sent < exchange.messages; ++place) {
    send(rank_of(place), static_cast<std::size_t>(place));
  }
  for (int answered = 0; answered < exchange.messages; ++answered) {
    int place = 0;
    MPI_Waitany(places, answers.data(), &place, MPI_STATUS_IGNORE);
    if (sent < exchange.messages) send(rank_of(place), static_cast<std::size_t>(place));
  }
  const double seconds = MPI_Wtime() - begin;
  for (int rank = 1; rank < ranks; ++rank) {
    MPI_Send(nullptr, 0, MPI_BYTE, rank, end, MPI_COMM_WORLD);
  }
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int code = 0;
  if (argc != 5 || ranks < 2) {
    if (rank == 0) std::fputs("give MESSAGES BYTES_THERE BYTES_BACK AT_ONCE, and ranks\n", stderr);
    code = 2;
  } else {
    const Exchange exchange{std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]),
                            std::atoi(argv[4])};
    if (rank > 0) {
      answer(exchange);
    } else {
      std::printf("%.6f\n", ask(exchange, ranks));
    }
  }
  MPI_Finalize();
  return code;
}
