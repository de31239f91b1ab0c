// The master's probes of the links to nodes, while no run goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "real/nodes/byte_pool.hpp"
#include "real/nodes/communicator.hpp"
#include "real/nodes/held_links.hpp"
#include "real/nodes/node_messages.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Bytes to a node, and then others back.
struct LinkProbe {
  int rank = 0;
  std::uint64_t there_bytes = 0;
  std::uint64_t back_bytes = 0;
};
/// How long they took.
struct LinkProbeTimes {
  Seconds there;
  Seconds back;
};

/// Probes that go on at the same time. To be used by the communicator's thread.
class LinkProbes {
 public:
  struct Probe {
    LinkProbe asked;
    WakeSignal::TimePoint sent{};
    LinkProbeTimes times{};
    bool is_done = false;
  };

  /// All outlive it. `done` is called when a probe has ended.
  LinkProbes(Communicator& communicator, HeldLinks& there, HeldLinks& back,
             std::function<void()> done)
      : communicator_(communicator), there_(there), back_(back), done_(std::move(done)) {}

  /// Begins probes, in place of those before.
  void begin(const std::vector<LinkProbe>& probes);
  /// A node has told of one, and the bytes that it sent back are here, too.
  void end(int from, const LinkProbed& probed);
  [[nodiscard]] const std::vector<Probe>& all() const { return probes_; }

 private:
  void send(std::size_t number);
  void set_times(const LinkProbed& probed);

  Communicator& communicator_;
  HeldLinks& there_;
  HeldLinks& back_;
  std::function<void()> done_;
  BytePool pool_;
  std::vector<Probe> probes_;
};

}  // namespace equipoise
