// Finds pages and sections of guides that have the words of the search: `e4m3 f32`, `sm_89`, `CVT009`, `fp8 to half`. Those
// with all words come first; if there is none, those that have the rarest ones.
const field = document.getElementById("search");
const found = document.getElementById("found");
const up = document.body.dataset.up;
const LEFT_OUT = new Set(
  ("to from into the a an of in on is are be which what how why do does i my it for with and or at by can has have there " +
    "get gets give gives convert converts conversion sm gpu gpus support supports supported use when if not vs versus between difference").split(" "),
);
const meanings = (title) => title.split(/[. ]/).map((part) => `${PARTS[part] ?? ""} ${NAMES[part] ?? ""}`).join(" ");
const lower = (text) => text.toLowerCase();
const all = PAGES.map(([title, path, kind, about], id) => {
  const text = lower(`${title} ${kind} ${about} ${meanings(title)}`);
  const isSection = path.includes("#");
  // The text of these is about what they are found for; tables of forms and targets have words by the way.
  const isProse = ["error code", "format", "recipe"].includes(kind) || (isSection && !path.includes("/generated-"));
  const isNone = path.endsWith("-none.html");
  return { title, name: lower(title), path, kind, id, text, ends: endsOf(title, kind), isSection, isProse, isNone };
});
// A guide has what its sections have.
const guides = new Map(all.filter((page) => page.kind === "guide").map((page) => [page.path, page.id]));
const guideOf = all.map((page) => (page.isSection ? guides.get(page.path.split("#")[0]) : undefined));
let index;
/** The words of texts, with the pages that have them. */
function words() {
  const pieces = index ? [] : WORDS.split(" ");
  index ??= pieces.flatMap((word, at) => (at % 2 ? [] : [[word, pieces[at + 1]]]));
  return index;
}

/** The pages of one word: how many are left out, how many more follow one another, in base 36. */
function* pagesOf(ranges) {
  let next = 0;
  for (const range of ranges.split(",")) {
    const [gap, more = 0] = range.split("-").map((digits) => parseInt(digits, 36));
    next += gap;
    for (const last = next + more; next <= last; next++) yield next;
  }
}

const seen = new Map();
/** How well each page fits a word, by the page's number: its names, and all of it with its text. */
function fitsOf(word) {
  const before = seen.get(word);
  if (before) return before;
  const names = Float32Array.from(all, (page) => fit(page.text, word));
  const texts = names.slice();
  const add = (id, value) => (texts[id] = Math.max(texts[id], value));
  for (const [other, ranges] of words()) {
    const value = fit(other, word);
    if (!value) continue;
    for (const id of pagesOf(ranges)) {
      add(id, value);
      if (guideOf[id] !== undefined) add(guideOf[id], value);
    }
  }
  for (const { id, isProse } of all) if (isProse) names[id] = texts[id];
  seen.set(word, { names, texts });
  return { names, texts };
}

// `rounding` also finds `rounded`.
const stem = (word) => (word.length > 6 ? word.replace(/(ing|ed)$/, "") : word);

/** The names of the type before and of the type after a conversion, of a form or a pair. */
function endsOf(title, kind) {
  const last = title.split(".").filter((part) => part !== "b32").slice(-2);
  const ends = { "pair of types": title.split(" to "), form: last.reverse() }[kind];
  return ends?.map((type) => lower(`${type} ${NAMES[type] ?? ""}`));
}

const continues = (text, at) => at >= 0 && at < text.length && /[a-z0-9]/.test(text[at]);

/** The endings of a word's other forms: `stochastically` for `stochastic`, `rounds` for `round`. */
const ENDINGS = /^(s|es|d|ed|ing|ly|ally)(?![a-z0-9])/;

/** Where a text has a word: 1 as a whole, 0.75 in another form, 0.5 as the beginning of another word, 0 nowhere. */
function fit(text, word) {
  let best = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (continues(text, at - 1)) continue;
    const end = at + word.length;
    if (!continues(text, end)) return 1;
    const isForm = word.length > 3 && ENDINGS.test(text.slice(end, end + 5));
    best = Math.max(best, isForm ? 0.75 : 0.5);
  }
  return best;
}

/** How many pages have a word in their names or, if there is none, in their text. */
function count(word, least = 0.5) {
  const { names, texts } = fitsOf(word);
  const among = (fits) => fits.reduce((sum, value) => sum + (value >= least), 0);
  return among(names) || among(texts);
}

/** The words of a text without the punctuation around them. An opcode or another name that no page has is looked for by those
 * of its parts that pages have: `__nv_fp8_e4m3` by `fp8` and `e4m3`. */
