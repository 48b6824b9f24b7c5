#include "check.hpp"

// Fact 12: 30 threads at once, each with its own deep stack.
namespace {

constexpr int kThreads = 30;

int Fibonacci(int n) { return n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2); }

void Child(void* argument) {
  CHECK(*static_cast<int*>(argument) == 35);
  const int expected[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};
  for (int i = 0; i <= 15; ++i) CHECK(Fibonacci(i) == expected[i]);
  exit();
}

}  // namespace

void Test() {
  int argument = 35;
  for (int i = 0; i < kThreads; ++i) CHECK(thread_create(Child, &argument) > 0);
  CHECK(Fibonacci(28) == 317811);
  for (int i = 0; i < kThreads; ++i) CHECK(thread_join() > 0);
  CHECK(thread_join() == -1);
}
