#pragma once

#include <crawler/crawler.hpp>
#include <string>
#include <string_view>

#include "exit_codes.hpp"

/// `report` for people: a summary, then headers, links and text.
std::string ToText(const crawler::PageReport& report);

/// `text` made safe for a terminal: control characters, C1 ones and broken UTF-8 included, become
/// visible, and so do those that change the direction of writing or break lines. What the web sends
/// must not be able to move the cursor, to change the title or to make text look like another.
std::string Printable(std::string_view text);

/// The first characters of `text`, at most so many, made safe; with "…" if there are more.
std::string Shortened(std::string_view text, std::size_t characters);

/// `text` as one word of a shell: quoted if it has to be, so that a command shown can be copied.
std::string ShellWord(std::string_view text);

/// The command that messages name. Set once, before there are other threads.
void NameCommand(const std::string& name);
/// "crawler COMMAND: message", made safe.
std::string Complaint(std::string_view message);
/// Tells on standard error what went wrong, and returns `exit_code`.
int Fail(std::string_view message, int exit_code = kExitFailed);
