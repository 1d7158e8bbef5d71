/// Notices: what a user is told once a process, whichever thread finds it out; the front end takes and shows them.
#pragma once

#include <string>
#include <vector>

namespace tessera {

/// Keeps the message to be shown, unless there was one about this subject before. Thread-safe, as are the others.
void note_once(const std::string& subject, const std::string& message);
bool has_notices();
/// What was noted since the last call.
std::vector<std::string> take_noted();

}  // namespace tessera
