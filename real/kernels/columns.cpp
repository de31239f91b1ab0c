// A unit's columns: copies blocks from the host's columns and back.
#include "real/kernels/columns.hpp"

#include <algorithm>
#include <utility>

namespace equipoise {
namespace {

class ColumnSide final : public UnitKernel {
 public:
  ColumnSide(Columns& host, std::size_t inputs, Items items_max, ColumnLoop loop)
      : host_(host),
        inputs_(inputs),
        loop_(std::move(loop)),
        own_(make_columns(host.size(), items_max)) {}

  void copy_resident() override {}

  void copy_in(const Block& block) override {
    for (std::size_t i = 0; i < inputs_; ++i) {
      std::copy_n(host_[i].data() + block.first, block.items, own_[i].data());
    }
  }

  void compute(const Block& block, ThreadTeam& team) override {
    team.run(block.items, [&](Items first, Items items) {
      loop_(own_, static_cast<std::size_t>(first), static_cast<std::size_t>(items));
    });
  }

  void copy_out(const Block& block) override {
    for (std::size_t i = inputs_; i < own_.size(); ++i) {
      std::copy_n(own_[i].data(), block.items, host_[i].data() + block.first);
    }
  }

 private:
  Columns& host_;
  std::size_t inputs_;
  ColumnLoop loop_;
  Columns own_;
};

}  // namespace

Columns make_columns(std::size_t columns, Items items) {
  Columns made;
  for (std::size_t i = 0; i < columns; ++i) made.emplace_back(static_cast<std::size_t>(items));
  return made;
}

std::unique_ptr<UnitKernel> make_column_side(Columns& host, std::size_t inputs, Items items_max,
                                             ColumnLoop loop) {
  return std::make_unique<ColumnSide>(host, inputs, items_max, std::move(loop));
}

}  // namespace equipoise
