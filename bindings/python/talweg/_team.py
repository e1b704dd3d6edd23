"""Several processes that do one job together: the members of an mpi4py communicator.

Everything that members tell each other goes through one collective call, `allgather`, of a pair: why this member gives
up, or None, and the bytes that it brings. A member that gives up does not know which call the others are in, and need
not: it is the same call. All learn of it there, and do not talk again. Only two members between whom a ladder of parallel
tempering is cut exchange states, between two such calls, by `sendrecv`; without it a ladder stays whole.
"""

from __future__ import annotations

from typing import Any, Optional

from ._talweg import InputError


class Team:
    """One member's view of the processes of a communicator, as the library wants it (source/team.c)."""

    def __init__(self, comm: Any) -> None:
        for name in ("Get_rank", "Get_size", "allgather"):
            if not callable(getattr(comm, name, None)):
                raise InputError(f"comm must be a communicator of mpi4py; a {type(comm).__name__} has no {name}()")
        self._comm = comm
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()
        self.trades: bool = callable(getattr(comm, "sendrecv", None))
        self._why: Optional[str] = None

    def _meet(self, farewell: Optional[str], brings: bytes) -> Optional[list[bytes]]:
        """What all members bring; None: one of them has given up."""
        if self._why is not None:
            return None
        parts = self._comm.allgather((farewell, brings))
        for rank, (why, _) in enumerate(parts):
            if why is not None:
                self._why = why if rank == self.rank else f"rank {rank} of {self.size}: {why}"
                return None
        return [part for _, part in parts]

    def gather(self, data: memoryview, offsets: list[int]) -> bool:
        """Each member has filled its part of `data`; afterwards all have all of it."""
        parts = self._meet(None, bytes(data[offsets[self.rank] : offsets[self.rank + 1]]))
        if parts is None:
            return False
        for rank, part in enumerate(parts):
            data[offsets[rank] : offsets[rank + 1]] = part
        return True

    def broadcast(self, data: memoryview) -> bool:
        """What the first member has, all have."""
        parts = self._meet(None, bytes(data) if self.rank == 0 else b"")
        if parts is None:
            return False
        data[:] = parts[0]
        return True

    def trade(self, other: int, mine: bytes, theirs: memoryview) -> bool:
        """This member and one other exchange what they have."""
        theirs[:] = self._comm.sendrecv(mine, dest=other, source=other)
        return True

    def give_up(self, why: str) -> bool:
        """This member cannot go on."""
        self._meet(why, b"")
        return True

    def reason(self) -> Optional[str]:
        """Why a call failed, in the words of the member that gave up first."""
        return self._why
