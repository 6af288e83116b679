// Finds pages and sections of guides that have the words of the search: `e4m3 f32`, `sm_89`, `CVT009`, `fp8 to half`. Those
// with all words come first; if there is none, those that have the rarest ones.
const field = document.getElementById("search");
const found = document.getElementById("found");
const up = document.body.dataset.up;
const LEFT_OUT = new Set(
  "to from the a an of in on is are be which what how why do does i my it for with and or at by can".split(" "),
);
const OTHER_NAMES = { half: "f16", float: "f32", double: "f64", bfloat16: "bf16", fp4: "e2m1", float16: "f16", float32: "f32" };
const meanings = (title) => title.split(/[. ]/).map((part) => PARTS[part] ?? "").join(" ");
const all = PAGES.map(([title, path, kind, about]) => ({
  title, path, kind, text: `${title} ${kind} ${about} ${meanings(title)}`.toLowerCase(),
}));
// `rounding` also finds `rounded`.
const stem = (word) => (word.length > 6 ? word.replace(/(ing|ed)$/, "") : word);

/** The words of a text without its punctuation. An opcode that no page has is looked for by its parts. */
function wordsOf(typed) {
  const words = typed.split(/[\s,;()'"`]+|->/).map((word) => word.replace(/^[.:]+|[.:?!]+$/g, ""));
  const known = words.filter((word) => word && !LEFT_OUT.has(word)).flatMap((word) => {
    const name = stem(OTHER_NAMES[word] ?? word);
    return word.includes(".") && !count(name) ? word.split(".") : [name];
  });
  return [...new Set(known)];
}

const count = (word) => all.reduce((sum, page) => sum + page.text.includes(word), 0);

/** The pages that have the words, best first, and whether they have all of them. */
function hitsOf(typed) {
  // A word that no page has says nothing.
  const words = wordsOf(typed).map((word) => [word, count(word)]).filter(([, pages]) => pages);
  const isComplete = words.length === wordsOf(typed).length;
  const weights = words.map(([word, pages]) => [word, Math.log(1 + all.length / pages)]);
  const most = weights.reduce((sum, [, weight]) => sum + weight, 0);
  const rank = ({ title, kind }) => {
    const name = title.toLowerCase();
    if (name === typed) return 0;
    const begins = words.some(([word]) => name.startsWith(word)) ? 0 : 1;
    return 1 + begins + (kind === "form" ? 2 : 0) + (kind.startsWith("in ") ? 4 : 0) + name.length / 1000;
  };
  const scored = all.map((page) => {
    const score = weights.reduce((sum, [word, weight]) => sum + (page.text.includes(word) ? weight : 0), 0);
    // A word of the title says more than one of the text.
    const named = weights.reduce((sum, [word, weight]) => sum + (page.title.toLowerCase().includes(word) ? weight : 0), 0);
    return { page, score, best: score + named / 2 };
  });
  const full = scored.filter(({ score }) => most && score > most - 1e-9);
  if (full.length) {
    full.sort((a, b) => rank(a.page) - rank(b.page));
    return { hits: full.map(({ page }) => page), isComplete };
  }
  const some = scored.filter(({ score }) => score > most / 3).sort((a, b) => b.best - a.best || rank(a.page) - rank(b.page));
  return { hits: some.map(({ page }) => page), isComplete: false };
}

function search() {
  const typed = field.value.toLowerCase().trim();
  const { hits, isComplete } = hitsOf(typed);
  const has = wordsOf(typed).length > 0;
  found.replaceChildren(
    ...hits.slice(0, 30).map((page) => {
      const item = document.createElement("li");
      const link = item.appendChild(document.createElement("a"));
      link.href = up + page.path;
      link.textContent = page.title;
      item.append(` ${page.kind}`);
      return item;
    }),
  );
  const say = (textContent, place) => found[place](Object.assign(document.createElement("li"), { textContent }));
  if (has && !hits.length) say("Nothing has these words.", "append");
  else if (has && !isComplete) say("Nothing has all of these words; nearest:", "prepend");
  if (hits.length > 30) say(`and ${hits.length - 30} more`, "append");
}

field.addEventListener("input", search);
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") found.querySelector("a")?.click();
  if (event.key === "Escape") {
    field.value = "";
    search();
  }
});
search();
