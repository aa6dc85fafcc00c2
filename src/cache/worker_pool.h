// SPDX-License-Identifier: Apache-2.0
#pragma once
// The threads of oneTBB's pool, which outlive a call and are shared by all of them.

namespace spillway::cache {

// Calls loop(context) `times` >= 1 times, by up to as many threads at once, this one among them,
// and returns when all calls have. More threads than processors are the caller's to choose.
void RunOnWorkers(int times, void (*loop)(void* context), void* context);

}  // namespace spillway::cache
