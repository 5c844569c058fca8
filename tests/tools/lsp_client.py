"""A client of nova-lsp-server: starts it, talks JSON-RPC over its pipes, and checks what it says."""

import json
import os
import queue
import subprocess
import threading


class Client:
    def __init__(self, command, folder):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.folder = folder
        self.replies, self.notifications = queue.Queue(), queue.Queue()
        self.next_id, self.versions = 0, {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    return
                if line == b"\r\n":
                    break
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(out.read(length))
            (self.notifications if "method" in message else self.replies).put(message)

    def send_raw(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method, **params):
        self.send_raw(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def request(self, method, **params):
        self.next_id += 1
        self.send_raw(json.dumps({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}).encode())
        reply = self.replies.get(timeout=60)
        assert reply["id"] == self.next_id, reply
        assert "error" not in reply, reply
        return reply["result"]

    def start(self):
        return self.request("initialize", processId=None, rootUri=None, capabilities={})

    def stop(self):
        """Returns the exit code."""
        self.request("shutdown")
        self.notify("exit")
        return self.process.wait(timeout=60)

    def uri(self, name):
        return "file://" + os.path.join(self.folder, name)

    def open(self, name, text=None):
        """Opens a text, by default the file's, and returns its diagnostics."""
        if text is None:
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                text = file.read()
        self.versions[name] = 1
        document = {"uri": self.uri(name), "languageId": "nova", "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=document)
        return self.diagnostics()

    def change(self, name, *changes):
        """Each change is a new text, or (from line, from column, to line, to column, text)."""
        self.versions[name] += 1
        events = []
        for change in changes:
            if isinstance(change, str):
                events.append({"text": change})
            else:
                line, column, to_line, to_column, text = change
                events.append({"text": text, "range": {"start": {"line": line, "character": column},
                                                       "end": {"line": to_line, "character": to_column}}})
        document = {"uri": self.uri(name), "version": self.versions[name]}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=events)
        return self.diagnostics()

    def diagnostics(self):
        """(line, first column, behind the last, message) each, lines from 0."""
        params = self.notifications.get(timeout=60)["params"]
        found = []
        for each in params["diagnostics"]:
            start, end = each["range"]["start"], each["range"]["end"]
            found.append((start["line"], start["character"], end["character"], each["message"]))
        return found

    def at(self, method, name, line, column, **more):
        place = {"textDocument": {"uri": self.uri(name)}, "position": {"line": line, "character": column}}
        return self.request("textDocument/" + method, **place, **more)

    def hover(self, name, line, column):
        result = self.at("hover", name, line, column)
        return result and result["contents"]["value"]

    def definition(self, name, line, column):
        """(file, line, column) or None."""
        found = self.at("definition", name, line, column)
        if not found:
            return None
        start = found[0]["range"]["start"]
        return os.path.basename(found[0]["uri"]), start["line"], start["character"]

    def completion(self, name, line, column):
        return [item["label"] for item in self.at("completion", name, line, column)["items"]]
