"""What somebody says of a job in other languages than English and Chinese."""

from __future__ import annotations

from pathlib import Path

import pytest

from slowlink.catalog.words.languages import languages
from slowlink.model.source import Line
from slowlink.parsers.complaints.told_trouble import FACTS, ToldTrouble

_ENGLISH = Path(__file__).parents[3] / "README.md"


def _told(text: str) -> set[str]:
    parser = ToldTrouble()
    if parser.wants(text):
        parser.feed(Line(source="mail.txt", no=1, text=text))
    return {seen.value for seen in parser.finish()}


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("Unser all_reduce ist langsam seit dem letzten Update", "slow"),
        ("Seit dem Update hängt unser Training nach 200 Schritten", "hanging"),
        ("Das Training stürzt nach zehn Minuten ab", "crashing"),
        ("Unser Job bricht immer mit einem NCCL-Fehler ab", "crashing"),
        ("Die Bandbreite ist auf die Hälfte gesunken", "slow"),
        ("Warum ist unser all_reduce so langsam?", "slow"),
        ("Wenn wir mit vier Knoten starten, hängt das Training sofort.", "hanging"),
        ("Der Durchsatz ist zu niedrig, hier die Ausgabe von nvidia-smi:", "slow"),
        ("Notre entraînement est très lent depuis hier", "slow"),
        ("Le job se bloque après quelques itérations", "hanging"),
        ("L'entraînement plante au bout de dix minutes", "crashing"),
        ("La bande passante a chuté après la mise à jour", "slow"),
        ("Pourquoi notre all_reduce est si lent ?", "slow"),
        ("El entrenamiento va muy lento entre dos nodos", "slow"),
        ("El trabajo se cuelga en el primer all_reduce", "hanging"),
        ("El proceso se cae a los diez minutos", "crashing"),
        ("El ancho de banda ha caído a la mitad", "slow"),
        ("Обучение идёт очень медленно на двух узлах", "slow"),
        ("Наш all_reduce зависает на первом шаге", "hanging"),
        ("Процесс падает через десять минут", "crashing"),
        ("Пропускная способность упала в два раза", "slow"),
        ("学習がとても遅いです。nvidia-smi の出力はこちら", "slow"),
        ("all_reduce が最初のステップで止まってしまいます", "hanging"),
        ("ジョブが10分後にクラッシュします", "crashing"),
        ("帯域が半分しか出ません", "slow"),
        ("학습이 너무 느립니다. nvidia-smi 출력입니다", "slow"),
        ("all_reduce가 첫 단계에서 멈춥니다", "hanging"),
        ("작업이 10분 후에 죽습니다", "crashing"),
        ("대역폭이 절반밖에 안 나옵니다", "slow"),
        ("When we run on four nodes the training hangs in the first step", "hanging"),
        ("训练很慢，请看日志", "slow"),
        *((language.sample, "slow") for language in languages().values()),
    ],
)
def test_trouble_is_told(text: str, how: str) -> None:
    assert _told(text) == {how}


@pytest.mark.parametrize(
    "text",
    [
        "Unser Training ist nicht langsam, alles in Ordnung",
        "Falls das Training hängt, bitte den Log schicken",
        "Das Training war langsam, jetzt läuft es wieder gut",
        "Kann es sein, dass das Training langsam wird?",
        "Das Training hängt nicht mehr seit dem Update",
        "Der Job hing gestern, das Problem ist behoben",
        "Si l'entraînement est lent, vérifiez les GPU",
        "L'entraînement n'est pas lent du tout maintenant",
        "Le problème de lenteur du réseau est résolu",
        "Si el entrenamiento se cuelga, mire los registros",
        "El entrenamiento no va lento en estos nodos",
        "Если обучение зависает, проверьте логи на узлах",
        "Обучение больше не зависает на этих узлах",
        "Скорость сети не низкая на этих узлах",
        "学習が遅い場合は GPU を確認してください",
        "学習は遅くないです。問題ありません",
        "ジョブが止まる問題は解決しました",
        "학습이 느린 경우 GPU를 확인하세요",
        "학습은 느리지 않습니다 문제 없습니다",
        "Alles läuft ohne Probleme auf den vier Knoten",
        "Das ist das Training auf vier Knoten mit NCCL",
        "The training performance is stable over all four nodes",
        "When the training hangs, look at the GPUs first.",
        "Die Leistung hängt von der Zahl der Knoten ab",
        "Das Training hängt von den Daten ab, nicht vom Netz",
        "La performance du réseau est très bonne",
    ],
)
def test_nothing_is_told(text: str) -> None:
    assert _told(text) == set()


def test_english_is_not_asked_for_other_languages() -> None:
    """Each line with a mark costs a look by all patterns of that mark."""
    prose = _ENGLISH.read_text(encoding="utf-8").lower()
    marks = {
        mark
        for each in languages().values()
        for of in (each.slow, each.low, each.hanging, each.crashing)
        for mark in of
    }
    assert [mark for mark in sorted(marks - {fact.mark for fact in FACTS}) if mark in prose] == []
