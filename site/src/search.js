// Finds pages that have every word of the search: `e4m3 f32`, `sm_89`, `CVT009`, `fp8 to half`.
const field = document.getElementById("search");
const found = document.getElementById("found");
const up = document.body.dataset.up;
const LEFT_OUT = ["to", "from", "the", "a", "of", "in", "on"];
const OTHER_NAMES = { half: "f16", float: "f32", double: "f64", bfloat16: "bf16", fp4: "e2m1", float16: "f16", float32: "f32" };
const meanings = (title) => title.split(/[. ]/).map((part) => PARTS[part] ?? "").join(" ");
const all = PAGES.map(([title, path, kind, about]) => ({
  title, path, kind, text: `${title} ${kind} ${about} ${meanings(title)}`.toLowerCase(),
}));
// `rounding` also finds `rounded`.
const stem = (word) => (word.length > 6 ? word.replace(/(ing|ed)$/, "") : word);

function search() {
  const typed = field.value.toLowerCase().trim();
  const words = typed.split(/[\s,]+|->/).filter((word) => word && !LEFT_OUT.includes(word)).map((word) => stem(OTHER_NAMES[word] ?? word));
  const rank = ({ title, kind }) => {
    const name = title.toLowerCase();
    if (name === typed) return 0;
    const begins = words.some((word) => name.startsWith(word)) ? 0 : 1;
    return 1 + begins + (kind === "form" ? 2 : 0) + name.length / 1000;
  };
  const hits = words.length ? all.filter((page) => words.every((word) => page.text.includes(word))) : [];
  hits.sort((a, b) => rank(a) - rank(b));
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
  if (words.length && !hits.length) found.append(Object.assign(document.createElement("li"), { textContent: "Nothing has all of these words." }));
  if (hits.length > 30) found.append(Object.assign(document.createElement("li"), { textContent: `and ${hits.length - 30} more` }));
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
