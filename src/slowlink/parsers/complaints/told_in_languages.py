"""How people say in other languages that a job is slow, hangs or crashes: words, and what takes them back.

What is said of (``job``: a job or a collective; ``link``: network and bandwidth), then what is said (``slow`` ...), in
one sentence. A word that denies it between the two or close behind, or one of the past, takes it back. A mark is a
piece of the word that holds whatever its first letter and ending are; the longest that does: each line in which it
stands is asked, and most lines are English.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from slowlink.parsers.forms.observation_table import Fact

_SHARED = (
    r"all[_ -]?(?:reduce|gather|to[_ -]?all)|reduce[_ -]?scatter|broadcast|[nrm]ccl(?:[ -]tests?)?|trainings?|jobs?"
    r"|finetuning|fine-tuning|benchmarks?|llm|ddp|fsdp|megatron|deepspeed"
)
"""What is called alike everywhere."""


class Language(Struct, frozen=True):
    """Regular expressions without groups; case does not count."""

    job: str
    link: str
    denies: str
    """Between what it is said of and what is said, or up to 24 characters behind."""
    slow: Mapping[str, str]
    """Mark -> the word in all its forms; said of a job or a link."""
    low: Mapping[str, str]
    """The same, said of a link alone."""
    hanging: Mapping[str, str]
    crashing: Mapping[str, str]
    sample: str
    spaced: bool = True
    """Are there blanks between words? Then a word is matched as a whole."""


_GERMAN = Language(
    job=r"läufe?|lauf|aufgaben?|schritte?|iteration(?:en)?|inferenz|kommunikation|skalierung|alles|es",
    link=r"(?:netz|netzwerk)?bandbreite|durchsatz|netz(?:werk)?|leistung|geschwindigkeit|verbindung",
    denies=r"nicht|kein(?:e[mnrs]?)?|nie(?:mals)?|ohne|war(?:en)?|wär(?:en?)?|weder",
    slow={
        "angsam": r"(?:viel |sehr |zu )?langsam(?:er|e[mnrs]?)?",
        "lfte": r"(?:die |der |nur (?:noch )?(?:die )?)hälfte",
    },
    low={
        "iedrig": r"(?:zu )?niedrig(?:er)?",
        "schlecht": r"schlecht(?:er)?",
        "richt": r"bricht(?: stark)? ein|zusammengebrochen",
        "gebroch": r"(?:ein|zusammen)gebrochen",
        "sunken": r"gesunken",
        "gefallen": r"gefallen",
        "ällt": r"fällt (?:auf|unter|ab|ein)",
    },
    hanging={
        "ängt": r"hängt(?! (?:[\w-]{1,20} ){0,4}?(?:von|vom|davon|ab)(?!\w))(?: sich auf)?",
        "hängen": r"hängen(?:geblieben)?",
        "leibt": r"bleibt (?:einfach |immer |dann |oft )?(?:stehen|hängen)",
        "teht": r"steht (?:einfach |dann |immer )?(?:still|fest)",
        "riert": r"friert ein|eingefroren",
        "lockiert": r"blockiert",
    },
    crashing={
        "türzt": r"stürzt(?: [\w-]{1,20}){0,4}? ab|abgestürzt|abstürzt",
        "richt": r"bricht(?: [\w-]{1,20}){0,5}? ab|abbricht",
        "gebroch": r"abgebrochen",
    },
    sample="Seit dem Update ist unser all_reduce sehr langsam",
)
_FRENCH = Language(
    job=r"entra[iî]nements?|apprentissage|calculs?|tâches?|itérations?|inférence|communications?",
    link=r"bande passante|débits?|réseau|performances?|vitesse",
    denies=r"ne|n['’](?:est|a)|jamais|sans|était|étaient|aucune?|ni",
    slow={
        " lent": r"(?:plus |très |trop )?lente?s?|lentement",
        "moiti": r"(?:la |de )moitié",
        "ralenti": r"ralentit|ralenti(?:e|s|es)?",
    },
    low={
        "faible": r"(?:trop |très )?faibles?",
        "chut": r"chuté?|chute",
        "tomb": r"tombée?s?",
        "effondr": r"effondrée?|effondre",
        "mauvais": r"mauvaise?s?",
    },
    hanging={
        "bloqu": r"(?:se |reste )bloque?é?e?|bloquée?s?|bloque",
        "fige": r"se fige(?:nt)?",
        "figé": r"figée?s?",
        "suspendu": r"reste (?:en )?suspendue?",
    },
    crashing={
        "plante": r"plante(?:nt)?",
        "planté": r"planté",
        "crash": r"crashe?(?:nt)?|crashé",
        "arrête": r"s['’]arrête (?:avec|sur|en) (?:une )?erreur",
    },
    sample="Notre all_reduce est très lent depuis la mise à jour",
)
_SPANISH = Language(
    job=r"entrenamientos?|trabajos?|tareas?|procesos?|iteraci(?:ón|ones)|inferencia|comunicaci(?:ón|ones)|todo",
    link=r"ancho de banda|rendimiento|red|velocidad",
    denies=r"no|nunca|jamás|sin|era|estaba|tampoco",
    slow={
        " lent": r"(?:muy |más |demasiado )?lent[oa]s?|lentamente|lentitud",
        "mitad": r"(?:la |a la )mitad",
    },
    low={
        "baj": r"(?:muy |más |demasiado )?baj[oa]|ha bajado|bajó",
        "caído": r"ha caído",
        "cayó": r"cayó",
        " cae ": r"cae (?:a|hasta)",
        "pobre": r"pobre",
    },
    hanging={
        "cuelga": r"(?:se )?cuelgan?",
        "colgad": r"colgad[oa]s?",
        "bloque": r"(?:se )?bloquean?|bloquead[oa]s?",
        "atasc": r"(?:se )?atascan?|atascad[oa]s?",
        "congel": r"(?:se )?congela|congelad[oa]",
    },
    crashing={
        "falla": r"falla(?: siempre)? (?:con|a los|tras|después|al)|falla$",
        "se cae": r"se cae",
        "aborta": r"aborta",
        "crashea": r"crashea",
    },
    sample="Nuestro all_reduce va muy lento desde la actualización",
)
_RUSSIAN = Language(
    job=r"обучени[еяю]|задач[аиу]|процесс(?:ы)?|итераци[яи]|шаги?|инференс|обмен|вс[её]|тренировк[аи]|запуск|джоб[аы]?",
    link=r"пропускная способность|полоса|скорость|сеть|производительность",
    denies=r"не|нет|без|никогда|был[аои]?",
    slow={
        "медленн": r"(?:очень |слишком )?медленн(?:о|ее|ый|ая|ое|ые)",
        "тормоз": r"тормозит|тормозят",
        "половин": r"половин[ауы]",
        "замедл": r"замедли(?:лся|лась|лось|лись)",
    },
    low={
        "низк": r"низк(?:ая|ий|ое)",
        "пада": r"падает",
        "упал": r"упал[аои]?",
        "просел": r"просел[аои]?",
        "ниже": r"ниже",
    },
    hanging={
        "завис": r"зависа(?:ет|ют)|завис(?:ла|ло|ли)?",
        "виси": r"висит|висят",
        "застр": r"застрева(?:ет|ют)|застрял[аои]?",
        "застыва": r"застывает",
    },
    crashing={
        "пада": r"пада(?:ет|ют)",
        "упал": r"упал[аои]?",
        "вылета": r"вылета(?:ет|ют)",
        "краш": r"крашится",
    },
    sample="После обновления наш all_reduce работает очень медленно",
)
_JAPANESE = Language(
    job=r"学習|訓練|トレーニング|ジョブ|処理|通信|推論|集団通信|プロセス|プログラム|ベンチマーク",
    link=r"帯域幅?|スループット|速度|性能|ネットワーク|バンド幅",
    denies=r"ない|ません|なくな|なかっ|れば|たら",
    slow={
        "遅": r"遅(?:い|く|すぎ|か)",
        "半分": r"半分",
    },
    low={
        "低": r"低(?:い|く|下|すぎ)",
        "出な": r"出な(?:い|く)",
        "出ま": r"出ません",
        "落ち": r"落ち(?:た|て|る|ま)",
    },
    hanging={
        "止ま": r"止ま(?:る|り|っ)",
        "ハング": r"ハング",
        "固ま": r"固ま(?:る|り|っ)",
        "フリーズ": r"フリーズ",
        "進ま": r"進ま(?:ない|なく|ず|ません)",
    },
    crashing={
        "クラッシュ": r"クラッシュ",
        "落ち": r"落ち(?:る|ま|て|た)",
        "異常終了": r"異常終了",
    },
    sample="アップデート後に学習がとても遅いです",
    spaced=False,
)
_KOREAN = Language(
    job=r"학습|훈련|작업|프로세스|프로그램|추론|통신|벤치마크",
    link=r"대역폭|처리량|속도|성능|네트워크",
    denies=r"않|없|아니|못하지",
    slow={
        "느리": r"느리",
        "느려": r"느려",
        "느린": r"느린",
        "느립": r"느립",
        "절반": r"절반",
    },
    low={
        "낮": r"낮",
        "떨어": r"떨어",
        "나오지": r"나오지 않",
        "안 나": r"안 나",
    },
    hanging={
        "멈": r"멈(?:춥|춤|추|췄|춰)",
        "행이": r"행이 (?:걸|발생)",
        "걸려": r"걸려 있",
        "응답": r"응답(?:이|하지)? (?:없|않)",
    },
    crashing={
        "죽": r"죽(?:습|어|었|는)",
        "크래시": r"크래시",
        "비정상": r"비정상 종료",
        "중단": r"중단(?:됩|돼|되|됨)",
    },
    sample="업데이트 이후 학습이 너무 느립니다",
    spaced=False,
)
LANGUAGES = (_GERMAN, _FRENCH, _SPANISH, _RUSSIAN, _JAPANESE, _KOREAN)

MAY_BE = (
    r"falls|wenn(?! (?:wir|ich|unser|mein))|ob|könnten?|kann|können|würden?|sollten?|vielleicht|womöglich"
    r"|si (?:les?|la|l(?=['’])|une?|vous|ils?|elles?|ça|cela|votre|el|los|las|su|se|tu|usted)"
    r"|quand(?! (?:nous|on|je|j))|peut|pourrait|serait|devrait"
    r"|cuando(?! (?:yo|nosotros|usamos|ejecut|lanz))|podría|puede|sería|debería"
    r"|если|когда(?! (?:мы|я))|может|можно|бы|ли"
)
"""Conditions and what may be, of languages with blanks. Who says that we do it says that it is so."""
MAY_BE_BEHIND = r"もし|場合|かもしれ|可能性|만약|경우|수도 있|수 있|(?:면|れば|たら)[,、 ]"
"""They stand behind what may be, and say so of the whole sentence."""
REASON = (
    r"warum|wieso|weshalb|woran|pourquoi|comment se fait|por qué|почему|отчего|в ч[её]м причина|なぜ|どうして|何故"
    r"|原因|왜|원인"
)
MENDED = (
    r"behoben|gelöst|wieder normal|läuft wieder|geht wieder|jetzt (?:ist alles|geht|läuft)|résolu|corrigé|réglé"
    r"|de nouveau normal|remarche|resuelto|solucionado|arreglado|ya funciona|исправлен|решен[оа]|починили"
    r"|снова (?:работает|нормально)|解決(?:しました|した|済)|直りました|直った|復旧|해결(?:됐|되었|했)|정상으로"
)


def facts(kind: str) -> Iterator[Fact]:
    """One fact for each mark, and what it is said of."""
    for language in LANGUAGES:
        jobs, links = rf"{_SHARED}|{language.job}", language.link
        for value, words, subjects in (
            ("slow", language.slow, {"job": jobs, "bandwidth": links}),
            ("slow", language.low, {"bandwidth": links}),
            ("hanging", language.hanging, {"job": jobs}),
            ("crashing", language.crashing, {"job": jobs}),
        ):
            for mark, word in words.items():
                for subject, of in subjects.items():
                    yield Fact(kind, mark, _pattern(language, of, word), (), subject=subject, value=value)


def _pattern(language: Language, of: str, word: str) -> str:
    """Of, up to 70 characters of the same sentence without a word that denies, the word; or the word, and what it is
    said of close behind."""
    if language.spaced:
        denies = rf"(?<!\w)(?:{language.denies})(?!\w)"
        said = rf"(?<!\w)(?:{of})(?!\w)(?:(?!{denies})[^.!?;:|]){{1,70}}?(?<!\w)(?:{word})(?!\w)"
        start = rf"(?:^|[.!?;:|])(?:(?!{denies})[^.!?;:|]){{0,60}}?"
        behind = rf"{start}(?<!\w)(?:{word}) (?:(?!{denies})[\w'’]{{1,14}} ){{0,4}}(?:{of})(?!\w)"
        said = rf"(?:{said}|{behind})"
    else:
        denies = rf"(?:{language.denies})"
        said = rf"(?:{_SHARED}|{of})[^.!?;:|。！？]{{1,50}}?(?:{word})"
    return rf"(?i){said}(?![^.!?;:|,。！？、]{{0,24}}?{denies})"
