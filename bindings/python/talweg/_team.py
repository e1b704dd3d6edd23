"""A team of processes: the members of an mpi4py communicator.

All communication uses one collective call, `allgather`, of a pair: the reason why this member fails, or None, and its
payload. A member that fails does not need to know which call the others are in, since it is always the same call. All
members learn of the failure there and do not communicate again. The only exception is a ladder of parallel tempering
that is split between two members: they exchange states by `sendrecv`, between two such calls; without `sendrecv` a
ladder is not split.
"""

from __future__ import annotations

from typing import Any, Optional

from ._talweg import InputError


class Team:
    """One member's view of the processes of a communicator, in the form that the library needs (source/team.c)."""

    def __init__(self, comm: Any) -> None:
        for name in ("Get_rank", "Get_size", "allgather"):
            if not callable(getattr(comm, name, None)):
                raise InputError(f"comm must be a communicator of mpi4py; a {type(comm).__name__} has no {name}()")
        self._comm = comm
        self.rank: int = comm.Get_rank()
        self.size: int = comm.Get_size()
        self.trades: bool = callable(getattr(comm, "sendrecv", None))
        self._why: Optional[str] = None

    def _exchange(self, failure: Optional[str], payload: bytes) -> Optional[list[bytes]]:
        """The payloads of all members; None: one of them has failed."""
        if self._why is not None:
            return None
        parts = self._comm.allgather((failure, payload))
        for rank, (why, _) in enumerate(parts):
            if why is not None:
                self._why = why if rank == self.rank else f"rank {rank} of {self.size}: {why}"
                return None
        return [part for _, part in parts]

    def gather(self, data: memoryview, offsets: list[int]) -> bool:
        """Each member has filled its part of `data`; afterwards all members have all parts."""
        parts = self._exchange(None, bytes(data[offsets[self.rank] : offsets[self.rank + 1]]))
        if parts is None:
            return False
        for rank, part in enumerate(parts):
            data[offsets[rank] : offsets[rank + 1]] = part
        return True

    def broadcast(self, data: memoryview) -> bool:
        """Send the data of the first member to all."""
        parts = self._exchange(None, bytes(data) if self.rank == 0 else b"")
        if parts is None:
            return False
        data[:] = parts[0]
        return True

    def trade(self, other: int, mine: bytes, theirs: memoryview) -> bool:
        """Exchange data with one other member."""
        theirs[:] = self._comm.sendrecv(mine, dest=other, source=other)
        return True

    def give_up(self, why: str) -> bool:
        """This member cannot continue."""
        self._exchange(why, b"")
        return True

    def reason(self) -> Optional[str]:
        """Why a call failed: the message of the member that failed first."""
        return self._why
