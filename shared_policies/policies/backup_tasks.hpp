// backup=on, for every policy: gives overdue blocks again when nothing else is left.
#pragma once

#include <memory>

#include "shared_policies/run/policy.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// The parameter `backup`, which every policy has.
[[nodiscard]] ParameterInfo backup_parameter(bool is_on_unless_given);

/// `policy` with backup tasks. When no items are left to hand out, the items that are expected to
/// be done last are given to the idle unit that would do them first, too, if that is expected to be
/// sooner; then the next ones. A block of x items on unit p is expected to take as long as the
/// latest block of p in this phase that had as many items, in octaves of sizes; if none had, x /
/// x_p times as long as the latest of the largest, of x_p items:
///
///     E_p(x) = max(1, x / x_p) d_p
///
/// (a smaller block is not expected to take less: libraries compute whole tiles), and to end at
///
///     D_p = max(assigned + E_p(x), last end on p + longest stage)
///
/// or, once that is past, after as long again as it is overdue. So it is given to an idle unit q,
/// too, if D_p - now > E_q(x), or once now - D_p >= E_q(x): what has stopped for ever is given
/// again once it is overdue by the time that doing it again takes. Blocks behind others on their
/// unit end after these, each by its longest stage. No items are out more than twice: of two blocks
/// that are both expected to end too late, the later one is taken back. If only one of them is
/// overdue, that is the one; if both are, their items are dear rather than both units slow, and it
/// is the one that has run for less of its E. Each time that items are given again, E_q counts
/// twice as much, so that wrong expectations end.
///
/// Until p has ended a block of the phase, D_p is judged by the pace of the quickest unit and its
/// setup, and only what is overdue is given again; p gets no copies: what it costs to send it
/// resident data is not known.
///
/// While items are left, the policy knows why a unit gets none: it may wait for all units at a
/// barrier, as in training. Then blocks are given again only to units that it was offered and gave
/// nothing, and only once they are overdue by E_q(x) and by E_p(x): once they take twice as long as
/// expected. A unit that has ended no block of the phase may take ten times as long as the slowest
/// one of its kind then or, if none has ended a block, of all; a core beside accelerators alone a
/// hundred times; and its copies, resident data included, as long as they take at 10 MB/s (as in
/// BlockWatch).
///
/// All that is out is looked at anew at every event; where it is more than 64 blocks, so seldom
/// that an event costs the master no more (Rounds).
///
/// Source: Dean and Ghemawat, MapReduce, OSDI 2004, section 3.6, which gives all tasks in progress
/// again near the end; the estimate is ours, as units differ in speed. What the policy hears:
/// UnheardCopies.
[[nodiscard]] std::unique_ptr<Policy> make_backup_tasks(std::unique_ptr<Policy> policy);

}  // namespace equipoise
