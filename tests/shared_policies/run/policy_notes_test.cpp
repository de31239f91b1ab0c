// Tests of the notes that policies write into the journal.
#include <gtest/gtest.h>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/run_loop.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise::policy_notes_test {
namespace {

TEST(PolicyNotes, AreRefusedWhenSpelledLikeAnEvent) {
  for (const char* word : {"unit_lost", "slow"}) {
    auto executor = make_fake_executor({{affine_unit(0, 1)}, {}, {}});
    Scripted policy([word](const View&, const Event& event, Decisions& decisions) {
      if (std::holds_alternative<RunStarted>(event.what)) decisions.note(word);
    });
    MemoryJournal journal;
    EXPECT_THROW(
        static_cast<void>(run_policy(*executor, policy, setup_of(1, items_of(10)), journal)),
        InputError)
        << word;
    EXPECT_EQ(journal.count<Note>(), 0);
  }
}

}  // namespace
}  // namespace equipoise::policy_notes_test
