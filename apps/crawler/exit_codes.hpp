#pragma once

/// What the program tells its caller; documented in its --help.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,      ///< No usable response, or one with a status of 400 and above.
  kExitUsage = 2,       ///< The command line makes no sense.
  kExitRefused = 3,     ///< robots.txt does not allow it.
  kExitStorage = 4,     ///< The disk or the database failed.
  kExitBusy = 5,        ///< Another process works on the folder.
  kExitNotReady = 6,    ///< The index is not made, or not finished.
  kExitIncomplete = 7,  ///< Hosts were given up with URLs of theirs left.
};
