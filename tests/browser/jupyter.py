"""A JupyterLab with notebooks of a test, in the browser."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat

TOKEN = "of-the-test"
SETTINGS = {
    # it asks for the network
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyter-widgets/jupyterlab-manager/plugin": {"saveState": True},
}


@contextlib.contextmanager
def jupyter_lab(folder: Path):
    """The address of a server whose files, settings and processes are gone at the end."""
    settings = folder / "settings"
    for name, values in SETTINGS.items():
        file = settings / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values), "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        **{f"JUPYTER_{name}_DIR": str(folder / name) for name in ("CONFIG", "DATA", "RUNTIME")},
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
               "--expose-app-in-browser", f"--ServerApp.port={port}", "--ServerApp.port_retries=0",
               f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}"]  # fmt: skip
    with open(folder / "server.log", "wb") as log:
        server = subprocess.Popen(
            command, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        address = f"http://127.0.0.1:{port}"
        while server.poll() is None:
            with contextlib.suppress(OSError):
                ask(address, "status")
                break
            time.sleep(0.2)
        assert server.poll() is None, (folder / "server.log").read_text("utf-8")
        yield address
    finally:
        # its kernels end with it
        server.terminate()
        try:
            server.wait(30)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)


def ask(address, path, method="GET"):
    """What the interface of the server answers."""
    request = urllib.request.Request(
        f"{address}/api/{path}", method=method, headers={"Authorization": f"token {TOKEN}"}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or "null")


def write_notebook(file: Path, cells):
    """A notebook of some cells that have not run."""
    kernel = {"name": "python3", "display_name": "Python 3"}
    made = [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": kernel}), file)


@contextlib.contextmanager
def notebook(started, address, name, height=1000):
    """A page of JupyterLab with a notebook and an idle kernel; no error may come from it."""
    page = started.new_page(viewport={"width": 1280, "height": height})
    said = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{address}/lab/tree/{name}?token={TOKEN}&reset")
    page.get_by_text("| Idle").wait_for()
    yield page
    page.close()
    assert not said, said


# texts of what the cell prints, or of what it is
RUN = """
async (at) => {
  const { content } = jupyterapp.shell.currentWidget;
  content.activeCellIndex = at;
  await jupyterapp.commands.execute("notebook:run-cell");
  const outputs = content.widgets[at].model.outputs.toJSON();
  return outputs.map((one) => one.text ?? one.data?.["text/plain"] ?? one.evalue).join("");
}
"""


def run_cell(page, at):
    """Run a cell, the first one is 0; its output as text."""
    return page.evaluate(RUN, at)


def execute(page, command, **arguments):
    """Run a command of JupyterLab, such as one of its menus."""
    page.evaluate(
        "([command, arguments]) => jupyterapp.commands.execute(command, arguments)",
        [command, arguments],
    )
