// scripts/lint runs clang-tidy on this file and fails if it finds nothing: each line below breaks a
// rule that must be on. It is not built.
#include <string>
#include <vector>

#include "base/mutex.hpp"

class Account {
 public:
  void Deposit(int amount) { balance_ += amount; }  // thread-safety: no lock held
  void bad_Name() {}                                // identifier naming
  int Sum(const std::vector<std::string> words) { return words.size() + sizeof(words) == 0; }

 private:
  crawler::Mutex mutex_;
  int balance_ CRAWLER_GUARDED_BY(mutex_) = 0;
};
