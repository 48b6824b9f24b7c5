#include "user.hpp"
int main(int, char**) { return 0; }
