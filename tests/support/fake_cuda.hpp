// A GPU that is not there: a stand-in for CUDA's runtime library, whose device is threads and memory
// of the host, and whose programs are those of CPUs.
#pragma once

namespace equipoise {

/// From now on the fake GPU does no work, as after an illegal address: every call fails.
void break_fake_gpu();
/// The fake GPU works again.
void mend_fake_gpu();

}  // namespace equipoise
