// Finds pages and sections of guides that have the words of the search: `e4m3 f32`, `sm_89`, `CVT009`, `fp8 to half`. Those
// with all words come first; if there is none, those that have the rarest ones.
const field = document.getElementById("search");
const found = document.getElementById("found");
const up = document.body.dataset.up;
// Words that a question is made of, and words that most pages have. The latter are looked for if there are no others.
const FUNCTION = new Set(
  ("to from into the a an of in on is are be which what how why do does i my own it its for with and or at by can has have " +
    "there get gets give gives when if not no vs versus between").split(" "),
);
const COMMON = new Set("without convert converts conversion sm gpu gpus support supports supported use difference".split(" "));
// What threads call a thing, and what the pages call it.
const SAME = { encoder: "codec", decoder: "codec", equivalent: "equal" };
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
/** How many words the text of each page has; for a guide, the sum of its sections. */
const sizes = new Uint32Array(all.length);
/** The words of texts, with the pages that have them. */
function words() {
  const pieces = index ? [] : WORDS.split(" ");
  if (index) return index;
  index = pieces.flatMap((word, at) => (at % 2 ? [] : [[word, pieces[at + 1]]]));
  for (const [, ranges] of index) {
    for (const id of pagesOf(ranges)) {
      sizes[id]++;
      if (guideOf[id] !== undefined) sizes[guideOf[id]]++;
    }
  }
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
  const same = SAME[word];
  const fitOf = (text) => Math.max(fit(text, word), same ? fit(text, same) : 0);
  const own = Float32Array.from(all, (page) => fitOf(page.text));
  const [names, texts] = [own.slice(), own.slice()];
  const add = (id, value) => (texts[id] = Math.max(texts[id], value));
  for (const [other, ranges] of words()) {
    const value = fitOf(other);
    if (!value) continue;
    for (const id of pagesOf(ranges)) {
      add(id, value);
      if (guideOf[id] !== undefined) add(guideOf[id], value);
    }
  }
  for (const { id, isProse } of all) if (isProse) names[id] = texts[id];
  const fits = { own, names, texts };
  seen.set(word, fits);
  return fits;
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
  const said = words.filter((word) => !FUNCTION.has(word));
  const asked = said.filter((word) => !COMMON.has(word));
  const known = (asked.length ? asked : said.length ? said : words).flatMap((word) => {
    const name = stem(word.replace(/^sm(?=\d)/, "sm_"));
    if (!/[._]/.test(name) || count(name)) return [name];
    const parts = name.split(/[._]/).filter((part) => part && (name.includes(".") || count(part)));
    return parts.length ? parts : [name];
  });
  return [...new Set(known)];
}

/** The names of all types. */
const TYPES = new Set(Object.entries(NAMES).flatMap(([name, names]) => [name, ...lower(names).split(" ")]));

/** The types in the order that a text states: `f32 to e4m3`, `f16 from fp8`, `cvt.rn.f16x2.e4m3x2`; or `undefined`. */
function orderOf(typed) {
  const opcode = /(?:^|\s)cvt\.([\w.:]+)/.exec(typed)?.[1].split(".").filter((part) => part in NAMES);
  const forwards = /([\w.]+)(?:\s+(?:in)?to\s+|\s*(?:->|→)\s*)([\w.]+)/.exec(typed)?.slice(1);
  const backwards = /([\w.]+)\s+from\s+([\w.]+)/.exec(typed)?.slice(1).reverse();
  const order = opcode?.length === 2 ? opcode.reverse() : (forwards ?? backwards);
  // Two types without a word between them are a pair in either order.
  const types = typed.split(/\s+/).filter((word) => TYPES.has(word));
  const either = types.length === 2 ? types : undefined;
  // A packed type is one of its format.
  const formats = (words) => words?.map((word) => NAMES[word]?.split(" ")[0] ?? word);
  return { order: formats(order), either: order ? undefined : formats(either) };
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
  const { order, either } = orderOf(typed);
  const isFrom = (ends, types) => types && ends.every((end, at) => fit(end, types[at]));
  const isOrdered = ({ ends }) => ends && [order, either, either?.toReversed()].some((types) => isFrom(ends, types));
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
  const isGuide = ({ page }) => page.isSection || ["guide", "start", "error code"].includes(page.kind);
  const isFull = (score) => most && score > most - 1e-9;
  const scored = all.map((page) => {
    const sum = (value) => weights.reduce((total, one) => total + (value(one) >= one.least ? one.weight : 0), 0);
    const [score, whole] = [sum(({ names }) => names[page.id]), sum(({ texts }) => texts[page.id])];
    // A word of the title or of what the page is for says more than one of the text, and one of a short section more than one
    // of a long guide.
    const [title, own] = [sum(({ word }) => fit(page.name, word)), sum(({ own }) => own[page.id])];
    const part = isGuide({ page }) ? 0.25 + 0.75 / (1 + sizes[page.id] / 150) : 0.6;
    return { page, score, whole, best: whole && title + own / (isFull(own) ? 1 : 2) + whole * part + (isOrdered(page) ? most / 4 : 0) };
  });
  // What one word names as a whole is near, even if its page lacks the others. So is the format of `e8m0`, but not that of
  // `half`, which is said of much.
  const isExact = (names) => names.some((name) => wanted.includes(name));
  const namesOf = ({ name, kind }) => [name, ...(kind === "format" ? (NAMES[name] ?? "").split(" ").filter((other) => /e\dm\d/.test(other)) : [])];
  const [exact, ...more] = all.filter((page) => ["format", "target", "interactive page"].includes(page.kind) && isExact(namesOf(page)));
  const withExact = (hits) => {
    if (!exact || more.length || hits.slice(0, 3).includes(exact)) return hits;
    const others = hits.filter((page) => page !== exact);
    return [...others.slice(0, 2), exact, ...others.slice(2)];
  };
  const full = scored.filter(({ score }) => isFull(score));
  const others = scored.filter(({ whole }) => isFull(whole));
  // A page that has all words in a long text is not always nearer than one that is named after the rarest.
  const some = scored.filter(({ whole }) => whole > most / 3);
  some.sort((a, b) => b.best - a.best || rank(a.page) - rank(b.page));
  if (full.length) {
    // Pages that have all words in their names, then those that have some only in their text. If only guides have all, the
    // question may be about what some of the words name.
    const of = (hits) => hits.map(({ page }) => [rank(page), page]).sort(([a], [b]) => a - b).map(([, page]) => page);
    if (full.every(isGuide) && others.every(isGuide)) return { hits: withExact(some.map(({ page }) => page)), isComplete };
    const named = full.every(isGuide) ? some.map(({ page }) => page) : [];
    // A guide or the explorer whose title has the words is about them.
    const own = scored.filter(({ page }) => ["guide", "interactive page"].includes(page.kind) && words.every(([word]) => fit(page.name, word) > (words.length > 1 ? 0 : 0.5)));
    return { hits: withExact([...new Set([...of(own), ...of(full), ...of(others), ...named])]), isComplete };
  }
  return { hits: withExact(some.map(({ page }) => page)), isComplete: isComplete && others.length > 0 };
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
