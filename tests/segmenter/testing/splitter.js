// The rules of SPEC.md once more, in a language whose strings count UTF-16 units: texts are lists
// of code points here. Reads a vector from each line and writes its segments.

"use strict";

const readline = require("readline");

const WHITESPACE = new Set(
  [[0x9, 0xd], [0x1c, 0x20], [0x85, 0x85], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a],
    [0x2028, 0x2029], [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000]]
    .flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i)));
const NEWLINE = 0xa;
const SEPARATORS = [ // what stands before a cut, and after it
  "\n\n", "],\n", "},\n", "),\n", "]\n", "}\n", ")\n", ",\n", "？\n", "?\n", "！\n", "!\n", "。\n", ".\n",
  "？", "? ", "！", "! ", "。", ". ", "; ", ": ", "—", "--", "，", "、", ", ", "\u200b", " ",
].map((separator) => [separator, ""]);

function codePoints(string) {
  return Array.from(string, (character) => character.codePointAt(0));
}

function isSpace(text, at) {
  return WHITESPACE.has(text[at]);
}

// Where a cut belongs; null in the whitespace that begins or ends the text.
function moveCut(text, at) {
  let start = at;
  let end = at;
  while (start > 0 && isSpace(text, start - 1)) start--;
  while (end < text.length && isSpace(text, end)) end++;
  if (start === end) return at;
  if (start === 0 || end === text.length) return null;
  const newline = text.lastIndexOf(NEWLINE, end - 1);
  return newline >= start ? newline + 1 : end;
}

function findCuts(text, start, end, [before, after]) {
  const separator = before.concat(after);
  const cuts = [];
  for (let at = start; at < end && at + before.length <= end;) {
    if (separator.every((point, i) => text[at + i] === point)) {
      cuts.push(at + (before.length || (after.length ? 0 : 1)));
      at += Math.max(1, separator.length);
    } else {
      at++;
    }
  }
  return cuts;
}

function divide(text, start, end, limit, separators, segments) {
  if (end - start <= limit) {
    segments.push(text.slice(start, end));
    return;
  }
  if (separators.length === 0) {
    for (let at = start; at < end; at += limit) segments.push(text.slice(at, Math.min(at + limit, end)));
    return;
  }
  let found = [];
  let level = 0;
  while (found.length === 0) found = findCuts(text, start, end, separators[level++]);
  const moved = found.map((at) => moveCut(text, at)).filter((cut) => cut > start && cut < end);
  const cuts = [...new Set(moved)].sort((a, b) => a - b).concat(end);
  let merged = start;
  let left = start;
  for (const right of cuts) {
    if (right - left > limit) {
      if (merged < left) segments.push(text.slice(merged, left));
      divide(text, left, right, limit, separators.slice(level), segments);
      merged = right;
    } else if (right - merged > limit) {
      segments.push(text.slice(merged, left));
      merged = left;
    }
    left = right;
  }
  if (merged < end) segments.push(text.slice(merged, end));
}

function split(text, limit, separators) {
  const segments = [];
  const order = [...separators, ["", ""]].map((pair) => pair.map(codePoints)); // every character last
  if (text.length > 0) divide(text, 0, text.length, limit, order, segments);
  return segments;
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const vector = JSON.parse(line);
  const isString = typeof vector.text === "string";
  const text = isString ? codePoints(vector.text) : vector.text;
  const segments = split(text, vector.max_chunk_length, vector.separators || SEPARATORS);
  const answer = isString
    ? segments.map((segment) => segment.map((point) => String.fromCodePoint(point)).join(""))
    : segments;
  process.stdout.write(`${JSON.stringify({ segments: answer })}\n`);
});
