"""The history page: self-contained, safe for any job names, and in a useful order."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from flink_flint.calculators.formulas.quantity import COUNT, FRACTION, PER_SECOND
from flink_flint.calculators.pages.backtest_page import Judged, Method, Tier
from flink_flint.calculators.pages.charts import Curve, CurvePoint, HeatMap, NamedLine, SeriesChart
from flink_flint.calculators.pages.history_page import (
    Advice,
    JobSection,
    Lack,
    OtherJob,
    Page,
    Pair,
    Subject,
    WouldRow,
    history_page,
)

START = datetime(2026, 11, 2, tzinfo=UTC).timestamp()
NASTY = '<script>alert("x")</script>&"\'><img src=http://elsewhere.example/x onerror=alert(1)>'
LONG = "Source: " + "very_long_operator_name_without_any_space_" * 4


def load(title: str = "Records in", days: int = 14) -> SeriesChart:
    """Return a time series with days, a gap and bands."""
    times = [START + 3600 * hour for hour in range(24 * days) if not 50 <= hour < 60]
    mid = [500 + 400 * (1 if 8 <= (time // 3600) % 24 < 18 else 0) for time in times]
    return SeriesChart(
        title, PER_SECOND, times, [3600] * len(times), mid,
        low=[value * 0.7 for value in mid], high=[value * 1.4 for value in mid],
        inner_low=[value * 0.9 for value in mid], inner_high=[value * 1.1 for value in mid],
        lines=(NamedLine("now", 2000, "set", "4 subtasks, up to"), NamedLine("recommended", 1500, "advice")),
        legend=(("mid", "mean"), ("inner", "p5 to p95"), ("band", "least to largest")),
        figures=(("p50", "500/s"), ("p99", "900/s")),
    )  # fmt: skip


def advice(key: str, severity: str, *, operator: str = "", calculator: str = "parallelism", **more: object) -> Advice:
    return Advice(calculator, key, operator, "4", "3", f"{key} because of numbers", "high", severity, **more)  # type: ignore[arg-type]


def example() -> Page:
    """Return a page with all its parts, and with hostile names."""
    heat = HeatMap(
        "Load by hour of the week", PER_SECOND, [[(day + 1) * hour for hour in range(24)] for day in range(7)]
    )
    orders = JobSection(
        "orders", "eu-1", "14 d with samples.",
        (Pair("parallelism.default", "4"), Pair("execution.checkpointing.interval", "1 min")),
        (
            advice("restart-strategy.type", "ok", calculator="restart"),
            advice("parallelism.default", "lower", operator="window", charts=(load(),),
                   would_have=(WouldRow("It carries", "2 000/s", "1 500/s"), WouldRow("Over", "never", "0.1 %")),
                   evidence=(Pair("Samples", "20 160 over 14 d"),), notes=("Scored on 7 days.",)),
            advice("async-io.capacity", "raise", operator="enrich", calculator="async-io"),
            advice("async-io.timeout", "unset", operator="enrich", calculator="async-io"),
        ),
        (Subject("Load", (heat,)), Subject("the job", (load("Checkpoint duration"),))),
    )  # fmt: skip
    nasty = JobSection(NASTY, NASTY, NASTY, (Pair(NASTY, NASTY),), (
        Advice(NASTY, NASTY, LONG + NASTY, NASTY, NASTY, NASTY, "low", "lower", (Pair(NASTY, NASTY),), (load(NASTY),),
               (WouldRow(NASTY, NASTY, NASTY),), (NASTY,)),
    ), (Subject(NASTY, (load(NASTY),)),))  # fmt: skip
    marks = (CurvePoint(1, "flint elastic", 0.6, 0.01, True), CurvePoint(2, "p99", 0.65, 0.02))
    curve = Curve(
        "Lag against slack", "slack", FRACTION, "lag", FRACTION, (("flint elastic", ((0.5, 0.1), (0.7, 0.004))),), marks
    )
    methods = (Method(1, "flint elastic", ("1.60", "0.94"), True), Method(2, "p99", ("1.65", "1.39")))
    return Page(
        "s3://metrics/store", (START, START + 14 * 86400), START + 15 * 86400,
        (orders, nasty),
        (OtherJob("clicks", "eu-1", (0, 0, 2, 1, 3), "parallelism.default: 8 → 4"),
         OtherJob(NASTY, "", (0, 0, 0, 0, 1), "")),
        Judged("Twelve series.", (Tier("Throughput", curve, ("U", "lag"), methods),)),
        (Lack("orders", "", "kinesis", "no millisBehindLatest"), Lack(NASTY, NASTY, NASTY, NASTY)),
    )  # fmt: skip


class Parsed(HTMLParser):
    """The elements with their attributes and text."""

    INLINE = frozenset({"a", "code", "span", "strong"})
    VOID = frozenset({"meta", "input", "br", "img", "link"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[int] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.texts.append("")
        if tag not in self.INLINE:
            self.handle_data(" ")
        if tag not in self.VOID:
            self.open.append(len(self.elements) - 1)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.elements[self.open[-1]][0] == tag, f"</{tag}> closes <{self.elements[self.open[-1]][0]}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for place in self.open:
            self.texts[place] += data

    def all(self, tag: str, **wanted: str) -> list[tuple[dict[str, str | None], str]]:
        """Return attributes and text of the elements with a name and certain attributes."""
        return [
            (attributes, " ".join(self.texts[place].split()))
            for place, (name, attributes) in enumerate(self.elements)
            if name == tag and all(attributes.get(key.rstrip("_")) == value for key, value in wanted.items())
        ]


@pytest.fixture(scope="module")
def text() -> str:
    return history_page(example())


@pytest.fixture(scope="module")
def parsed(text: str) -> Parsed:
    return Parsed(text)


# -- self-contained


def test_every_element_is_closed_and_every_id_unique(parsed: Parsed) -> None:
    assert parsed.open == []
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_links_lead_to_places_of_the_page(parsed: Parsed) -> None:
    ids = {attributes.get("id") for _, attributes in parsed.elements}
    targets = [attributes["href"] or "" for _, attributes in parsed.elements if "href" in attributes]
    assert len(targets) > 5
    assert all(target.startswith("#") and target[1:] in ids for target in targets)
    labels = [
        attributes[name] or "" for _, attributes in parsed.elements for name in attributes if name == "aria-labelledby"
    ]
    assert all(label in ids for one in labels for label in one.split())


def test_nothing_is_loaded_from_anywhere(text: str, parsed: Parsed) -> None:
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & {name for name, _ in parsed.elements}
    assert not {"src", "srcset", "action", "data"} & {key for _, attributes in parsed.elements for key in attributes}
    without_names = text.replace("http://elsewhere.example", "")
    assert set(re.findall(r"""https?://[^\s"'<>&]*""", without_names)) == {"http://www.w3.org/2000/svg"}
    style = parsed.all("style")[0][1]
    assert "url(" not in style
    assert "@import" not in style


