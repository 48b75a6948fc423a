"""Three etcd members that agree on the leader; one of them may fail."""

from __future__ import annotations

from pathlib import Path

from tests.verification.chaos.ha.programs import Program, etcd, free_ports

MEMBERS = 3


class Etcd:
    """The etcd cluster; Patroni asks its `hosts`."""

    def __init__(self, folder: Path) -> None:
        clients, peers = free_ports(MEMBERS), free_ports(MEMBERS)
        self.hosts = [f"127.0.0.1:{port}" for port in clients]
        initial_cluster = ",".join(f"e{n}=http://127.0.0.1:{port}" for n, port in enumerate(peers))
        self.members = []
        for n, (client, peer) in enumerate(zip(clients, peers, strict=True)):
            arguments = {
                "name": f"e{n}",
                "data-dir": folder / f"etcd{n}" / "data",
                "listen-client-urls": f"http://127.0.0.1:{client}",
                "advertise-client-urls": f"http://127.0.0.1:{client}",
                "listen-peer-urls": f"http://127.0.0.1:{peer}",
                "initial-advertise-peer-urls": f"http://127.0.0.1:{peer}",
                "initial-cluster": initial_cluster,
                "initial-cluster-token": "vola",
                "initial-cluster-state": "new",
                # generous, because everything here shares two cores and one disk
                "heartbeat-interval": 300,
                "election-timeout": 3000,
                "log-level": "error",
            }
            command = [str(etcd()), *(f"--{name}={value}" for name, value in arguments.items())]
            self.members.append(Program(folder / f"etcd{n}", command))

    def start(self) -> None:
        for member in self.members:
            member.start()

    def stop(self) -> None:
        for member in self.members:
            member.stop(5)
