#pragma once

#include <crawler/read_outcome.hpp>

/// The exit codes of the program, the same for the same mistake in every command. Documented in its
/// --help and in docs/reference.md.
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
    {kExitFailed,
     "No crawl in the folder, no page, nothing found, a problem, or a status of 400 and above; or "
     "it was stopped, or nobody reads the output."},
    {kExitUsage, "The command line makes no sense."},
    {kExitRefused, "robots.txt does not allow it."},
    {kExitStorage,
     "The disk is full, or files or the database cannot be read or written, or are of a newer "
     "version; committed pages are kept."},
    {kExitBusy, "Another process works on the folder, or has locked its database."},
    {kExitNotReady, "The index is not made, or not finished."},
    {kExitIncomplete, "Hosts were given up and URLs of theirs are left."},
    {kExitNoMemory, "Memory or threads ran out; committed pages are kept."},
};

/// The exit code of a command that reads the folder of a crawl.
ExitCode ExitCodeOfReading(crawler::ReadOutcome::Kind kind);

/// That of output which cannot be written, by errno.
ExitCode ExitCodeOfWriting(int error);
