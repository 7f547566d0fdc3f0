"""What a box may lack on a system that has no means for it: a name on the wire, and the words that say it."""

from __future__ import annotations

from enum import Enum


class Lack(Enum):
    """One thing that an adapter can do in a box that has no means against it; the value is what it can do."""

    NETWORK = "reach other machines, and look up names"
    DATAGRAMS = "send datagrams to other machines, so look up names"
    SOCKETS = "talk to the daemons of this machine through sockets with a path"
    ENVIRONMENTS = "read the environments of your other processes"
    FILES = "write files outside its scratch folder"
    SESSIONS = "leave a process behind, in a session of its own"
    PROGRAMS = "start programs"
