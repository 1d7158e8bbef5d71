/// Notices: messages shown to the user once per process, from whichever thread; the front end takes and shows them.
#pragma once

#include <string>
#include <vector>

namespace tessera {

/// Queues the message unless one on this subject was queued before. Thread-safe, as are the other functions.
void note_once(const std::string& subject, const std::string& message);
bool has_notices();
/// The messages queued since the last call.
std::vector<std::string> take_noted();

}  // namespace tessera
