"""The processes of a session's parties: started, told what to do, heard, and ended."""

import json
import os
import queue
import secrets
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ppdm.blocks import bar
from ppdm.parties.wires import PartyError, encoded, write

GRACE = 10.0  # seconds that one process may take longer than another
DELAY = 2  # seconds before a bar is shown


class Children:
    """Processes on this machine, one for each party of a project.

    Parameters
    ----------
    project : what all of them know
    limit, latency : seconds for which a party may be silent, and by which messages are late
    """

    def __init__(self, project, limit, latency) -> None:
        self.project, self.limit, self.latency = project, limit, latency
        self.processes: dict = {}
        self._answers: queue.SimpleQueue = queue.SimpleQueue()
        self._gone: dict = {}  # by name, why: of those whose process ended, until they are asked for something
        self._lock = threading.Lock()

    def start(self, files) -> dict:
        """Start the processes and let them meet; how many records each one has whose file is given."""
        if self.processes or self._gone:
            raise RuntimeError("the session was started before; expected a new one: parties.local(...)")
        roots = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
        alone = os.environ | {"PYTHONPATH": os.pathsep.join(roots), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-P", str(Path(__file__).with_name("process.py"))]
        # Linux can end a process when the thread ends that has started it: only the main one lasts as long as the rest.
        command += ["tied"] * (threading.current_thread() is threading.main_thread())
        told = {"project": self.project, "limit": self.limit, "latency": self.latency}
        told["secret"] = secrets.token_hex(32)
        try:
            for name in self.project["parties"]:
                # A group of its own: an interrupt is for the notebook, which ends its parties itself.
                process = subprocess.Popen(command, stdin=-1, stdout=-1, env=alone, start_new_session=True)
                self.processes[name] = process
                threading.Thread(target=self._listen, args=(name, process.stdout), daemon=True).start()
            own = {name: {"me": name, "file": files.get(name)} for name in self.processes}
            ports = self.ask("begin", {name: told | one for name, one in own.items()})
            addresses = {name: ["127.0.0.1", answer["port"]] for name, answer in ports.items()}
            answers = self.ask("meet", {name: {"addresses": addresses} for name in ports})
        except BaseException:
            self.end()
            raise
        return {name: answers[name]["records"] for name in files}

    def end(self, *names) -> None:
        """End the processes, or those of some parties."""
        for name in names or [*self.processes]:
            process = self.processes.pop(name)
            self._gone[name] = "has ended"
            process.kill()
            process.wait()
            with suppress(OSError):  # what it was told and did not read
                process.stdin.close()

    def ask(self, what, given, steps=0) -> dict:
        """Let processes do something, and wait for what they answer. Whatever goes wrong ends the session.

        steps : how often something will be opened, for a progress bar; None: nobody knows
        """
        if not self.processes:
            raise RuntimeError("the session is over; expected calls within `with parties.local(...) as session:`")
        with self._lock:
            lines = {name: encoded([what, own]) for name, own in given.items()}
            answers: dict = {}
            try:
                for name, line in lines.items():
                    # A party that is stopped reads nothing, which must not hold up the others.
                    order = self.processes[name].stdin, line
                    threading.Thread(target=write, args=order, daemon=True).start()
                for _ in bar(self._heard(given, answers), steps, steps != 0, DELAY):
                    pass
                faults = self._faults(what, given, answers)
            except BaseException:
                self.end()
                raise
            if faults:
                self.end(*faults)
            return {name: answers[name] for name in given if name not in faults}

    def _faults(self, what, given, answers):
        """By name, what is wrong with those without whom the work goes on; an error if it does not go on."""
        told = {name: tuple(answers[name]["fault"]) for name in given if "fault" in answers.get(name, ())}
        for party, why in told.values():
            if not party:  # one that refuses; the others, who waited for it, have nothing better to say
                raise ValueError(why)
        faults = {name: (name, "says nothing") for name in given if name not in answers} | told
        # With masks, work goes on if the server and some site are done: whoever is not is lost.
        server = self.project["server"] if self.project["engine"] == "masks" and what == "work" else None
        if faults and (server is None or server in faults or len(faults) > len(given) - 2):
            raise PartyError(*Counter((told or faults).values()).most_common(1)[0][0])
        return faults

    def _heard(self, given, answers) -> Iterator:
        """Gather the answers of those who are asked; yield what is opened meanwhile, as the first party tells it."""
        answers |= {name: {"fault": [name, self._gone[name]]} for name in given if name in self._gone}
        with suppress(queue.Empty):
            while len(answers) < len(given):
                name, answer = self._answers.get(timeout=self._patience(answers.values()))
                if name in given and "step" not in answer:
                    answers[name] = answer
                elif name in given and name == self.project["sites"][0]:
                    yield answer["step"]
                elif name in self.processes and "fault" in answer:  # it ended while nobody asked it
                    self._gone[name] = answer["fault"][1]

    def _patience(self, answers):
        """How long to wait for the next answer: without end for the first one."""
        if self.project["engine"] != "masks" and any("fault" in one for one in answers):
            return 1 + 2 * self.latency  # work cannot go on; the others hear of it in the time of a message
        return self.limit + GRACE if answers else None

    def _listen(self, name, pipe):
        """Take what a process answers, until it ends."""
        with pipe, suppress(ValueError):  # of a process that was killed, half a line is left
            for line in pipe:
                self._answers.put((name, json.loads(line)))
        self._answers.put((name, {"fault": [name, "is gone: its process ended"]}))
