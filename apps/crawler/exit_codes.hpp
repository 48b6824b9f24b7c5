#pragma once

/// The exit codes of the program; documented in its --help and in docs/reference.md.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,
  kExitUsage = 2,
  kExitRefused = 3,
  kExitStorage = 4,
  kExitBusy = 5,
  kExitNotReady = 6,
  kExitIncomplete = 7,
  kExitNoMemory = 8,
};

struct ExitCodeMeaning {
  ExitCode code;
  const char* meaning;
};
constexpr ExitCodeMeaning kExitCodes[] = {
    {kExitOk, "It was done; a crawl may also have been stopped on request, or a budget is spent."},
    {kExitFailed, "No page, nothing found, a problem, or a status of 400 and above."},
    {kExitUsage, "The command line makes no sense."},
    {kExitRefused, "robots.txt does not allow it."},
    {kExitStorage, "The disk or the database failed; committed pages are kept."},
    {kExitBusy, "Another process works on the folder."},
    {kExitNotReady, "The index is not made, or not finished."},
    {kExitIncomplete, "Hosts were given up and URLs of theirs are left."},
    {kExitNoMemory, "Memory or threads ran out; committed pages are kept."},
};
