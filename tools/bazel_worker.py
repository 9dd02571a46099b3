"""A worker of BuildGrid, as small as can be: `tools/bazel-farm.py` starts it.

    bazel_worker.py ADDRESS FOLDER LOG

Each action runs in an empty folder of its own below FOLDER, which holds the action's declared inputs and nothing else, with the
environment that its command declares and nothing else; declared outputs alone go back, the folder is removed. LOG gets one line
of JSON for each action. BuildGrid's own worker (buildbox) is in no package registry.
"""

import json
import os
import shutil
import subprocess
import sys
import uuid
from hashlib import sha256
from pathlib import Path

import grpc
from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2 as re
from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2_grpc as re_grpc
from buildgrid._protos.google.bytestream import bytestream_pb2, bytestream_pb2_grpc
from buildgrid._protos.google.devtools.remoteworkers.v1test2 import bots_pb2, bots_pb2_grpc, worker_pb2
from buildgrid._protos.google.rpc import code_pb2

CHUNK = 1 << 20


class Store:
    """The content store of a server."""

    def __init__(self, channel: grpc.Channel):
        self.bytes = bytestream_pb2_grpc.ByteStreamStub(channel)
        self.contents = re_grpc.ContentAddressableStorageStub(channel)

    def get(self, digest) -> bytes:
        if not digest.size_bytes:
            return b""
        request = bytestream_pb2.ReadRequest(resource_name=f"blobs/{digest.hash}/{digest.size_bytes}")
        return b"".join(part.data for part in self.bytes.Read(request))

    def put(self, data: bytes):
        digest = re.Digest(hash=sha256(data).hexdigest(), size_bytes=len(data))
        if not data or not self.contents.FindMissingBlobs(re.FindMissingBlobsRequest(blob_digests=[digest])).missing_blob_digests:
            return digest
        name = f"uploads/{uuid.uuid4()}/blobs/{digest.hash}/{digest.size_bytes}"

        def parts():
            for at in range(0, len(data), CHUNK):
                part = data[at : at + CHUNK]
                yield bytestream_pb2.WriteRequest(resource_name=name, write_offset=at, finish_write=at + len(part) == len(data), data=part)

        self.bytes.Write(parts())
        return digest


def stage(store: Store, digest, folder: Path, blobs: Path) -> int:
    """Lays a tree of inputs; returns how many files. Files are read-only, as they would be shared among actions."""
    tree = re.Directory.FromString(store.get(digest))
    count = len(tree.files) + len(tree.symlinks)
    for file in tree.files:
        blob = blobs / f"{file.digest.hash}{'x' if file.is_executable else ''}"
        if not blob.exists():
            blob.write_bytes(store.get(file.digest))
            blob.chmod(0o555 if file.is_executable else 0o444)
        os.link(blob, folder / file.name)
    for link in tree.symlinks:
        (folder / link.name).symlink_to(link.target)
    for inner in tree.directories:
        (folder / inner.name).mkdir()
        count += stage(store, inner.digest, folder / inner.name, blobs)
    return count


def execute(store: Store, action, folder: Path) -> tuple:
    """Runs an action; returns its result and what the log tells of it."""
    command = re.Command.FromString(store.get(action.command_digest))
    root = folder / uuid.uuid4().hex
    root.mkdir(parents=True)
    try:
        inputs = stage(store, action.input_root_digest, root, folder)
        outputs = list(command.output_paths) or [*command.output_files, *command.output_directories]
        for output in outputs:
            (root / output).parent.mkdir(parents=True, exist_ok=True)
        environment = {v.name: v.value for v in command.environment_variables}
        done = subprocess.run(list(command.arguments), cwd=root / command.working_directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
        result = re.ActionResult(exit_code=done.returncode, stdout_digest=store.put(done.stdout), stderr_digest=store.put(done.stderr))
        naming = []
        for output in outputs:
            path = root / command.working_directory / output
            if path.is_file():
                data = path.read_bytes()
                naming += [output] if str(root).encode() in data else []
                result.output_files.add(path=output, digest=store.put(data), is_executable=os.access(path, os.X_OK))
        told = {"command": list(command.arguments)[:6], "inputs": inputs, "outputs": outputs, "status": done.returncode, "naming_the_folder": naming}
        return result, told
    finally:
        shutil.rmtree(root, ignore_errors=True)


def main() -> None:
    address, folder, log = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    channel = grpc.insecure_channel(address)
    store, bots = Store(channel), bots_pb2_grpc.BotsStub(channel)
    device = worker_pb2.Device(handle="here")
    device.properties.add(key="OSFamily", value="linux")
    session = bots_pb2.BotSession(bot_id=uuid.uuid4().hex, status=bots_pb2.BotStatus.OK, worker=worker_pb2.Worker(devices=[device]))
    session = bots.CreateBotSession(bots_pb2.CreateBotSessionRequest(parent="", bot_session=session), timeout=30)
    while True:
        for lease in session.leases:
            if lease.state not in (bots_pb2.LeaseState.PENDING, bots_pb2.LeaseState.ACTIVE):
                continue
            action, digest = re.Action(), re.Digest()
            if not lease.payload.Unpack(action):
                lease.payload.Unpack(digest)
                action = re.Action.FromString(store.get(digest))
            result, told = execute(store, action, folder)
            with log.open("a") as lines:
                lines.write(json.dumps(told) + "\n")
            lease.state = bots_pb2.LeaseState.COMPLETED
            lease.status.code = code_pb2.OK
            lease.result.Pack(result)
        session = bots.UpdateBotSession(bots_pb2.UpdateBotSessionRequest(name=session.name, bot_session=session), timeout=30)


if __name__ == "__main__":
    main()
