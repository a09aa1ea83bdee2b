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

// A text by code points, which JavaScript's strings do not count. It comes in pieces, since two lone
// surrogates that meet are two characters here, and one in a string.
class Text {
  static STEP = 64;

  constructor(pieces) {
    this.string = pieces.join("");
    this.seams = new Set();
    const marks = []; // where every STEP-th code point is in the string
    let place = 0;
    let length = 0;
    for (const piece of pieces) {
      if (place) this.seams.add(place);
      const end = place + piece.length;
      while (place < end) {
        if (length % Text.STEP === 0) marks.push(place);
        length += 1;
        place = this.next(place, end);
      }
    }
    this.marks = Uint32Array.from(marks);
    this.length = length;
    this.isDirect = length === place; // every character is one of the string's
  }

  // The place after the character at a place.
  next(place, end = this.string.length) {
    const isHigh = (this.string.charCodeAt(place) & 0xfc00) === 0xd800;
    const isPair = isHigh && place + 1 < end && (this.string.charCodeAt(place + 1) & 0xfc00) === 0xdc00;
    return isPair && !this.seams.has(place + 1) ? place + 2 : place + 1;
  }

  find(at) {
    if (at >= this.length) return this.string.length;
    if (this.isDirect) return at;
    let place = this.marks[Math.floor(at / Text.STEP)];
    for (let rest = at % Text.STEP; rest > 0; rest -= 1) place = this.next(place);
    return place;
  }

  characters(start, end) {
    const found = [];
    let place = this.find(start);
    for (let at = start; at < end; at += 1) {
      const next = this.next(place);
      found.push(this.string.slice(place, next));
      place = next;
    }
    return found;
  }

  at(at) {
    const place = this.find(at);
    return this.string.slice(place, this.next(place));
  }

  includes(character) {
    return this.string.includes(character);
  }
}

