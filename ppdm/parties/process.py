"""A party's process: a script that does what the session says, until its pipe ends.

It begins before the library is imported, which takes most of a start.
"""

import ctypes
import importlib
import json
import os
import queue
import signal
import sys
import threading
import types
from typing import Any

WITH_PARENT = 1  # the option of prctl: which signal comes when the thread ends that has started this process


class Later(types.ModuleType):
    """A module that is imported when something of it is asked for."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules[self.__name__] is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def serve() -> None:
    """Do what the session says."""
    from ppdm.parties.net import Net
    from ppdm.parties.party import Party
    from ppdm.parties.project import own_records
    from ppdm.parties.wires import PartyError, encoded, write

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed here must not look like an answer
    orders: queue.SimpleQueue = queue.SimpleQueue()

    def listen() -> None:
        with open(0, "rb") as pipe:
            for line in pipe:
                orders.put(json.loads(line))
        os._exit(0)  # the session is gone, in whatever way: so is its party

    threading.Thread(target=listen, daemon=True).start()
    party: Any = None
    while True:
        what, given = orders.get()
        try:
            if what == "begin":
                me, project, file = given.pop("me"), given["project"], given.pop("file")
                net = Net(me, project["parties"], bytes.fromhex(given.pop("secret")), **given)
                party = Party(net, project, file and own_records(project, me, file))
                party.told = lambda step: write(answers, encoded({"step": step}))
                answer = {"port": net.run(net.listen())}
            else:
                answer = getattr(party, what)(**given)
        except PartyError as error:
            answer = {"fault": [error.party, error.why]}
        except (TypeError, ValueError) as error:
            answer = {"fault": ["", str(error)]}
        write(answers, encoded(answer))


if __name__ == "__main__":
    if "tied" in sys.argv and sys.platform == "linux":  # ends even a process that is stopped, and reads no pipe
        ctypes.CDLL(None).prctl(WITH_PARENT, signal.SIGKILL)
    # What scikit-learn imports of it takes half of all imports; a party needs it for noise alone.
    sys.modules["scipy.stats"] = Later("scipy.stats")
    serve()
