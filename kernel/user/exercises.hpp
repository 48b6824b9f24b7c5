#pragma once

#include "user.hpp"

/// What the exercises of README.md ask for. These functions are declared but defined nowhere:
/// define them in thread.cpp, after including this file. They are weak symbols, so that the tests
/// can be linked before that; a function that is missing has a null address.

/// A lock that serves its callers in the order of their arrival. Zeros are an open lock.
struct ticket_lock_t {
  uint32_t next;     ///< The ticket that the next caller draws.
  uint32_t serving;  ///< The ticket whose owner holds the lock.
};
[[gnu::weak]] void ticket_acquire(ticket_lock_t* lock);
[[gnu::weak]] void ticket_release(ticket_lock_t* lock);

/// Waits for the thread `pid`, a child of the caller, frees its stack, and returns `pid`. -1, at
/// once, if `pid` is no thread that the caller could join.
[[gnu::weak]] int thread_join_pid(int pid);

/// Wakes all threads that wait for `condition`.
[[gnu::weak]] void cv_broadcast(cond_t* condition);
