from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said


def matrix(links: dict[tuple[int, int], str], gpus: int, default: str = "SYS") -> str:
    """``nvidia-smi topo -m`` of node gpu07."""
    rows = ["\t" + "\t".join(f"GPU{n}" for n in range(gpus)) + "\tCPU Affinity\tNUMA Affinity"]
    for row in range(gpus):
        cells = (" X " if row == col else links.get((min(row, col), max(row, col)), default) for col in range(gpus))
        rows.append("\t".join([f"GPU{row}", *cells, "0-31", "0"]))
    return "[root@gpu07 ~]# nvidia-smi topo -m\n" + "\n".join(rows) + "\n"


def clique(gpus: list[int], link: str) -> dict[tuple[int, int], str]:
    return {(a, b): link for a in gpus for b in gpus if a < b}


def names(model: str, gpus: int) -> str:
    lines = [f"| {n}      | Name: {model:<62} |\n" for n in range(gpus)]
    head = "| GPU ID | Device Information                                                   |\n+========+=======+\n"
    return f"[root@gpu07 ~]# dcgmi discovery -l\n{gpus} GPUs found.\n{head}{''.join(lines)}\n"


def test_one_gpu_without_links() -> None:
    text = matrix(clique([0, 1, 2, 4, 5, 6, 7], "NV18"), 8)
    assert said("nvlink-topology", text) == snapshot(
        [
            (
                "nvlink-down",
                "error",
                "likely",
                "gpu07: GPU 3 has no link to the others (NV18 within 0,1,2,4,5,6,7, SYS between)",
            )
        ]
    )


def test_one_gpu_with_fewer_links() -> None:
    links = clique(list(range(8)), "NV18") | {pair: "NV16" for pair in clique(list(range(8)), "") if 3 in pair}
    (found,) = findings_of("nvlink-topology", matrix(links, 8))
    assert found.message == snapshot("gpu07: GPU 3 shows 16 NVLinks where its peers show 18")
    assert [(suspect.kind, suspect.name) for suspect in found.suspects] == snapshot(
        [("gpu", "gpu07 3"), ("node", "gpu07")]
    )


def test_gpus_that_have_nvlink_by_design_and_show_none() -> None:
    text = names("NVIDIA H100 80GB HBM3", 4) + matrix({}, 4)
    assert said("nvlink-topology", text) == snapshot(
        [("nvlink-down", "error", "likely", "gpu07: 4 NVIDIA H100 SXM are not joined by NVLink (SYS)")]
    )


def test_fewer_links_than_the_model_has_on_every_pair() -> None:
    text = names("NVIDIA H200", 8) + matrix(clique(list(range(8)), "NV17"), 8)
    assert said("nvlink-topology", text) == snapshot(
        [("nvlink-down", "error", "possible", "gpu07: every pair of NVIDIA H200 SXM shows 17 of 18 NVLinks")]
    )
    fewer_by_export = names("NVIDIA H800", 8) + matrix(clique(list(range(8)), "NV8"), 8)
    assert findings_of("nvlink-topology", fewer_by_export) == ()


def test_designs_without_links_everywhere_are_fine() -> None:
    bridged = matrix(clique([0, 1], "NV4"), 3, default="NODE")
    export_variant = matrix(clique(list(range(8)), "NV8"), 8)
    islands = matrix(clique([0, 1, 2, 3], "NV6") | clique([4, 5, 6, 7], "NV6"), 8)
    cube_mesh = matrix(clique([0, 1, 2, 3], "NV1") | {(0, 1): "NV2", (0, 4): "NV2", (1, 5): "NV2"}, 8)
    none = matrix({}, 2, default="PHB")
    four_bridged_and_one_more = matrix(clique([0, 1, 2, 3], "NV6"), 5)
    for text in (bridged, export_variant, islands, cube_mesh, none, four_bridged_and_one_more):
        assert findings_of("nvlink-topology", text) == ()


def test_known_bridge_cards_are_never_left_out() -> None:
    text = names("NVIDIA H100 NVL", 4) + matrix(clique([0, 1, 2], "NV12"), 4)
    assert findings_of("nvlink-topology", text) == ()


def test_it_says_what_to_do() -> None:
    text = matrix(clique([0, 1, 2, 4, 5, 6, 7], "NV18"), 8)
    assert remedies_of("nvlink-topology", text) == snapshot(
        [[("Read the state of the links, and that the fabric manager runs.", "nvidia-smi nvlink --status")]]
    )


def test_one_pair_with_fewer_links() -> None:
    links = clique(list(range(4)), "NV12") | {(1, 2): "NV8"}
    assert said("nvlink-topology", matrix(links, 4)) == snapshot(
        [("nvlink-down", "warning", "possible", "gpu07: GPU 1-2: 8 NVLinks where other pairs show 12")]
    )
    for sound in (clique(list(range(4)), "NV12"), clique(list(range(4)), "NV4") | {(0, 1): "NV2", (2, 3): "NV2"}):
        assert findings_of("nvlink-topology", matrix(sound, 4)) == ()


def test_a_single_pair_without_its_link() -> None:
    links = clique(list(range(8)), "NV18")
    links[2, 5] = "PHB"
    assert said("nvlink-topology", matrix(links, 8)) == snapshot(
        [
            (
                "nvlink-down",
                "error",
                "likely",
                "gpu07: GPU 2 and GPU 5 have no link between them, while every other pair has one (27 x NV18, 1 x PHB)",
            )
        ]
    )
    assert said("nvlink-topology", matrix(dict.fromkeys(links, "XGMI") | {(2, 5): "PCIE"}, 8)) == snapshot(
        [
            (
                "nvlink-down",
                "error",
                "likely",
                "gpu07: GPU 2 and GPU 5 have no link between them, while every other pair has one (27 x XGMI, 1 x PCIE)",
            )
        ]
    )


def test_pairs_that_lack_a_link_by_design() -> None:
    ring = {(0, 1): "NV4", (1, 2): "NV4", (2, 3): "NV4", (0, 3): "NV4"}
    assert findings_of("nvlink-topology", matrix(ring, 4)) == ()
    octahedron = {pair: link for pair, link in clique(list(range(8)), "NV2").items() if sum(pair) != 7}
    assert findings_of("nvlink-topology", matrix(octahedron, 8)) == ()
