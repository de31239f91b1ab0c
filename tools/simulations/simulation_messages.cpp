// Archives messages. Structs with members that are not sent are taken apart as a whole here, so
// that a new member that is not sent does not compile.
#include "tools/simulations/simulation_messages.hpp"

#include <type_traits>

#include "shared_policies/run/recorded_run.hpp"
#include "sim/archive.hpp"

namespace equipoise {

// Found by the archive through the namespace of their arguments.

/// Without its profile, which the server keeps.
void fields(auto& archive, Of<PolicyChoice> auto& choice) {
  auto& [info, spelling, parameters, profile, recorded, recorded_file, experience, typed,
         loaded_from, loaded_hash] = choice;
  std::string name = info == nullptr ? std::string() : info->name;
  archive(name, spelling, parameters, recorded, recorded_file, experience, typed, loaded_from,
          loaded_hash);
  constexpr bool is_read = !std::is_const_v<std::remove_reference_t<decltype(choice)>>;
  if constexpr (is_read) info = loaded_from.empty() ? &find_policy(name) : nullptr;
}

/// Without its inputs, which the server keeps.
void fields(auto& archive, Of<Simulation> auto& simulation) {
  auto& [inputs, phases, schedule, run] = simulation;
  archive(phases, schedule, run);
}

namespace {

template <class Message>
std::string written(const Message& message) {
  ArchiveWriter archive;
  archive(message);
  return archive.take();
}

template <class Message>
Message read(std::string_view bytes) {
  ArchiveReader archive(bytes);
  Message message;
  archive(message);
  expect_well_formed(archive.is_at_end());
  return message;
}

}  // namespace

std::string archived(const Request& request) { return written(request); }
std::string archived(const Reply& reply) { return written(reply); }
Request read_request(std::string_view message) { return read<Request>(message); }
Reply read_reply(std::string_view message) { return read<Reply>(message); }

}  // namespace equipoise
