// The bare SimGrid program. It uses nothing but SimGrid.
#include "tests/bench/bare_simgrid.hpp"

#include <simgrid/s4u.hpp>

#include <array>

namespace equipoise {

namespace s4u = simgrid::s4u;

double run_bare(const BareWork& work) {
  std::array<std::string, 2> words{"bare", "--log=root.thresh:critical"};
  std::array<char*, 3> argv{words[0].data(), words[1].data(), nullptr};
  int argc = 2;
  s4u::Engine engine(&argc, argv.data());
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config("network/crosstraffic:0");
  s4u::Engine::set_config("network/TCP-gamma:0");
  s4u::Engine::set_config("contexts/stack-size:64");
  s4u::Engine::set_config("contexts/guard-size:0");
  engine.load_platform(work.platform_file);

  s4u::Host* const master = s4u::Host::by_name("master");
  std::uint64_t left = work.blocks;
  for (std::size_t unit = 0; unit < work.compute_s.size(); ++unit) {
    s4u::Host* const host = s4u::Host::by_name(std::string("u").append(std::to_string(unit)));
    s4u::Actor::init("unit", host)->start([&work, &left, master, host, unit] {
      const double flops = work.compute_s[unit] * host->get_speed();
      while (left > 0) {
        --left;
        if (work.in_bytes > 0) s4u::Comm::sendto(master, host, work.in_bytes);
        if (flops > 0.0) s4u::this_actor::execute(flops);
        if (work.out_bytes > 0) s4u::Comm::sendto(host, master, work.out_bytes);
      }
    });
  }
  engine.run();
  return s4u::Engine::get_clock();
}

}  // namespace equipoise
