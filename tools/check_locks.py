"""Python is asked with nothing locked: while it runs it lets other threads run, and one of them may wait for that lock with the
GIL, for ever.

- Locks are base/mutex.h's, so that debug builds count them, but for those of OWN_LOCKS.
- Only bind/engine/without_gil.h takes the GIL; it asserts that this thread holds no lock.
- Within the scope of a lock nothing is called that asks Python: the functions whose bodies match ASKS, and those that call
  them, by name; where several functions have a name, all of them must ask.
- Statics whose initial value Python gives are bind/engine/kept.h's: the initialiser of a static is a lock, too.
"""

import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src" / "tessera"
HOME, GIL_HOME = "base/mutex.h", "bind/engine/without_gil.h"
OWN_LOCKS = {
    "engine/call/call_function.cpp": "of one call: only that call's threads wait for it, and none of them has the GIL",
    "library/unlocking.h": "of a library's handle: who waits for it has released the GIL, so its holder may take that",
}
STANDARD_LOCK = re.compile(r"\bstd::(?:\w+_)?mutex\b|\bstd::condition_variable\w*")
GIL = re.compile(r"\bPyGILState_Ensure\b|\bPyEval_RestoreThread\b|\bPyEval_AcquireThread\b|\bgil_scoped_acquire\b")
PYTHON = r"\b_?Py[A-Z]\w*_\w+\(|\bnb::(?!handle\b)\w+|\.attr\(|\bimport_attribute\("
# What leads to Python from rooms that do not know it: the engine's hooks, and the functions that bind passes in.
HOOKS = (
    r"\bhooks_?(?:\.|->)(?:lock|unlock|here|describe|log)\(|\bsites\.(?:current|describe)\(|\b(?:Unlocked|HostWork)\s+\w+\(|\bWithGil\b"
    r"|\bpackage_folders_function\(\)|\bgiven\.host\("
)
LOCK = re.compile(
    r"\b(?:std::)?(?:lock_guard|unique_lock|scoped_lock)(?:<[^;>]*>)?\s+(\w+)\s*[({][^;]*;|\bSimulatedTurn\s+(\w+);"
)
# Not names of functions, or of too many to follow.
KEYWORDS = {"if", "for", "while", "switch", "catch", "return", "sizeof", "constexpr", "decltype", "requires", "defined"}
KEYWORDS |= {"lock", "unlock", "State"}


def is_of_bind(name):
    return name.startswith("bind/")


