// Block quantisation: numbers quantised with one or two recipes, step by step.
import { afterPaint, fill, h, hold, Kept, Menu, prose, waiting, type View } from "../dom";
import { quantize, tables, type Quantized, type Step } from "../library";
import { more } from "../site";
import { isGiven, set, value, written } from "../state";
import { differencePicture } from "./difference";
import { dropZone } from "./file";
import { ElementsTable } from "./table";

const NUMBERS = "7.9 -0.37 0.58 -1.11 1.16 -1.85 1.74 -2.59 0.011 -4.44 0 0.29 -0.74 3.19 2.61 -0.003";

/** A longer text is quantised when its typing pauses for this many milliseconds. */
const [LONG, PAUSE] = [1000, 150];

export function blocksView(): View {
  const text = h("textarea", { "aria-label": "Numbers", "aria-describedby": "numbers-error", spellcheck: "false", rows: "3", class: "mono" });
  const error = h("p", { class: "bad", role: "alert", id: "numbers-error" });
  const notes = h("div", { class: "note", role: "status" });
  const stale = h("p", { class: "outdated", role: "status", hidden: true });
  const table = new ElementsTable((to) => {
    set({ at: String(to) });
    update();
  });
  const legend = h("p", { class: "dim" });
  const difference = h("div");
  const pair = h("div", { class: "pair" });
  const shown = h("div", { hidden: true }, table.element, legend, difference, pair);
  const wait = waiting(shown);
  let good = "";
  const choose = (label: string, key: string) => new Menu(label, (to) => {
    set({ [key]: to });
    update();
  });
  const first = choose("Recipe", "r");
  const second = choose("Compare with", "s");
  const file = dropZone((numbers) => {
    set({ x: numbers, at: "0" });
    text.value = numbers;
    update();
  });
  const element = h("div", {}, h("h1", { class: "unseen" }, "Blocks"),
    h("div", { class: "bar" }, first.element, second.element, file.element),
    h("label", { class: "numbers" }, h("span", { class: "unseen" }, "Numbers"), text), error, notes, stale, shown);
  const later = afterPaint();
  const afterTable = afterPaint();
  /** What a menu of recipes leaves as it was: the other recipe's answer, and its steps. */
  const answers = new Kept<{ answer: Quantized; steps(): HTMLElement }>();
  text.addEventListener("input", () => {
    set({ x: text.value }, "typing");
    file.shows(text.value);
    wait.begin();
    later(update, text.value.length > LONG ? PAUSE : 0);
  });

  function update(): void {
    wait.end();
    const names = tables().recipes.map((r) => r.name);
    const chosen = [value("r", "mx-rceil/e4m3"), value("s", "mx-floor/e4m3")];
    const at = Number(value("at", "1"));
    // The first recipe is always needed.
    const compared = [...new Set(chosen.filter((name, at) => at === 0 || name !== "none"))];
    answers.turn();
    const kept = compared.map((name) => answers.get(JSON.stringify([name, at, text.value]), () => {
      const answer = quantize(name, text.value, at);
      let drawn: HTMLElement | undefined;
      return { answer, steps: () => (drawn ??= steps(answer, Math.min(at, answer.elements.length - 1))) };
    }));
    const all = kept.map(({ answer }) => answer);
    // A link may name a recipe in another case: the menus show its own name.
    const [one, other] = chosen.map((name) => all[compared.indexOf(name)]?.recipe?.name ?? name);
    first.update(names, one ?? "");
    second.update([["none", "none"] as [string, string], ...names], other ?? "");
    document.title = `${one} · ptxcvt`;
    const wrong = all.find((q) => q.error);
    const count = all[0]?.elements.length ?? 0;
    const beyond = isGiven("at") && at >= count ? `There is no element ${at + 1} of ${count}: the last one is shown.` : "";
    fill(error, ...prose(wrong?.error ?? beyond));
    fill(notes, ...(wrong ? [] : all[0]?.notes ?? []).map((note) => h("p", {}, ...prose(`${note}.`))));
    text.setAttribute("aria-invalid", String(!!wrong));
    shown.classList.toggle("stale", !!wrong);
    shown.toggleAttribute("inert", !!wrong);
    stale.hidden = !wrong || good === "";
    stale.textContent = wrong && good ? `The result below belongs to ${good}` : "";
    if (wrong) return;
    const inputs = text.value.trim();
    good = `${compared.join(" and ")}: ${inputs.length > 60 ? `${inputs.slice(0, 60)}…` : inputs}`;
    const last = (all[0]?.elements.length ?? 1) - 1;
    shown.hidden = false;
    table.update(all, Math.min(at, last));
    fill(legend, all.length > 1 && "Grey rows: the recipes give different numbers. ", "Green: the element whose steps are below.");
    // One long task would keep the next key waiting.
    const below = () => {
      fill(difference, all.length > 1 && differencePicture(all));
      fill(pair, ...kept.map((one) => one.steps()));
    };
    if (pair.childNodes.length > 0) afterTable(below);
    else below();
  }

  function show(): void {
    hold(text, written("x", NUMBERS));
    file.shows(text.value);
    update();
  }
  return { element, show };
}

function row(step: Step): HTMLElement {
  return h("tr", {}, h("td", {}, step.text), h("td", { class: "dim" }, step.bits), h("td", { class: "number" }, step.value));
}

/** The lines of a recipe with their results: those of the block, then those of the chosen element. */
function steps(q: Quantized, at: number): HTMLElement {
  const element = q.elements[at];
  const lines = [q.global, ...q.tensor, q.amax, ...q.steps].filter((s): s is Step => s !== null);
  return h("section", { "aria-label": q.recipe.name },
    h("h2", {}, h("span", { class: "mono" }, q.recipe.name), q.scales.length > 1 && h("span", { class: "dim" }, ` block ${q.at + 1} of ${q.scales.length}`)), h("p", { class: "dim" }, q.recipe.about, " ", more(q.recipe.name, "More about this recipe")),
    h("table", { class: "lines mono" }, h("thead", { class: "unseen" }, h("tr", {}, h("th", {}, "line"), h("th", {}, "bits"), h("th", {}, "value"))),
      h("tbody", {}, ...lines.map(row),
        element && h("tr", { class: "rule" }, h("td", {}, `x, element ${at + 1}`), h("td", { class: "dim" }, ""), h("td", { class: "number" }, element.x)),
        ...q.element_steps.map(row),
        element && h("tr", {}, h("td", {}, q.recipe.dequantize.join("; ")), h("td", { class: "dim" }, ""), h("td", { class: "number" }, element.back)))),
    q.seed !== null && h("p", { class: "dim" }, "The random bits are those of ", h("code", {}, `--seed ${q.seed}`), " in the command."),
    q.rows > 1 && h("p", { class: "dim" }, `${q.rows} rows of ${q.elements.length / q.rows} numbers.`),
    q.rows === 1 && q.recipe.block[0] > 1 && h("p", { class: "dim" }, "The numbers fill each square row by row."),
    q.padded > 0 && h("p", { class: "dim" }, `Filled up with ${q.padded} zeros: a block has ${q.recipe.block.join("×")} elements.`),
    q.given > q.elements.length && h("p", { class: "dim" }, `The first ${q.elements.length} of ${q.given} numbers, as if they were all.`));
}
