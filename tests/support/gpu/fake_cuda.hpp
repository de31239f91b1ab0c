// A GPU that is not there: a stand-in for CUDA's runtime library, whose device is threads and
// memory of the host, and whose programs are those of CPUs.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace equipoise {

/// How many SMs the fake GPU has. They come in groups of `fake_group_sms`; two are in none.
inline constexpr int fake_sms = 34;
inline constexpr int fake_group_sms = 8;

/// From now on the fake GPU does no work, as after an illegal address: every call fails.
void break_fake_gpu();
/// The fake GPU works again.
void mend_fake_gpu();
/// From now on there are `count` fake GPUs; at first one.
void set_fake_gpus(int count);
/// From now on the fake GPU has `bytes` of memory, also for a single allocation; at first 16 MiB.
void resize_fake_gpu(std::size_t bytes);
/// From now on the driver is of CUDA `version`, such as 12040; 0: that of the build, or 12.5 if
/// that is older.
void set_fake_driver(int version);

/// From now on memory of the host can, or cannot, be registered; at first it can.
void set_fake_registering(bool works);
/// From now on the fake GPU reads the host's memory without that, as where both share it, or not;
/// at first not.
void set_fake_sharing(bool shares);
/// How many bytes of the host's memory are registered.
[[nodiscard]] std::size_t fake_registered_bytes();
/// How many bytes were copied to the fake GPU from memory that is not CUDA's own, so far.
[[nodiscard]] std::size_t fake_direct_bytes();
/// How many commands a block of every program puts into its queue from now on; at first one.
void set_fake_commands(int count);
/// From now on copies of 64 KiB and more wait until `count` of them have begun, but no longer than
/// 60 s. Returns how many have begun since the last call; -1 if one has waited in vain.
int set_fake_copies_together(int count);
/// Allocates memory and frees it, as a library may do at any time.
void free_fake_memory();
/// How often memory was given back to CUDA so far: freed, or registered no more.
[[nodiscard]] int fake_frees();

/// The SMs of each part of a GPU that was opened since the last call, in this order.
[[nodiscard]] std::vector<std::set<int>> take_opened_parts();
/// On how many SMs a competing load is busy.
[[nodiscard]] int fake_load_sms();

/// The driver's function `name`; null if there is none.
[[nodiscard]] void* find_fake_function(const std::string& name);
/// The driver's function `name` if it is about parts of GPUs; otherwise null.
[[nodiscard]] void* find_fake_part_function(const std::string& name);

}  // namespace equipoise
