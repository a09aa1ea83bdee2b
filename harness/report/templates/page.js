"use strict";

// Tables sort by the column whose title is pressed; what was not measured stays last.
for (const table of document.querySelectorAll("table.sortable")) {
  const titles = [...table.tHead.rows[0].cells];
  titles.forEach((title, column) => {
    title.querySelector("button").addEventListener("click", () => {
      const descending = title.getAttribute("aria-sort") === "ascending";
      titles.forEach((other) => other.removeAttribute("aria-sort"));
      title.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const numeric = title.classList.contains("number");
      const order = (row) => row.cells[column].dataset.order;
      const compare = (a, b) => {
        if (!order(a) || !order(b)) return (order(a) ? 0 : 1) - (order(b) ? 0 : 1);
        const difference = numeric ? order(a) - order(b) : order(a).localeCompare(order(b));
        return descending ? -difference : difference;
      };
      table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
    });
  });
}

// The viewer. Offsets are code points, relative to the excerpt's start, and JavaScript's strings
// are not counted so: texts are arrays of characters.
(() => {
  const viewer = document.getElementById("viewer");
  const data = JSON.parse(document.getElementById("viewer-data").textContent);
  if (!viewer || !data.opening) return;
  viewer.hidden = false;

  const HASH = "#text?";
  // As Python's str.isspace.
  const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
  const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zs}\p{Zl}\p{Zp}]/u;
  const JOINER = /[\u200c\u200d]/;
  const OVERLAID = new Set([" ", "\t", "\u00a0", "\u3000"]);

  const form = viewer.querySelector("form");
  const columns = viewer.querySelector(".columns");
  const excerpts = data.excerpts.map(unpack);
  const corpora = unique(excerpts.map((excerpt) => excerpt.corpus));
  let state;
  let drawn; // the excerpt that is shown

  function unique(values) {
    return [...new Set(values)];
  }

  function characters(pieces) {
    return pieces.flatMap((piece) => Array.from(piece));
  }

  function unpack(packed) {
    const text = characters(packed.text);
    const views = packed.views.map((view) => {
      const segments = [];
      let end = view.from;
      for (let i = 0; i < view.runs.length; i += 2) {
        const start = end + view.runs[i];
        end = start + view.runs[i + 1];
        segments.push({ start, end });
      }
      return { ...view, spans: segments };
    });
    return { ...packed, text, views };
  }

  function element(name, classes, text) {
    const made = document.createElement(name);
    if (classes) made.className = classes;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  const count = (number) => number.toLocaleString("en");
  const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;
  const excerpt = () => excerpts[state.excerpt];

  function splitters() {
    const failed = data.failures.filter((failure) => failure[0] === excerpt().corpus);
    return unique([...excerpt().views.map((view) => view.splitter), ...failed.map((f) => f[1])]);
  }

  function limits() {
    return unique(excerpt().views.map((view) => view.limit)).sort((a, b) => a - b);
  }

  function find(splitter) {
    return excerpt().views.find((view) => view.splitter === splitter && view.limit === state.limit);
  }

  // What is chosen, from the address and to it.

  function read() {
    const { excerpt: opening, limit, splitters: shown } = data.opening;
    state = { excerpt: opening, limit, splitters: shown, from: "", signs: true };
    if (!location.hash.startsWith(HASH)) return;
    const chosen = new URLSearchParams(location.hash.slice(HASH.length));
    const wanted = (chosen.get("example") || "").match(/^(.*)\/(\d+)$/s);
    const there = wanted ? examples(wanted[1])[wanted[2] - 1] : undefined;
    if (there !== undefined) state.excerpt = there;
    if (chosen.has("limit")) state.limit = Number(chosen.get("limit"));
    if (chosen.has("splitter")) state.splitters = chosen.getAll("splitter");
    state.from = chosen.get("from") || "";
    state.signs = chosen.get("signs") !== "0";
    settle();
  }

  // What the excerpt does not have is replaced by what it has.
  function settle() {
    const known = splitters();
    if (!limits().includes(state.limit)) state.limit = limits()[0];
    state.splitters = known.filter((splitter) => state.splitters.includes(splitter));
    if (!state.splitters.length) state.splitters = known.slice(0, 2);
    if (!known.includes(state.from)) state.from = "";
  }

  function write() {
    const number = examples(excerpt().corpus).indexOf(state.excerpt) + 1;
    const chosen = new URLSearchParams([
      ["example", `${excerpt().corpus}/${number}`],
      ["limit", state.limit],
      ...state.splitters.map((splitter) => ["splitter", splitter]),
    ]);
    if (state.from) chosen.set("from", state.from);
    if (!state.signs) chosen.set("signs", "0");
    history.replaceState(null, "", HASH + chosen);
  }

  function examples(corpus) {
    return [...excerpts.keys()].filter((number) => excerpts[number].corpus === corpus);
  }

  // The choices.

  function fill(select, choices, chosen) {
    select.replaceChildren(
      ...choices.map(([value, text]) => {
        const option = element("option", "", text);
        option.value = value;
        option.selected = value === chosen;
        return option;
      }),
    );
  }

  function offer(name, type, values, chosen) {
    const place = form.querySelector(`[data-choices="${name}"]`);
    place.replaceChildren(
      ...values.map((value) => {
        const label = element("label");
        const input = element("input");
        Object.assign(input, { type, name, value, checked: chosen.includes(value) });
        label.append(input, typeof value === "number" ? count(value) : value);
        return label;
      }),
    );
  }

  function name(number) {
    const shown = excerpts[number];
    const rules = unique(
      shown.views.flatMap((view) => view.breaches.filter((b) => !b[2]).map((b) => b[0])),
    );
    const what = rules.length ? rules.join(", ") : "no rule broken";
    return `${shorten(shown.document)} from ${count(shown.start)}: ${what}`;
  }

  function shorten(text) {
    const shown = Array.from(text);
    return shown.length > 32 ? `${shown.slice(0, 15).join("")}…${shown.slice(-15).join("")}` : text;
  }

  function drawChoices() {
    const corpus = excerpt().corpus;
    fill(form.elements.corpus, corpora.map((each) => [each, each]), corpus);
    form.elements.corpus.parentElement.hidden = excerpts.length === 1;
    const choices = examples(corpus).map((number) => [String(number), name(number)]);
    fill(form.elements.example, choices, String(state.excerpt));
    form.elements.example.parentElement.hidden = excerpts.length === 1;
    offer("limit", "radio", limits(), [state.limit]);
    offer("splitters", "checkbox", splitters(), state.splitters);
    const changes = splitters().map((splitter) => [splitter, `what changes from ${splitter}`]);
    fill(form.elements.from, [["", "segments apart"], ...changes], state.from);
    form.elements.signs.checked = state.signs;
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => {
    const { name: changed, value } = event.target;
    if (changed === "corpus") state.excerpt = examples(value)[0];
    if (changed === "example") state.excerpt = Number(value);
    if (changed === "limit") state.limit = Number(value);
    if (changed === "from") state.from = value;
    if (changed === "signs") state.signs = event.target.checked;
    if (changed === "splitters") {
      const checked = [...form.querySelectorAll('[name="splitters"]:checked')];
      if (!checked.length) event.target.checked = true; // one is always shown
      else state.splitters = checked.map((input) => input.value);
    }
    if (changed === "corpus" || changed === "example") {
      settle();
      drawChoices();
    }
    write();
    draw();
  });

  // The text.

  function draw() {
    const shown = excerpt();
    const end = shown.start + shown.text.length;
    const part =
      shown.text.length < shown.length
        ? `code points ${count(shown.start)} to ${count(end)} of ${count(shown.length)}`
        : `all ${plural(shown.length, "code point")}`;
    const licence = shown.licence ? ` Licence of ${shown.corpus}: ${shown.licence}.` : "";
    viewer.querySelector(".about").textContent = `${shown.document}: ${part}.${licence}`;
    viewer.classList.toggle("plain", !state.signs);
    const top = columns.querySelector(".text")?.scrollTop;
    columns.replaceChildren(...state.splitters.map(drawColumn));
    drawLegend();
    if (drawn === state.excerpt) scrollAll(top);
    else scrollAll((columns.querySelector(".rule:not(.join)")?.offsetTop ?? 0) - 90);
    drawn = state.excerpt;
  }

  function scrollAll(top) {
    for (const text of columns.querySelectorAll(".text")) text.scrollTop = top;
  }

  function drawColumn(splitter) {
    const column = element("div", "column");
    const title = element("h3", "", splitter);
    column.append(title);
    const view = find(splitter);
    if (!view) {
      const failure = data.failures.find(
        ([corpus, failed, limit]) =>
          corpus === excerpt().corpus && failed === splitter && limit === state.limit,
      );
      const why = failure ? failure[3] : "it gave no segments when it was asked again";
      column.append(element("p", "missing", `Not shown here: ${why}.`));
      return column;
    }
    const kinds = state.from ? classify(view) : null;
    column.append(summarize(view), kinds ? tell(kinds, view) : element("p"));
    const text = element("div", "text");
    text.tabIndex = 0;
    text.setAttribute("role", "region");
    text.setAttribute("aria-label", `Segments of ${splitter} at ${state.limit}`);
    fillText(text, view, kinds);
    const info = element("p", "info", "Select a segment to see where it lies.");
    info.setAttribute("aria-live", "polite");
    makeSelectable(text, info, view);
    column.append(text, info);
    return column;
  }

  function summarize(view) {
    const paragraph = element("p");
    const here = plural(view.spans.length, "segment");
    paragraph.append(view.segments === view.spans.length ? here : `${here} here, ${count(view.segments)} in the document`);
    const lost = gaps(view).reduce((sum, gap) => sum + gap.end - gap.start, 0);
    const over = view.breaches.filter(([rule]) => rule === "fits").length;
    const empty = view.breaches.filter(([rule]) => rule === "empty").length;
    const whitespace = view.breaches.filter(([rule]) => !["join", "fits", "empty"].includes(rule));
    const forced = whitespace.filter((breach) => breach[2]).length;
    const faults = [
      [lost, `${plural(lost, "character")} lost`],
      [over, `${count(over)} over the limit`],
      [view.added.length, `${plural(view.added.length, "segment")} not in the text`],
      [empty, plural(empty, "empty segment")],
      [whitespace.length - forced, `${count(whitespace.length - forced)} against the whitespace rule`],
    ].filter(([number]) => number);
    for (const [, text] of faults) paragraph.append(" · ", element("span", "bad", text));
    if (!faults.length) paragraph.append(" · no rule broken");
    if (forced) paragraph.append(` · ${count(forced)} forced`);
    return paragraph;
  }

  // Where the excerpt has characters that no segment holds.
  function gaps(view) {
    const found = [];
    let end = 0;
    for (const span of view.spans) {
      if (span.start > end) found.push({ start: end, end: span.start });
      end = Math.max(end, span.end);
    }
    if (end < excerpt().text.length) found.push({ start: end, end: excerpt().text.length });
    return found;
  }

  function isWhole(span) {
    return span.start >= 0 && span.end <= excerpt().text.length;
  }

  function strip(span) {
    const { text } = excerpt();
    let { start, end } = span;
    while (start < end && SPACE.test(text[start])) start += 1;
    while (end > start && SPACE.test(text[end - 1])) end -= 1;
    return `${start}-${end}`;
  }

  // Of each segment that is wholly here: was there the same one before, one that differs in
  // whitespace at its ends only, or none?
  function classify(view) {
    const before = find(state.from);
    if (!before) return null;
    if (before === view) return view.spans.map(() => "before");
    const spans = new Set(before.spans.map((span) => `${span.start}-${span.end}`));
    const contents = new Set(before.spans.filter(isWhole).map(strip));
    return view.spans.map((span) => {
      if (!isWhole(span)) return "";
      if (spans.has(`${span.start}-${span.end}`)) return "same";
      return contents.has(strip(span)) ? "edges" : "moved";
    });
  }

  function tell(kinds, view) {
    if (view.splitter === state.from) return element("p", "migration", "What the others would replace.");
    const number = (kind) => kinds.filter((each) => each === kind).length;
    const [same, edges, moved] = ["same", "edges", "moved"].map(number);
    const whole = same + edges + moved;
    const share = (part) => `${whole ? Math.round((100 * part) / whole) : 0} %`;
    return element(
      "p",
      "migration",
      `From ${state.from}: ${same} the same, ${edges} with other edges, ${moved} moved. ` +
        `Of ${plural(whole, "whole segment")} here ${share(edges + moved)} must be embedded again, ` +
        `${share(moved)} if segments are stripped first.`,
    );
  }

  function fillText(place, view, kinds) {
    const { text } = excerpt();
    const marks = new Map();
    const mark = (at, rule, forced, detail) => {
      const made = element("span", "rule", forced ? `${rule}, forced` : rule);
      made.classList.toggle("forced", forced);
      made.classList.toggle("join", rule === "join");
      made.title = detail;
      marks.set(at, [...(marks.get(at) || []), made]);
    };
    const tooLong = new Map();
    for (const [rule, at, forced, detail] of view.breaches) {
      if (rule !== "fits") mark(at, rule, forced, detail);
      else tooLong.set(at, [...(tooLong.get(at) || []), detail]);
    }
    const over = new Set(
      view.spans
        .filter((span) => tooLong.has(span.start) && span.end - span.start > view.limit)
        .map((span) => span.start),
    );
    for (const at of over) tooLong.get(at).pop(); // what was added there comes before it
    for (const [at, pieces] of view.added) mark(at, `added: ${characters(pieces).join("")}`, false, "");
    for (const at of new Set(view.added.map((added) => added[0]))) {
      for (const detail of tooLong.get(at) || []) mark(at, `fits: ${detail}`, false, "");
    }

    const append = (into, start, end) => {
      let plain = "";
      const flush = () => {
        into.append(plain);
        plain = "";
      };
      for (let at = Math.max(start, 0); at < Math.min(end, text.length); at += 1) {
        if (marks.has(at)) {
          flush();
          into.append(...marks.get(at));
          marks.delete(at);
        }
        const sign = makeSign(text[at]);
        if (sign) {
          flush();
          into.append(sign);
        } else {
          plain += text[at];
        }
      }
      flush();
    };
    const lose = (start, end) => {
      if (start >= end) return;
      const lost = element("del", "lost");
      append(lost, start, end);
      place.append(lost);
    };

    let reached = 0;
    view.spans.forEach((span, number) => {
      lose(reached, span.start);
      const odd = (view.first + number) % 2 === 1;
      const segment = element("span", `segment ${kinds ? kinds[number] : odd ? "odd" : ""}`);
      segment.dataset.number = number;
      if (over.has(span.start)) {
        const length = span.end - span.start;
        segment.classList.add("over");
        segment.append(element("span", "rule", `fits: ${count(length)} > ${count(view.limit)}`));
      }
      if (span.start < 0) segment.classList.add("cut-start");
      append(segment, Math.max(span.start, reached), span.end); // segments may overlap
      place.append(segment);
      reached = Math.max(reached, span.end);
    });
    lose(reached, text.length);
    for (const made of marks.values()) place.append(...made);
  }

  function makeSign(character) {
    const known = data.signs[character];
    if (!known && (!UNSEEN.test(character) || JOINER.test(character))) return null;
    const sign = element("span", "sign", character);
    if (known) {
      sign.dataset.sign = known[0];
      if (OVERLAID.has(character)) sign.classList.add("over-it");
    } else {
      sign.dataset.sign = `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`;
      sign.classList.add("code");
    }
    return sign;
  }

  function makeSelectable(text, info, view) {
    const segments = [...text.querySelectorAll(".segment")];
    let chosen = -1;
    const choose = (number) => {
      segments[chosen]?.classList.remove("chosen");
      chosen = Math.min(Math.max(number, 0), segments.length - 1);
      if (chosen < 0) return;
      segments[chosen].classList.add("chosen");
      segments[chosen].scrollIntoView({ block: "nearest" });
      const { start, end } = view.spans[chosen];
      const length = end - start;
      const share = Math.round((100 * length) / view.limit);
      info.textContent =
        `Segment ${count(view.first + chosen + 1)} of ${count(view.segments)}: ` +
        `${count(length)} of ${plural(view.limit, "code point")} (${share} %), ` +
        `from ${count(excerpt().start + start)} to ${count(excerpt().start + end)}.`;
    };
    text.addEventListener("click", (event) => {
      const segment = event.target.closest(".segment");
      if (segment) choose(Number(segment.dataset.number));
    });
    text.addEventListener("keydown", (event) => {
      if (event.key === "ArrowRight") choose(chosen + 1);
      else if (event.key === "ArrowLeft") choose(chosen - 1);
      else return;
      event.preventDefault();
    });
  }

  function drawLegend() {
    const legend = viewer.querySelector(".legend");
    const key = (classes, sample, text) => {
      const entry = element("span");
      entry.append(element("span", classes, sample), text);
      return entry;
    };
    const entries = [];
    if (state.from) {
      entries.push(
        key("segment same", "ab", `the same as by ${state.from}`),
        key("segment edges", "ab", "other whitespace at its ends"),
        key("segment moved", "ab", "cut elsewhere"),
      );
    }
    else entries.push(key("segment", "ab", ""), key("segment odd", "ab", "segments in turn"));
    entries.push(key("lost", "ab", "lost"), key("rule", "rule", " broken there"));
    for (const [character, [sign, called]] of Object.entries(data.signs)) {
      if (excerpt().text.includes(character)) entries.push(key("key", sign, called));
    }
    legend.replaceChildren(...entries);
  }

  // Columns scroll together.
  let leader = null;
  columns.addEventListener(
    "scroll",
    ({ target }) => {
      if (leader && leader !== target) return;
      leader = target;
      const share = target.scrollTop / Math.max(1, target.scrollHeight - target.clientHeight);
      for (const other of columns.querySelectorAll(".text")) {
        if (other !== target) other.scrollTop = share * (other.scrollHeight - other.clientHeight);
      }
      clearTimeout(columns.resting);
      columns.resting = setTimeout(() => (leader = null), 80);
    },
    true,
  );

  addEventListener("hashchange", () => {
    if (!location.hash.startsWith(HASH)) return;
    read();
    drawChoices();
    draw();
  });
  read();
  drawChoices();
  draw();
  if (location.hash.startsWith(HASH)) document.getElementById("text").scrollIntoView();
})();
