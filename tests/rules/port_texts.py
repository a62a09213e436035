"""Nodes and their ports, as a shell session with ``grep -H`` on kernel files shows them."""

from __future__ import annotations


def node(number: int, *lines: str) -> str:
    """The lines as node ``gpu<number>`` printed them."""
    return "".join(f"{line}\n" for line in (f"[root@gpu{number:02} ~]# grep -H . the files", *lines))


def port(
    hca: str, state: str = "4: ACTIVE", rate: str = "400", *, layer: str = "InfiniBand", up: str = "", **files: str
) -> list[str]:
    """Port 1 of an HCA of type MT4129. ``up``: its physical state; ``files``: more files of the port."""
    of_hca = f"/sys/class/infiniband/{hca}"
    physical = up or ("5: LinkUp" if state[0] in "234" else "2: Polling")
    said = {"state": state, "phys_state": physical, "rate": f"{rate} Gb/sec (4X NDR)", "link_layer": layer, **files}
    guid = said.pop("guid", "")
    own = [f"{of_hca}/hca_type:{said.pop('type', 'MT4129')}"]
    own += [f"{of_hca}/sys_image_guid:a088:c203:00aa:{guid}"] if guid else []
    return own + [f"{of_hca}/ports/1/{name}:{text}" for name, text in said.items()]
