// The equal-finish problem as an Ipopt program: the content of the Ipopt module, and the only file
// that includes Ipopt.
#include "shared_policies/solve/equal_finish_ipopt.hpp"

#include <IpIpoptApplication.hpp>
#include <IpTNLP.hpp>
#include <algorithm>
#include <utility>

namespace equipoise {
namespace {

using Ipopt::Index;
using Ipopt::Number;

constexpr Index many_units = 5000;  // from this number on, automatic ordering takes minutes

/// Variables: u_p = x_p / items (m of them), and last tau = T / time scale. Constraints: for each
/// unit cost_p / time scale - tau = 0 (or <= 0), and last sum(u) = 1.
class SplitProgram final : public Ipopt::TNLP {
 public:
  SplitProgram(const SplitProblem& problem, std::vector<std::size_t> units, SplitForm form)
      : problem_(problem), units_(std::move(units)), shares_(units_.size()), form_(form) {
    const double even = problem.items / static_cast<double>(units_.size());
    for (const std::size_t p : units_) {
      time_scale_ =
          std::max(time_scale_, problem.costs[p]->at(std::min(even, problem.cap_items[p])).seconds);
    }
  }

  [[nodiscard]] const std::vector<double>& shares() const { return shares_; }

  bool get_nlp_info(Index& n, Index& m, Index& nnz_jac_g, Index& nnz_h_lag,
                    IndexStyleEnum& index_style) override {
    n = count() + 1;
    m = count() + 1;
    nnz_jac_g = 3 * count();
    nnz_h_lag = count();
    index_style = TNLP::C_STYLE;
    return true;
  }

  bool get_bounds_info(Index /*n*/, Number* x_l, Number* x_u, Index /*m*/, Number* g_l,
                       Number* g_u) override {
    for (Index i = 0; i < count(); ++i) {
      x_l[i] = 0.0;
      x_u[i] = std::min(1.0, problem_.cap_items[unit(i)] / problem_.items);
      g_l[i] = form_ == SplitForm::equal ? 0.0 : -1e20;
      g_u[i] = 0.0;
    }
    x_l[count()] = 0.0;
    x_u[count()] = 1e20;
    g_l[count()] = g_u[count()] = 1.0;
    return true;
  }

  bool get_starting_point(Index /*n*/, bool /*init_x*/, Number* x, bool /*init_z*/, Number* /*z_L*/,
                          Number* /*z_U*/, Index /*m*/, bool /*init_lambda*/,
                          Number* /*lambda*/) override {
    std::fill(x, x + count(), 1.0 / static_cast<double>(count()));
    x[count()] = 1.0;
    return true;
  }

  bool eval_f(Index /*n*/, const Number* x, bool /*new_x*/, Number& value) override {
    value = x[count()];
    return true;
  }

  bool eval_grad_f(Index /*n*/, const Number* /*x*/, bool /*new_x*/, Number* gradient) override {
    std::fill(gradient, gradient + count(), 0.0);
    gradient[count()] = 1.0;
    return true;
  }

  bool eval_g(Index /*n*/, const Number* x, bool /*new_x*/, Index /*m*/, Number* g) override {
    double sum = 0.0;
    for (Index i = 0; i < count(); ++i) {
      g[i] = cost(i, x[i]).seconds / time_scale_ - x[count()];
      sum += x[i];
    }
    g[count()] = sum;
    return true;
  }

  bool eval_jac_g(Index /*n*/, const Number* x, bool /*new_x*/, Index /*m*/, Index /*nele_jac*/,
                  Index* rows, Index* columns, Number* values) override {
    for (Index i = 0; i < count(); ++i) {
      const std::ptrdiff_t at = std::ptrdiff_t{3} * i;
      if (values == nullptr) {
        rows[at] = rows[at + 1] = i;
        columns[at] = columns[at + 2] = i;
        columns[at + 1] = count();
        rows[at + 2] = count();
      } else {
        values[at] = cost(i, x[i]).seconds_per_item * problem_.items / time_scale_;
        values[at + 1] = -1.0;
        values[at + 2] = 1.0;
      }
    }
    return true;
  }

