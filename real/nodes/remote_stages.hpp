// The stages of a block of another node as the master sees them: its bytes travel, its unit
// computes, and its results travel back.
#pragma once

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// What is known of a block that was done on a node, by the master's clock. Moments that the node
/// has told may be wrong by the error of its clock.
struct RemoteBlock {
  Seconds sent;        ///< when its bytes began to move
  Seconds resident;    ///< when resident data were there that were sent for its sake; else `sent`
  Seconds arrived;     ///< when its input was there
  Seconds began;       ///< when the unit began with it after its setup, or, with copy engines, to
                       ///< compute it
  StageTimes on_node;  ///< the times of its stages there
  bool copies_by_itself = false;  ///< the unit does, as a CPU
  Seconds end;                    ///< when its results were at the master
};

/// When the block before it on the unit was copied in and out.
struct RemoteCopies {
  Seconds in_until;
  Seconds out_until;
};

struct RemoteStages {
  StageTimes times;
  StageTimes begins;
};

/// The stages of `block`, none of which begins before the one before it has ended, or ends after
/// `block.end`. Copies of one unit follow one another; `copies` becomes those of this block. What a
/// unit that copies by itself copies on its node counts as computing.
[[nodiscard]] RemoteStages remote_stages(const RemoteBlock& block, RemoteCopies& copies);

}  // namespace equipoise
