// The table that the program looks up after it has opened the SimGrid module.
#include "sim/sim_module.hpp"

namespace equipoise {

extern "C" {
extern const SimModule equipoise_simgrid;
const SimModule equipoise_simgrid{&probe_with_simgrid, &make_simgrid_executor};
}

}  // namespace equipoise
