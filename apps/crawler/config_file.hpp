#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// Where the options of a command come from that a configuration file has set: the line by the name
/// of the option, without dashes.
struct ConfigOrigins {
  std::string file;
  std::map<std::string, std::uint32_t, std::less<>> lines;
};

/// Reads the configuration file that the arguments of `crawl` (--config FILE) or `config` (FILE)
/// name and puts its values in front of them, as if they had been given there. A value is left out
/// if the command line has the option itself, or one that excludes it. `arguments` are those of the
/// program, without its name. Returns why the file cannot be used, with file and line; empty if it
/// can, or if there is none.
std::string ApplyConfig(const CLI::App& app, std::vector<std::string>* arguments,
                        ConfigOrigins* origins);

/// Adds `crawler config`, which prints every option and where it comes from.
void AddConfigCommand(CLI::App& app, const std::shared_ptr<ConfigOrigins>& origins, int* exit_code);
