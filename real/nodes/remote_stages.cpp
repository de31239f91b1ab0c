// Puts the moments of a remote block in order.
#include "real/nodes/remote_stages.hpp"

#include <algorithm>

namespace equipoise {

RemoteStages remote_stages(const RemoteBlock& block, RemoteCopies& copies) {
  const Seconds end = block.end;
  const auto within = [end](Seconds at, Seconds least) {
    return std::min(std::max(at, least), end);
  };
  const StageTimes& on_node = block.on_node;
  const Seconds begin = within(block.sent, copies.in_until);
  const Seconds resident = within(block.resident, begin);
  const Seconds arrived = within(block.arrived, resident);
  RemoteStages stages;
  const Seconds set_up = within(resident + on_node.setup, resident);
  stages.times.setup = set_up - begin;
  const Seconds in = (arrived - resident) + (block.copies_by_itself ? Seconds{} : on_node.in);
  const Seconds copied_in = within(set_up + in, set_up);
  stages.times.in = copied_in - set_up;
  const Seconds computes = within(block.began, copied_in);
  const Seconds compute =
      block.copies_by_itself ? on_node.in + on_node.compute + on_node.out : on_node.compute;
  const Seconds computed = within(computes + compute, computes);
  stages.times.compute = computed - computes;
  const Seconds outs = within(copies.out_until, computed);
  stages.times.out = end - outs;
  stages.begins = without_empty_stages({begin, set_up, computes, outs}, stages.times, end);
  copies = {arrived, end};
  return stages;
}

}  // namespace equipoise