// The viewer. Offsets are code points, relative to the excerpt's start. A text is cut into blocks,
// and a block is drawn when it comes near the screen, so that a text may have any length.
(() => {
  const viewer = document.getElementById("viewer");
  const data = JSON.parse(document.getElementById("viewer-data").textContent);
  if (!viewer || !data.opening) return;
  viewer.hidden = false;

  const HASH = "#text?";
  const PLACES = ":places"; // in place of a splitter, whose name it cannot be
  // As Python's str.isspace.
  const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
  const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zs}\p{Zl}\p{Zp}]/u;
  const JOINER = /[\u200c\u200d]/;
  const BLOCK = 4_000; // code points; an excerpt of a report is one block
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

  function unpack(packed) {
    const text = new Text(packed.text);
    return { ...packed, text, views: packed.views.map((view) => unpackView(view, text)) };
  }

  // Segments, and the parts in which a text is drawn: each character once, though segments may
  // overlap; a part is of a segment or, with the number -1, lost.
  function unpackView(packed, text) {
    const size = packed.runs.length / 2;
    const view = { ...packed, starts: new Int32Array(size), ends: new Int32Array(size) };
    const parts = { from: [], to: [], number: [] };
    const add = (from, to, number) => {
      parts.from.push(from);
      parts.to.push(to);
      parts.number.push(number);
    };
    let end = packed.from;
    let reached = 0;
    for (let number = 0; number < size; number += 1) {
      const start = end + packed.runs[2 * number];
      end = start + packed.runs[2 * number + 1];
      view.starts[number] = start;
      view.ends[number] = end;
      if (start > reached) {
        add(reached, start, -1);
        reached = start;
      }
      add(reached, Math.max(reached, Math.min(end, text.length)), number);
      reached = Math.max(reached, end);
    }
    if (reached < text.length) {
      add(reached, text.length, -1);
    }
    view.parts = parts;
    return view;
  }

  // Something that takes a while and always comes to the same, once for each object and key.
  const known = new WeakMap();
  function once(object, key, make) {
    if (!known.has(object)) known.set(object, new Map());
    const made = known.get(object);
    if (!made.has(key)) made.set(key, make());
    return made.get(key);
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
    if (!known.includes(state.from) && state.from !== PLACES) state.from = "";
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
        const option = element("option", "", makeSeen(text));
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
        label.append(input, typeof value === "number" ? count(value) : makeSeen(value));
        return label;
      }),
    );
  }

  function name(number) {
    const shown = excerpts[number];
    const rules = once(shown, "rules", () =>
      unique(shown.views.flatMap((view) => view.breaches.filter((b) => !b[2]).map((b) => b[0]))),
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
    fill(form.elements.from, [["", "segments apart"], [PLACES, "where boundaries lie"], ...changes], state.from);
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
    viewer.querySelector(".about").textContent = makeSeen(`${shown.document}: ${part}.${licence}`);
    viewer.classList.toggle("plain", !state.signs);
    const before = columns.querySelector(".text");
    const place = drawn === state.excerpt && before ? findPlace(before) : null;
    columns.querySelectorAll(".text").forEach((text) => text.watcher.disconnect());
    columns.replaceChildren(...state.splitters.map(drawColumn));
    drawLegend();
    drawn = state.excerpt;
    const texts = [...columns.querySelectorAll(".text")];
    if (place) texts.forEach((text) => scrollToPlace(text, place));
    else showFirstBreach(texts);
  }

  function showFirstBreach(texts) {
    const firsts = texts.map((text) => text.view.breaches.find(([rule]) => rule !== "join")?.[1]);
    const at = firsts.find((first) => first !== undefined);
    const number = at === undefined ? 0 : findBlock(at);
    for (const text of texts) {
      scrollToPlace(text, { number, share: 0 });
      const mark = text.children[number].querySelector(".rule:not(.join)");
      if (mark) text.scrollTop = mark.offsetTop - 90;
    }
    const first = texts.find((text) => text.querySelector(".rule:not(.join)"));
    if (first) texts.forEach((text) => scrollToPlace(text, findPlace(first)));
  }

  function drawColumn(splitter) {
    const column = element("div", "column");
    const title = element("h3", "", makeSeen(splitter));
    column.append(title);
    const view = find(splitter);
    if (!view) {
      const failure = data.failures.find(
        ([corpus, failed, limit]) =>
          corpus === excerpt().corpus && failed === splitter && limit === state.limit,
      );
      const why = failure ? failure[3] : "it gave no segments when it was asked again";
      column.append(element("p", "missing", makeSeen(`Not shown here: ${why}.`)));
      return column;
    }
    const kinds = state.from === PLACES ? findPlaces(view) : state.from ? classify(view) : null;
    const told = state.from === PLACES ? tellPlaces(view) : kinds ? tell(kinds, view) : element("p");
    column.append(summarize(view), told);
    const text = element("div", "text");
    text.tabIndex = 0;
    text.setAttribute("role", "region");
    text.setAttribute("aria-label", makeSeen(`Segments of ${splitter} at ${state.limit}`));
    text.view = view;
    text.kinds = kinds;
    text.chosen = -1;
    text.watcher = new IntersectionObserver(fillNear, { root: text, rootMargin: "600px 0px" });
    text.append(...blocks().map(makeBlock));
    for (const block of text.children) text.watcher.observe(block);
    drawBlock(text.firstChild);
    const info = element("p", "info", "Select a segment to see where it lies.");
    info.setAttribute("aria-live", "polite");
    makeSelectable(text, info, view);
    column.append(text, info);
    return column;
  }

  function summarize(view) {
    const paragraph = element("p");
    const here = plural(view.starts.length, "segment");
    paragraph.append(view.segments === view.starts.length ? here : `${here} here, ${count(view.segments)} in the document`);
    // What the whole document loses; a run of an older version does not tell.
    const [whitespaceLost, contentLost, , , exact] = view.loss ?? [0, 0, 0, 0, true];
    const lost = (number, what) =>
      `${exact ? "" : "at least "}${plural(number, `${what} character`)} lost${excerpt().text.length < excerpt().length ? " in the document" : ""}`;
    const over = view.breaches.filter(([rule]) => rule === "fits").length;
    const empty = view.breaches.filter(([rule]) => rule === "empty").length;
    const whitespace = view.breaches.filter(([rule]) => !["join", "fits", "empty"].includes(rule));
    const unavoidable = whitespace.filter((breach) => breach[2]).length;
    const faults = [
      [whitespaceLost, lost(whitespaceLost, "whitespace")],
      [contentLost, lost(contentLost, "content")],
      [over, `${count(over)} over the limit`],
      [view.added.length, `${plural(view.added.length, "segment")} not in the text`],
      [empty, plural(empty, "empty segment")],
      [whitespace.length - unavoidable, `${count(whitespace.length - unavoidable)} against the whitespace rule`],
    ].filter(([number]) => number);
    for (const [, text] of faults) paragraph.append(" · ", element("span", "bad", text));
    if (!faults.length) paragraph.append(" · no rule broken");
    if (unavoidable) paragraph.append(` · ${count(unavoidable)} unavoidable`);
    return paragraph;
  }

  // Of each segment that is wholly here: was there the same one before, one that differs in
  // whitespace at its ends only, or none?
  function classify(view) {
    const before = find(state.from);
    if (!before) return null;
    return once(view, `from ${state.from}`, () => {
      const numbers = [...view.starts.keys()];
      if (before === view) return numbers.map(() => "before");
      // By where a segment starts, its end; by where its content does, the end of that. Of
      // whitespace alone, which has no content, the place.
      const size = excerpt().text.length + 1;
      const [ends, contents, blanks] = [Int32Array, Int32Array, Uint8Array].map((kind) => new kind(size));
      for (const number of before.starts.keys()) {
        if (before.starts[number] >= 0) ends[before.starts[number]] = before.ends[number];
        if (!isWhole(before, number)) continue;
        const [start, end] = strip(before, number);
        if (start < end) contents[start] = end;
        else blanks[end] = 1;
      }
      return numbers.map((number) => {
        if (!isWhole(view, number)) return "";
        if (ends[view.starts[number]] === view.ends[number]) return "same";
        const [start, end] = strip(view, number);
        return (start < end ? contents[start] === end : blanks[end]) ? "edges" : "moved";
      });
    });
  }

  function isWhole(view, number) {
    return view.starts[number] >= 0 && view.ends[number] <= excerpt().text.length;
  }

  function strip(view, number) {
    const { text } = excerpt();
    let [start, end] = [view.starts[number], view.ends[number]];
    while (start < end && SPACE.test(text.at(start))) start += 1;
    while (end > start && SPACE.test(text.at(end - 1))) end -= 1;
    return [start, end];
  }

  // The class of each segment, by where the boundary before it lies.
  function findPlaces(view) {
    return once(view, "places", () =>
      [...view.starts.keys()].map((number) => {
        const place = view.places[number] ?? data.places.length;
        return `${number % 2 ? "odd" : ""} ${place < data.places.length ? `place-${place}` : ""}`;
      }),
    );
  }

  // How many boundaries lie where, and a button that goes to the worst of them, one after the other.
  function tellPlaces(view) {
    const told = element("p", "migration");
    const known = [...view.places.entries()].filter(([, place]) => place < data.places.length);
    if (!known.length) {
      told.textContent = "Where its boundaries lie is not known.";
      return told;
    }
    const number = (place) => known.filter((each) => each[1] === place).length;
    const parts = data.places.map((name, place) => [name, number(place)]).filter((part) => part[1]);
    told.append(`${parts.map(([name, many]) => `${name} ${count(many)}`).join(", ")}. `);
    const worst = known.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const button = element("button", "worst", "Go to the worst");
    button.type = "button";
    let next = 0;
    button.addEventListener("click", () => {
      const [segment, place] = worst[next];
      next = (next + 1) % worst.length;
      button.textContent = `Go to the next worst (that was ${data.places[place]})`;
      button.closest(".column").querySelector(".text").choose(segment);
    });
    told.append(button);
    return told;
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
      `From ${makeSeen(state.from)}: ${count(same)} the same, ${count(edges)} with other edges, ${count(moved)} moved. ` +
        `Of ${plural(whole, "whole segment")} here ${share(edges + moved)} must be embedded again, ` +
        `${share(moved)} if segments are stripped first.`,
    );
  }

  // Where a text is cut into blocks: after a newline if there is one, the same for every column.
  function blocks() {
    const { text } = excerpt();
    return once(text, "blocks", () => {
      const found = [];
      let start = 0;
      let begin = 0; // in the string
      do {
        let end = start + BLOCK;
        let stop = text.find(end);
        const newline = text.string.lastIndexOf("\n", stop - 1) + 1;
        if (end < text.length && newline > begin) {
          end -= countCharacters(text, newline, stop);
          stop = newline;
        }
        end = Math.min(end, text.length);
        const lines = text.string.slice(begin, stop).split("\n").length;
        found.push({ start, end, lines });
        [start, begin] = [end, stop];
      } while (start < text.length);
      return found;
    });
  }

  function countCharacters(text, place, end) {
    let number = 0;
    for (; place < end; place = text.next(place)) number += 1;
    return number;
  }

  function findBlock(at) {
    return findFirst(blocks(), (block) => block.end > at, blocks().length - 1);
  }

  // The first index at which an ordered condition holds.
  function findFirst(list, holds, otherwise) {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(list[middle])) high = middle;
      else low = middle + 1;
    }
    return low < list.length ? low : otherwise;
  }

  function makeBlock({ start, end, lines }, number) {
    const block = element("div", "block");
    block.dataset.block = number;
    // A guess, until it is drawn: some forty characters a line.
    block.style.height = `${Math.max(lines, (end - start) / 40) * 1.4}rem`;
    return block;
  }

  function fillNear(changes) {
    for (const { target, isIntersecting } of changes) {
      if (isIntersecting) drawBlock(target);
      else emptyBlock(target);
    }
  }

  function emptyBlock(block) {
    if (!block.hasChildNodes() || !block.isConnected) return;
    block.style.height = `${block.getBoundingClientRect().height}px`;
    block.replaceChildren();
  }

  // Whatever is said beside the text, by offset.
  function findMarks(view) {
    return once(view, "marks", () => {
      const marks = new Map();
      const mark = (at, ...told) => {
        const place = at < 0 || at > excerpt().text.length ? excerpt().text.length : at;
        if (marks.has(place)) marks.get(place).push(told);
        else marks.set(place, [told]);
      };
      const tooLong = new Map();
      for (const [rule, at, unavoidable, detail] of view.breaches) {
        if (rule !== "fits") mark(at, rule, unavoidable, detail);
        else if (tooLong.has(at)) tooLong.get(at).push(detail);
        else tooLong.set(at, [detail]);
      }
      const over = new Set();
      view.starts.forEach((start, number) => {
        if (tooLong.has(start) && view.ends[number] - start > view.limit) over.add(start);
      });
      for (const at of over) tooLong.get(at).pop(); // what was added there comes before it
      for (const [at, pieces] of view.added) mark(at, `added: ${pieces.join("")}`, false, "");
      for (const at of new Set(view.added.map((added) => added[0]))) {
        for (const detail of tooLong.get(at) || []) mark(at, `fits: ${detail}`, false, "");
      }
      return { marks, over };
    });
  }

  function makeMark([rule, unavoidable, detail]) {
    const made = element("span", "rule", makeSeen(unavoidable ? `${rule}, unavoidable` : rule));
    made.classList.toggle("unavoidable", unavoidable);
    made.classList.toggle("join", rule === "join");
    made.title = makeSeen(detail);
    return made;
  }

  function makeSeen(text) {
    return Array.from(text, (character) => (isUnseen(character) ? escape(character) : character)).join("");
  }

  function drawBlock(block) {
    if (block.hasChildNodes()) return;
    const { view, kinds, chosen } = block.parentNode;
    const number = Number(block.dataset.block);
    const { start, end } = blocks()[number];
    const isLast = number === blocks().length - 1;
    const { marks, over } = findMarks(view);
    const characters = excerpt().text.characters(start, end);
    const append = (into, from, to) => {
      let plain = "";
      const flush = () => {
        if (plain) into.append(plain);
        plain = "";
      };
      for (let at = from; at < to; at += 1) {
        if (marks.has(at)) {
          flush();
          into.append(...marks.get(at).map(makeMark));
        }
        const sign = makeSign(characters[at - start]);
        if (sign) {
          flush();
          into.append(sign);
        } else {
          plain += characters[at - start];
        }
      }
      flush();
    };
    const { parts } = view;
    const drawn = document.createDocumentFragment();
    let index = findFirst(parts.to, (to) => to > start, parts.to.length);
    // Parts without a character that belong to this place.
    while (index > 0 && parts.from[index - 1] >= start && parts.to[index - 1] >= start) index -= 1;
    for (; index < parts.from.length; index += 1) {
      const [from, to] = [parts.from[index], parts.to[index]];
      if (from > end || (from === end && !(isLast && from === to))) break;
      if (from === to && from < start) continue;
      const segment = parts.number[index];
      const [first, last] = [Math.max(from, start), Math.min(to, end)];
      if (segment < 0) {
        const lost = element("del", "lost");
        append(lost, first, last);
        drawn.append(lost);
        continue;
      }
      const odd = (view.first + segment) % 2 === 1;
      const made = element("span", `segment ${kinds ? kinds[segment] : odd ? "odd" : ""}`);
      made.dataset.number = segment;
      made.classList.toggle("chosen", segment === chosen);
      made.classList.toggle("goes-on", first > from);
      const begin = view.starts[segment];
      if (over.has(begin)) {
        made.classList.add("over");
        const length = view.ends[segment] - begin;
        if (first === from) made.append(element("span", "rule", `fits: ${count(length)} > ${count(view.limit)}`));
      }
      if (begin < 0) made.classList.add("cut-start");
      append(made, first, last);
      drawn.append(made);
    }
    if (isLast) drawn.append(...(marks.get(excerpt().text.length) || []).map(makeMark));
    block.style.height = "";
    block.append(drawn);
  }

  function isUnseen(character) {
    return UNSEEN.test(character) && !JOINER.test(character) && character !== " ";
  }

  function escape(character) {
    return `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`;
  }

  function makeSign(character) {
    const known = data.signs[character];
    if (!known && !isUnseen(character)) return null;
    const sign = element("span", "sign", character);
    if (known) {
      sign.dataset.sign = known[0];
      if (OVERLAID.has(character)) sign.classList.add("over-it");
    } else {
      sign.dataset.sign = escape(character);
      sign.classList.add("code");
    }
    return sign;
  }

  function makeSelectable(text, info, view) {
    const bands = (number) => text.querySelectorAll(`.segment[data-number="${number}"]`);
    const choose = (number) => {
      if (!view.starts.length) return;
      bands(text.chosen).forEach((band) => band.classList.remove("chosen"));
      text.chosen = Math.min(Math.max(number, 0), view.starts.length - 1);
      const [start, end] = [view.starts[text.chosen], view.ends[text.chosen]];
      drawBlock(text.children[findBlock(Math.max(start, 0))]);
      bands(text.chosen).forEach((band) => band.classList.add("chosen"));
      bands(text.chosen)[0]?.scrollIntoView({ block: "nearest" });
      const length = end - start;
      const share = Math.round((100 * length) / view.limit);
      info.textContent =
        `Segment ${count(view.first + text.chosen + 1)} of ${count(view.segments)}: ` +
        `${count(length)} of ${plural(view.limit, "code point")} (${share} %), ` +
        `from ${count(excerpt().start + start)} to ${count(excerpt().start + end)}.`;
    };
    text.choose = choose;
    text.addEventListener("click", (event) => {
      const segment = event.target.closest(".segment");
      if (segment) choose(Number(segment.dataset.number));
    });
    text.addEventListener("keydown", (event) => {
      if (event.key === "ArrowRight") choose(text.chosen + 1);
      else if (event.key === "ArrowLeft") choose(text.chosen - 1);
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
    if (state.from === PLACES) {
      data.places.forEach((name, place) => entries.push(key(`segment place-${place}`, "ab", name)));
    } else if (state.from) {
      entries.push(
        key("segment same", "ab", `the same as by ${makeSeen(state.from)}`),
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

  // Columns scroll together: their blocks hold the same text.
  function findPlace(text) {
    const list = [...text.children];
    const number = findFirst(list, (block) => block.offsetTop + block.offsetHeight > text.scrollTop, 0);
    const block = list[number];
    return { number, share: (text.scrollTop - block.offsetTop) / Math.max(1, block.offsetHeight) };
  }

  function scrollToPlace(text, { number, share }) {
    const block = text.children[number];
    drawBlock(block);
    text.scrollTop = block.offsetTop + share * block.offsetHeight;
  }

  let leader = null;
  let resting;
  columns.addEventListener(
    "scroll",
    ({ target }) => {
      if (leader && leader !== target) return;
      leader = target;
      const place = findPlace(target);
      for (const other of columns.querySelectorAll(".text")) {
        if (other !== target) scrollToPlace(other, place);
      }
      clearTimeout(resting);
      resting = setTimeout(() => (leader = null), 80);
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