def test_the_policy_forbids_the_network_and_knows_style_and_script_by_their_digests(text: str) -> None:
    policy = next(one["content"] for one, _ in Parsed(text).all("meta") if "http-equiv" in one)
    directives = dict(part.strip().split(" ", 1) for part in str(policy).split(";"))
    assert directives["default-src"] == "'none'"
    for tag in ("style", "script"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert inside is not None
        digest = base64.b64encode(hashlib.sha256(inside[1].encode()).digest()).decode()
        assert directives[f"{tag}-src"] == f"'sha256-{digest}'"


def test_nothing_relies_on_what_the_policy_forbids(parsed: Parsed) -> None:
    names = {key for _, attributes in parsed.elements for key in attributes}
    assert "style" not in names
    assert not [name for name in names if name.startswith("on")]


def test_the_same_page_is_the_same_text(text: str) -> None:
    assert history_page(example()) == text


# -- untrusted names


def test_a_job_may_be_called_anything(parsed: Parsed) -> None:
    assert len(parsed.all("script")) == 1, "the page's own"
    assert not parsed.all("img")
    assert NASTY in [heading for _, heading in parsed.all("h2")]
    names = [attributes.get("data-name") for attributes, _ in parsed.all("section")]
    assert f"{NASTY} {NASTY}" in names
    settings = [text for _, text in parsed.all("dd") if text == NASTY]
    assert settings


# -- contents and order


def test_headings_go_down_one_level_at_a_time(parsed: Parsed) -> None:
    levels = [int(name[1]) for name, _ in parsed.elements if re.fullmatch(r"h[1-6]", name)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_totals_count_the_jobs_that_are_not_shown_in_full(parsed: Parsed) -> None:
    tiles = parsed.all("dl", class_="tiles")[0][1]
    assert tiles == "jobs 4 to raise 1 to lower 4 not known now 2 fine as they are 5"


def test_the_most_urgent_changes_come_first_and_lead_to_their_card(parsed: Parsed) -> None:
    first = parsed.all("ol", class_="first")[0][1]
    assert first.startswith("orders enrich async-io.capacity now 4 → recommended 3 ↑ raise high confidence")
    assert first.index("async-io.capacity") < first.index("parallelism.default")
    assert "async-io.timeout" not in first, "what merely nobody knows is not where to begin"
    cards = [attributes["id"] for attributes, _ in parsed.all("article")]
    assert cards == ["job-1-1", "job-1-2", "job-2-1"]


def test_settings_of_one_operator_stand_in_one_card(parsed: Parsed) -> None:
    card = parsed.all("article", id="job-1-1")[0][1]
    assert "async-io.capacity" in card
    assert "async-io.timeout" in card
    assert "high confidence" in card


def test_a_card_says_what_it_would_have_done(parsed: Parsed) -> None:
    card = parsed.all("article", id="job-1-2")[0][1]
    assert "It carries 2 000/s 1 500/s Over never 0.1 %" in card
    assert "Scored on 7 days." in card
    assert "Samples 20 160 over 14 d" in card


def test_what_is_fine_and_what_is_set_is_folded_away(parsed: Parsed) -> None:
    folded = {attributes.get("class"): text for attributes, text in parsed.all("details")}
    assert folded["fine"].startswith("1 setting is fine as it is")
    assert "restart-strategy.type because of numbers" in folded["fine"]
    settings = [text for attributes, text in parsed.all("details", class_="settings")]
    assert settings[0] == "What is set: 2 settings parallelism.default 4 execution.checkpointing.interval 1 min"


def test_other_jobs_missing_answers_and_the_backtest_have_their_places(parsed: Parsed) -> None:
    rows = [text for _, text in parsed.all("tr")]
    assert any(row.startswith("clicks eu-1") and "parallelism.default: 8 → 4" in row for row in rows)
    assert "orders the whole kinesis no millisBehindLatest" in rows
    assert "1 flint elastic 1.60 0.94" in rows
    assert len(parsed.all("figure", class_="curve")) == 1


def test_the_search_is_offered_only_where_scripts_run(parsed: Parsed) -> None:
    assert all("hidden" in attributes for attributes, _ in parsed.all("p", class_="search"))
    assert len(parsed.all("input", type_="search")) == 1
    assert parsed.all("label", for_="search")


# -- pages that lack parts


def page_with(*jobs: JobSection) -> str:
    return history_page(Page("store", (START, START + 86400), START, jobs))


def test_a_page_with_nothing_to_change_says_so() -> None:
    found = page_with(JobSection("orders", "", "A day.", (), (advice("restart-strategy.type", "ok"),)))
    assert "Nothing needs to change" in found
    assert "Begin here" not in found


def test_a_page_without_recommendations_says_what_is_lacking() -> None:
    lack = Lack("orders", "", "async-io", "inFlight has only 52 samples in 10 minutes")
    found = history_page(
        Page("store", (START, START + 86400), START, (JobSection("orders", "", "", (), ()),), missing=(lack,))
    )
    assert "does not have enough data for a recommendation" in found
    assert "only 52 samples" in found


def test_where_nothing_is_known_of_what_is_set_that_is_where_to_begin() -> None:
    assert "Begin here" in page_with(JobSection("orders", "", "", (), (advice("parallelism.default", "unset"),)))


def test_settings_that_many_jobs_share_are_counted() -> None:
    jobs = [
        JobSection(name, "", "", (), (advice("parallelism.default", "raise"), advice("async-io.capacity", "lower")))
        for name in ("a", "b", "c")
    ]
    found = Parsed(page_with(*jobs))
    assert "Settings to change, by how many jobs and operators" in found.all("figure", class_="bars")[0][1]
    assert COUNT.spell(3) in found.all("figure", class_="bars")[0][1]
