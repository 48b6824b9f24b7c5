#pragma once

#include <cstdint>

namespace crawler {

/// A port of 127.0.0.1 that was free a moment ago. Throws std::runtime_error if there is none.
std::uint16_t FreePort();

/// Whether somebody accepts connections at this port of 127.0.0.1.
bool Listens(std::uint16_t port);

}  // namespace crawler
