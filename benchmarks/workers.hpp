// SPDX-License-Identifier: MIT
//
// A plain pool of threads as an engine might have one: its for_each is what make_parallel() takes.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <type_traits>
#include <vector>

namespace bench {

/// `helpers` threads beside the caller's own, each with its own share of every count: the same numbers, the same thread.
/// They spin for a moment between two calls, then give their time away.
class Workers {
 public:
  explicit Workers(std::size_t helpers) {
    for (std::size_t h = 0; h < helpers; ++h) threads_.emplace_back([this, h] { help(h + 1); });
  }
  ~Workers() {
    stop_.store(true);
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  template <class Body>
  void for_each(std::size_t count, Body&& body) {
    if (count == 1 || threads_.empty()) return body(std::size_t{0}, count);
    call_ = [](void* context, std::size_t begin, std::size_t end) {
      (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end);
    };
    context_ = &body;
    count_ = count;
    busy_.store(threads_.size(), std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_release);
    work(0);
    for (int spins = 0; busy_.load(std::memory_order_acquire) > 0; ++spins) relax(spins);
  }

 private:
  static void relax(int spins) {
    if (spins > 2000) std::this_thread::yield();
  }

  void help(std::size_t worker) {
    for (std::size_t round = 0;; ++round) {
      for (int spins = 0; round_.load(std::memory_order_acquire) == round; ++spins) {
        if (stop_.load(std::memory_order_relaxed)) return;
        relax(spins);
      }
      work(worker);
      busy_.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

  void work(std::size_t worker) {
    const std::size_t workers = threads_.size() + 1, begin = count_ * worker / workers;
    const std::size_t end = count_ * (worker + 1) / workers;
    if (begin < end) call_(context_, begin, end);
  }

  void (*call_)(void*, std::size_t, std::size_t) = nullptr;
  void* context_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> busy_{0}, round_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace bench
