"""Bit generators: NumPy's five, with its seeding, states and bits, over native generators."""

from __future__ import annotations

import operator

import numpy

from tessera import _core as core

_bits = core.random
_MASK64 = 2**64 - 1
_JUMP = 0x9E3779B97F4A7C15F39CC0605CEDC835


def _to_words(value, name, bits):
    """A non-negative integer, or an array of words, as 64-bit words, the lowest first."""
    count = bits // 64
    array = numpy.asarray(value)
    if array.shape != ():
        if array.shape != (count,):
            raise ValueError(f"{name} must have {count} elements when using array form")
        return [int(word) for word in array.astype(numpy.uint64)]
    value = int(value)
    if not 0 <= value < 2**bits:
        raise ValueError(f"{name} must be positive and less than 2**{bits}.")
    return [value >> 64 * i & _MASK64 for i in range(count)]


class SeedSequence(numpy.random.SeedSequence):
    """NumPy's, which takes tessera arrays for entropy too."""

    def __init__(self, entropy=None, *, spawn_key=(), pool_size=4, n_children_spawned=0):
        super().__init__(
            _on_host(entropy), spawn_key=spawn_key, pool_size=pool_size, n_children_spawned=n_children_spawned
        )


def _on_host(seed):
    return numpy.asarray(seed) if core.is_own(seed) else seed


class BitGenerator(numpy.random.BitGenerator):
    """What the native bit generators share."""

    def __init__(self, seed=None):
        super().__init__(seed if isinstance(seed, numpy.random.bit_generator.ISeedSequence) else SeedSequence(seed))
        self._native = _bits.make_bits(type(self)._kind, self._seed_words())
        self._capsule = _bits.to_capsule(self._native)

    def _seed_words(self):
        return [int(word) for word in self._seed_seq.generate_state(self._seed_size, numpy.uint64)]

    _has_seed_seq = True

    @property
    def seed_seq(self):
        """The seed sequence the generator started from, None where it was seeded otherwise."""
        return self._seed_seq if self._has_seed_seq else None

    def spawn(self, n_children):
        """Generators on independent bits."""
        if not self._has_seed_seq:
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return super().spawn(n_children)

    @property
    def capsule(self):
        """The table of functions that C code, NumPy's own generators among it, draws bits through, holding `lock`."""
        if self._lends:
            _bits.share_lock(self._native, self.lock)
        return self._capsule

    _lends = True

    def attach(self, initialize):
        """Calls what makes one of this package's generators over these bits, which holds no lock of NumPy's."""
        self._lends = False
        try:
            initialize(self)
        finally:
            del self._lends

    def random_raw(self, size=None, output=True):
        """The generator's words as they come."""
        words = self._native.raw(size)
        return words if output else None

    def _benchmark(self, cnt, method="uint64"):
        """Draws numbers and forgets them; NumPy's own tests time it."""
        if method not in ("uint64", "double"):
            raise ValueError("Unknown method")
        self.random_raw(cnt, output=False)

    def _checked_state(self, value):
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        if value.get("bit_generator", "") != type(self).__name__:
            raise ValueError(f"state must be for a {type(self).__name__} {self._state_noun}")
        return value

    _state_noun = "PRNG"

    def jumped(self, jumps=1):
        """A new generator as far ahead as `jumps` times a very large number of draws."""
        other = type(self)()
        other.state = self.state
        other._jump(jumps)
        return other


class PCG64(BitGenerator):
    """PCG64: a 128-bit linear congruential generator with permuted output.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.random.Generator(np.random.PCG64(7)).integers(0, 10, 3)
    array([9, 6, 6])
    """

    _kind, _seed_size, _state_noun = "PCG64", 4, "RNG"

    @property
    def state(self):
        """The state as NumPy's dictionary."""
        words = self._native.state()
        return {
            "bit_generator": type(self).__name__,
            "state": {"state": words[0] << 64 | words[1], "inc": words[2] << 64 | words[3]},
            "has_uint32": words[4],
            "uinteger": words[5],
        }

    @state.setter
    def state(self, value):
        value = self._checked_state(value)
        words = []
        for part in (value["state"]["state"], value["state"]["inc"]):
            words += [int(part) >> 64, int(part) & _MASK64]
        self._native.set_state(words + [int(value["has_uint32"]), int(value["uinteger"])])

    def advance(self, delta):
        """Move on as if `delta` numbers had been drawn."""
        delta = int(delta) & (2**128 - 1)
        self._native.advance([delta & _MASK64, delta >> 64, 0, 0])
        return self

    def _jump(self, jumps):
        self.advance(_JUMP * int(jumps))


class PCG64DXSM(PCG64):
    """PCG64 with the DXSM output function.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.random.Generator(np.random.PCG64DXSM(7)).integers(0, 10, 3)
    array([6, 0, 1])
    """

    _kind = "PCG64DXSM"


