#pragma once

#include <string>
#include <string_view>

#include "crawler/serve.hpp"

namespace crawler {

/// See ParseServeAddress().
std::string ReadServeAddress(std::string_view text, ServeOptions* options);

}  // namespace crawler