  bool eval_h(Index /*n*/, const Number* x, bool /*new_x*/, Number /*obj_factor*/, Index /*m*/,
              const Number* lambda, bool /*new_lambda*/, Index /*nele_hess*/, Index* rows,
              Index* columns, Number* values) override {
    for (Index i = 0; i < count(); ++i) {
      if (values == nullptr) {
        rows[i] = columns[i] = i;
      } else {
        values[i] = lambda[i] * curvature(i, x[i]);
      }
    }
    return true;
  }

  void finalize_solution(Ipopt::SolverReturn /*status*/, Index /*n*/, const Number* x,
                         const Number* /*z_L*/, const Number* /*z_U*/, Index /*m*/,
                         const Number* /*g*/, const Number* /*lambda*/, Number /*obj_value*/,
                         const Ipopt::IpoptData* /*ip_data*/,
                         Ipopt::IpoptCalculatedQuantities* /*ip_cq*/) override {
    std::copy(x, x + count(), shares_.begin());
  }

 private:
  [[nodiscard]] Index count() const { return static_cast<Index>(units_.size()); }
  [[nodiscard]] std::size_t unit(Index i) const { return units_[static_cast<std::size_t>(i)]; }

  [[nodiscard]] CostAt cost(Index i, double share) const {
    return problem_.costs[unit(i)]->at(std::max(share, least_share) * problem_.items);
  }

  [[nodiscard]] double curvature(Index i, double share) const {
    const double step = 1e-5 * std::max(share, 1e-6);
    const double slopes = cost(i, share + step).seconds_per_item -
                          cost(i, std::max(share - step, 0.0)).seconds_per_item;
    return slopes / (2.0 * step) * problem_.items / time_scale_;
  }

  const SplitProblem& problem_;
  std::vector<std::size_t> units_;
  std::vector<double> shares_;
  SplitForm form_;
  double time_scale_ = 0.0;
};

class IpoptShares final : public SharesSolver {
 public:
  IpoptShares() {
    auto options = ipopt_->Options();
    options->SetStringValue("sb", "yes");
    options->SetIntegerValue("print_level", 0);
    options->SetNumericValue("tol", 1e-10);
    options->SetNumericValue("acceptable_tol", 1e-9);
    options->SetNumericValue("bound_relax_factor", 0.0);
    options->SetStringValue("linear_solver", "mumps");
    options->SetIntegerValue("max_iter", 300);
    ready_ = ipopt_->Initialize("") == Ipopt::Solve_Succeeded;
  }

  std::vector<double> solve(const SplitProblem& problem, const std::vector<std::size_t>& units,
                            SplitForm form) override {
    if (!ready_) return {};
    ipopt_->Options()->SetIntegerValue("mumps_pivot_order",
                                       static_cast<Index>(units.size()) >= many_units ? 6 : 7);
    const Ipopt::SmartPtr<SplitProgram> program = new SplitProgram(problem, units, form);
    const auto status = ipopt_->OptimizeTNLP(Ipopt::GetRawPtr(program));
    if (status != Ipopt::Solve_Succeeded && status != Ipopt::Solved_To_Acceptable_Level) return {};
    return program->shares();
  }

 private:
  Ipopt::SmartPtr<Ipopt::IpoptApplication> ipopt_ = new Ipopt::IpoptApplication(false);
  bool ready_ = false;
};

std::unique_ptr<SharesSolver> make_shares_solver() { return std::make_unique<IpoptShares>(); }

}  // namespace

extern "C" {
extern const IpoptModule equipoise_ipopt;
const IpoptModule equipoise_ipopt{&make_shares_solver};
}

}  // namespace equipoise
