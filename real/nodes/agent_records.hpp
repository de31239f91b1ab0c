// What the agent of a node records, on its way to the master.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "shared_policies/model/block.hpp"
#include "shared_policies/run/journal.hpp"
#include "shared_policies/run/recorded_run.hpp"
#include "shared_policies/run/run_loop.hpp"

namespace equipoise {

/// Collects the records of an agent, and posts many of them at once.
class PostingJournal final : public Journal {
 public:
  using Post = std::function<void(std::vector<RecordedLine>)>;
  explicit PostingJournal(Post post) : post_(std::move(post)) {}

  void block(const BlockRecord& record) override { add(record); }
  void decision(const DecisionRecord& record) override { add(record); }
  void event(const EventRecord& record) override { add(record); }
  void measured(const Measured& record) override { add(record); }

  /// Posts what was collected.
  void post() {
    if (!lines_.empty()) post_(std::exchange(lines_, {}));
  }

 private:
  template <class Record>
  void add(const Record& record) {
    constexpr std::size_t many = 256;
    lines_.push_back({0, record});
    if (lines_.size() >= many) post();
  }

  Post post_;
  std::vector<RecordedLine> lines_;
};

/// Blocks of a node, of whose parts all records are posted before their end is told.
class PostedBlocks final : public NodeBlocks {
 public:
  /// Both outlive it. At the end all that is left is posted.
  PostedBlocks(NodeBlocks& blocks, PostingJournal& journal) : blocks_(blocks), journal_(journal) {}
  ~PostedBlocks() override { journal_.post(); }

  std::optional<Block> next() override { return blocks_.next(); }
  void done(const Block& block) override {
    journal_.post();
    blocks_.done(block);
  }
  [[nodiscard]] bool is_over() const override { return blocks_.is_over(); }

 private:
  NodeBlocks& blocks_;
  PostingJournal& journal_;
};

}  // namespace equipoise