function wordsOf(typed) {
  const words = typed.split(/[\s,;()'"`→]+|->/).map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "")).filter(Boolean);
  const asked = words.filter((word) => !LEFT_OUT.has(word));
  const known = (asked.length ? asked : words).flatMap((word) => {
    const name = stem(word.replace(/^sm(?=\d)/, "sm_"));
    if (!/[._]/.test(name) || count(name)) return [name];
    const parts = name.split(/[._]/).filter((part) => part && (name.includes(".") || count(part)));
    return parts.length ? parts : [name];
  });
  return [...new Set(known)];
}

/** The types in the order that a text states: `f32 to e4m3`, `f16 from fp8`, `cvt.rn.f16x2.e4m3x2`; or `undefined`. */
function orderOf(typed) {
  const opcode = /(?:^|\s)cvt\.([\w.:]+)/.exec(typed)?.[1].split(".").filter((part) => part in NAMES);
  const forwards = /([\w.]+)(?:\s+(?:in)?to\s+|\s*(?:->|→)\s*)([\w.]+)/.exec(typed)?.slice(1);
  const backwards = /([\w.]+)\s+from\s+([\w.]+)/.exec(typed)?.slice(1).reverse();
  const order = opcode?.length === 2 ? opcode.reverse() : (forwards ?? backwards);
  // A packed type is one of its format.
  return order?.map((word) => NAMES[word]?.split(" ")[0] ?? word);
}

/** The pages that have the words, best first, and whether they have all of them. */
function hitsOf(typed) {
  const wanted = wordsOf(typed);
  // A word that no page has says nothing. `ada` and `90` are words, not beginnings of `adapt` and `900`.
  const words = wanted
    .map((word) => [word, count(word), /^([a-z]{1,3}|\d+)$/.test(word) && count(word, 1) ? 1 : 0.5])
    .filter(([, pages]) => pages);
  const isComplete = words.length === wanted.length;
  const weights = words.map(([word, pages, least]) => ({ word, weight: Math.log(1 + all.length / pages), least, ...fitsOf(word) }));
  const most = weights.reduce((sum, { weight }) => sum + weight, 0);
  const order = orderOf(typed);
  const isOrdered = ({ ends }) => order && ends && ends.every((end, at) => fit(end, order[at]));
  const rank = (page) => {
    const { name, kind, id } = page;
    if (name === typed) return 0;
    if (kind === "form" && name.startsWith(`${typed}.`)) return 1 + name.length / 1000;
    const wholes = weights.filter(({ names }) => names[id] > 0.5).length;
    const begins = words.some(([word]) => fit(name, word)) ? 0 : 1;
    // Targets and recipes have the words of many types, and are meant where their names are.
    // That there is no form between two types is an answer to who asks for both.
    const pairs = page.isNone ? 6 : 0.5;
    const kinds = { form: 2, guide: 3, target: 3 * begins, recipe: 3 * begins, "pair of types": pairs }[kind] ?? (kind.startsWith("in ") ? 4 : 0);
    return (isOrdered(page) ? 2 : 10) + begins + kinds + 3 * (words.length - wholes) + name.length / 1000;
  };
  const scored = all.map((page) => {
    const sum = (value) => weights.reduce((total, one) => total + (value(one) >= one.least ? one.weight : 0), 0);
    const [score, whole] = [sum(({ names }) => names[page.id]), sum(({ texts }) => texts[page.id])];
    // A word of the title says more than one of the text.
    return { page, score, whole, best: whole && score + (whole - score) / 2 + sum(({ word }) => fit(page.name, word)) / 2 };
  });
  const isFull = (score) => most && score > most - 1e-9;
  const full = scored.filter(({ score }) => isFull(score));
  const others = scored.filter(({ whole }) => isFull(whole));
  // A page that has all words in a long text is not always nearer than one that is named after the rarest.
  const some = scored.filter(({ best, whole }) => best > most / 3 || isFull(whole));
  some.sort((a, b) => b.best - a.best || rank(a.page) - rank(b.page));
  if (full.length) {
    // Pages that have all words in their names, then those that have some only in their text. If only guides have all, the
    // question may be about what some of the words name.
    const of = (hits) => hits.map(({ page }) => [rank(page), page]).sort(([a], [b]) => a - b).map(([, page]) => page);
    const isGuide = ({ page }) => page.kind === "guide" || page.isSection;
    const named = full.every(isGuide) ? some.map(({ page }) => page) : [];
    // A guide or the explorer whose title has the words is about them.
    const own = scored.filter(({ page }) => ["guide", "interactive page"].includes(page.kind) && words.every(([word]) => fit(page.name, word) > (words.length > 1 ? 0 : 0.5)));
    return { hits: [...new Set([...of(own), ...of(full), ...of(others), ...named])], isComplete };
  }
  return { hits: some.map(({ page }) => page), isComplete: isComplete && others.length > 0 };
}

function search() {
  const typed = lower(field.value).trim();
  const { hits, isComplete } = hitsOf(typed);
  const has = wordsOf(typed).length > 0;
  found.replaceChildren(
    ...hits.slice(0, 30).map((page) => {
      const item = document.createElement("li");
      const link = item.appendChild(document.createElement("a"));
      link.href = up + page.path;
      link.textContent = page.title;
      item.append(` ${page.isNone ? "no form" : page.kind}`);
      return item;
    }),
  );
  const say = (textContent, place) => found[place](Object.assign(document.createElement("li"), { textContent }));
  if (has && !hits.length) say("Nothing has these words.", "append");
  else if (has && !isComplete) say("Nothing has all of these words; nearest:", "prepend");
  if (hits.length > 30) say(`and ${hits.length - 30} more`, "append");
}

/** The arrow keys move from the field through the results and back. */
function move(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const stops = [field, ...found.querySelectorAll("a")];
  const next = stops[stops.indexOf(document.activeElement) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

field.addEventListener("input", search);
field.parentElement.addEventListener("keydown", move);
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") found.querySelector("a")?.click();
  if (event.key === "Escape") {
    field.value = "";
    search();
  }
});
search();