def blank(text):
    """The text without comments and the contents of literals; lines stay where they are."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\''

    def empty(found):
        return '""' + "\n" * found[0].count("\n") if found[0][0] in "\"R'" else "\n" * found[0].count("\n")

    return re.sub(pattern, empty, text, flags=re.DOTALL)


def closing(text, at, opening="{", end="}"):
    """Where the block that is open at `at` ends."""
    depth = 1
    for found in re.compile(f"[{re.escape(opening + end)}]").finditer(text, at):
        depth += 1 if found[0] == opening else -1
        if depth == 0:
            return found.start()
    return len(text)


def functions(text):
    """Name and body of each function that is defined here, lambdas with a name among them."""
    for brace in re.finditer(r"\{", text):
        head = text[max(text.rfind(mark, 0, brace.start()) for mark in ";{}") + 1 : brace.start()]
        found = re.search(r"\b(\w+) = \[[^\]]*\]", head) or re.search(
            r"(~?\w+)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)(?:\s|const|noexcept|override|final|mutable|->[^{]*|:[^{]*)*$",
            head,
        )
        if found and found[1] not in KEYWORDS:
            yield found[1], head[found.end(1) :] + text[brace.end() : closing(text, brace.end())]


def called(body):
    """Names that may be functions, or classes of which an object is made."""
    return {
        name
        for pattern in (
            r"(?<![.\w])(?:\w+::)*(\w+)\s*(?:<[^;()<>]*>)?\(",
            r"(?:\.|->)(\w+)\(",
            r"\bmake_(?:unique|shared)<(?:const )?(?:\w+::)*(\w+)>",
            r"\b([A-Z]\w+)\s+\w+\s*[({]",
        )
        for name in re.findall(pattern, body)
    }


class Asking:
    """The functions that ask Python. Where several have a name, all must ask, or those of the calling file may not."""

    def __init__(self, texts):
        self.bodies, self.reasons = {}, {}
        for name, text in texts.items():
            seeds = re.compile(HOOKS + "|" + PYTHON if is_of_bind(name) else HOOKS)
            for function, body in functions(text):
                seed = seeds.search(body)
                self.bodies.setdefault(function, []).append((name, seed and seed[0], called(body)))
        # Rooms below bind call none of its functions.
        for rooms in (lambda name: not is_of_bind(name), lambda name: True):
            self.close(rooms)

    def close(self, rooms):
        more = True
        while more:
            more = {}
            for function, bodies in self.bodies.items():
                of_rooms = [body for body in bodies if rooms(body[0])]
                if function not in self.reasons and (reason := self.common(function, of_rooms)):
                    more[function] = reason
            self.reasons |= more
        self.below = getattr(self, "below", None) or dict(self.reasons)

    def common(self, function, bodies):
        """Why all of these ask; None where one does not."""
        # Overloads that call each other ask as the others do.
        others = [body for body in bodies if body[1] or function not in body[2]]
        reasons = [seed or self.first(name, calls) for name, seed, calls in others]
        return reasons[0] if reasons and all(reasons) else None

    def first(self, name, calls):
        known = self.reasons if is_of_bind(name) else getattr(self, "below", self.reasons)
        return next((call for call in sorted(calls) if call in known), None)

    def reason(self, name, function):
        """Why what `function` names in this file asks Python, or None."""
        own = [body for body in self.bodies.get(function, ()) if body[0] == name]
        if own and not self.common(function, own):
            return None
        return (self.reasons if is_of_bind(name) else self.below).get(function)


def locked_scopes(text):
    """Begin and text of what runs while something is locked."""
    for lock in LOCK.finditer(text):
        scope = text[lock.end() : closing(text, lock.end())]
        name = lock[1] or lock[2]
        scope = re.sub(
            rf"\b{name}\.unlock\(\);.*?(?=\b{name}\.lock\(\);|\Z)",
            lambda f: "\n" * f[0].count("\n"),
            scope,
            flags=re.DOTALL,
        )
        yield lock.start(), scope
    for once in re.finditer(r"\bcall_once\(", text):
        yield once.start(), text[once.end() : closing(text, once.end(), "(", ")")]


def problems(name, text, asks):
    is_bind = is_of_bind(name)

    def line(at):
        return text.count("\n", 0, at) + 1

    if name not in (HOME, *OWN_LOCKS):
        for found in STANDARD_LOCK.finditer(text):
            yield f"{name}:{line(found.start())}: {found[0]}, which debug builds do not count: use {HOME}"
    if name != GIL_HOME:
        for found in GIL.finditer(text):
            yield f"{name}:{line(found.start())}: {found[0]} outside of {GIL_HOME}"
    direct = re.compile(HOOKS + "|" + PYTHON if is_bind else HOOKS)
    for begin, scope in locked_scopes(text):
        if name in OWN_LOCKS:
            continue
        reasons = [found[0] for found in direct.finditer(scope)]
        reasons += [f"{call} ({why})" for call in sorted(called(scope)) if (why := asks.reason(name, call))]
        for reason in reasons:
            yield f"{name}:{line(begin)}: Python is asked under this lock: {reason}"
    for found in re.finditer(
        r"\bstatic (?!constinit|constexpr|inline|thread_local|PyMethodDef)(?:[^;(){}=]*?)\b\w+\s*([=({])", text
    ):
        rest = text[found.end() : found.end() + text[found.end() :].find(";") + 1]
        if found[1] == "(":
            continue  # a function
        if re.match(r"\s*\[[^\]]*\]\s*(?:\([^)]*\)\s*)?\{", rest):
            opened = found.end() + rest.index("{") + 1
            rest = text[found.end() : closing(text, opened)]
        python = re.search(PYTHON, rest) if is_bind else None
        reason = python[0] if python else next((c for c in sorted(called(rest)) if asks.reason(name, c)), None)
        if reason:
            yield f"{name}:{line(found.start())}: a static's initial value asks Python ({reason}): use bind/engine/kept.h"


def main():
    texts = {}
    for path in sorted(SOURCE.rglob("*")):
        if path.suffix in (".h", ".cpp") and not path.stem.endswith("_test"):
            texts[str(path.relative_to(SOURCE))] = blank(path.read_text())
    asks = Asking(texts)
    found = [problem for name, text in texts.items() for problem in problems(name, text, asks)]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