class SFC64(BitGenerator):
    """Chris Doty-Humphrey's small fast chaotic generator.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.random.Generator(np.random.SFC64(7)).integers(0, 10, 3)
    array([9, 0, 0])
    """

    _kind, _seed_size = "SFC64", 3

    @property
    def state(self):
        """The state as NumPy's dictionary."""
        words = self._native.state()
        return {
            "bit_generator": type(self).__name__,
            "state": {"state": core.asarray(numpy.array(words[:4], numpy.uint64))},
            "has_uint32": words[4],
            "uinteger": words[5],
        }

    @state.setter
    def state(self, value):
        value = self._checked_state(value)
        words = [int(word) for word in value["state"]["state"]]
        self._native.set_state(words + [int(value["has_uint32"]), int(value["uinteger"])])

    def jumped(self, jumps=1):
        """Not defined for this generator."""
        raise AttributeError(f"'{type(self).__name__}' object has no attribute 'jumped'")


class Philox(BitGenerator):
    """Philox4x64: a counter enciphered by ten rounds under a key.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.random.Generator(np.random.Philox(7)).integers(0, 10, 3)
    array([2, 4, 9])
    """

    _kind = "Philox"

    def __init__(self, seed=None, counter=None, key=None):
        if seed is not None and key is not None:
            raise ValueError("seed and key cannot be both used")
        self._key = None if key is None else _to_words(key, "key", 128)
        self._counter = _to_words(0 if counter is None else counter, "counter", 256)
        super().__init__(seed)
        self._has_seed_seq = key is None

    def _seed_words(self):
        key = self._key or [int(word) for word in self._seed_seq.generate_state(2, numpy.uint64)]
        return key + self._counter

    @property
    def state(self):
        """The state as NumPy's dictionary."""
        words = self._native.state()
        return {
            "bit_generator": type(self).__name__,
            "state": {
                "counter": core.asarray(numpy.array(words[:4], numpy.uint64)),
                "key": core.asarray(numpy.array(words[4:6], numpy.uint64)),
            },
            "buffer": core.asarray(numpy.array(words[6:10], numpy.uint64)),
            "buffer_pos": words[10],
            "has_uint32": words[11],
            "uinteger": words[12],
        }

    @state.setter
    def state(self, value):
        value = self._checked_state(value)
        words = [*value["state"]["counter"], *value["state"]["key"], *value["buffer"]]
        words += [value["buffer_pos"], value["has_uint32"], value["uinteger"]]
        self._native.set_state([int(word) for word in words])

    def advance(self, delta):
        """Move on as if `delta` blocks of four numbers had been drawn."""
        self._native.advance(_to_words(int(delta) & (2**256 - 1), "step", 256))
        return self

    def _jump(self, jumps):
        self.advance(int(jumps) << 128)


class MT19937(BitGenerator):
    """The Mersenne twister.

    Examples
    --------
    >>> import tessera.numpy as np
    >>> np.random.Generator(np.random.MT19937(7)).integers(0, 10, 3)
    array([3, 4, 6])
    """

    _kind = "MT19937"
    _lock = None

    @property
    def lock(self):
        """What who draws holds, and who else draws from the same state."""
        return self._lock or super().lock

    def _seed_words(self):
        return [int(word) for word in self._seed_seq.generate_state(624)]

    def _legacy_seeding(self, seed):
        if seed is None:
            self._native.set_state(MT19937()._native.state())
            self._has_seed_seq = False
            return
        try:
            number = operator.index(seed.squeeze() if hasattr(seed, "squeeze") else seed)
        except TypeError:
            self._native.seed(_seed_array(seed), False)
        else:
            if not 0 <= number < 2**32:
                raise ValueError("Seed must be between 0 and 2**32 - 1")
            self._native.seed([number], True)
        self._has_seed_seq = False

    @property
    def state(self):
        """The state as NumPy's dictionary."""
        words = self._native.state()
        key = core.asarray(numpy.array(words[:624], numpy.uint32))
        return {"bit_generator": type(self).__name__, "state": {"key": key, "pos": words[624]}}

    @state.setter
    def state(self, value):
        if isinstance(value, tuple):
            if value[0] != "MT19937" or len(value) not in (3, 5):
                raise ValueError("state is not a legacy MT19937 state")
            value = {"bit_generator": "MT19937", "state": {"key": value[1], "pos": value[2]}}
        value = self._checked_state(value)
        self._native.set_state([int(word) for word in value["state"]["key"]] + [int(value["state"]["pos"])])

    def _jump(self, jumps):
        host = numpy.random.MT19937()
        host.state = {**self.state, "bit_generator": "MT19937"}
        self.state = {**host.jumped(jumps).state, "bit_generator": type(self).__name__}


def twister_of(theirs):
    """A twister that draws from the state of one of NumPy's, in turn with it; `theirs` must be kept alive."""
    bits = MT19937(0)
    bits._native = _bits.share_twister(theirs.capsule, theirs.lock)
    bits._lock = theirs.lock
    bits._capsule = _bits.to_capsule(bits._native)
    return bits


def _seed_array(seed):
    numbers = numpy.asarray(seed)
    if numbers.size == 0:
        raise ValueError("Seed must be non-empty")
    numbers = numbers.astype(numpy.int64, casting="safe")
    if numbers.ndim != 1:
        raise ValueError("Seed array must be 1-d")
    if ((numbers > 2**32 - 1) | (numbers < 0)).any():
        raise ValueError("Seed must be between 0 and 2**32 - 1")
    return [int(number) for number in numbers]
