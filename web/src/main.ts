// The frame of the page: the menus of views and machines, and the view that the address names.
import { blocksView } from "./blocks/view";
import { convertView } from "./convert/view";
import { fill, h, Menu, prose, type View } from "./dom";
import { formatsView } from "./formats/view";
import { frame } from "./frame";
import { legalityView } from "./legality/view";
import { ptxView } from "./later";
import { convert, machineError, start, tables, version } from "./library";
import { part } from "./part";
import { addressOf, isDamaged, linkFaults, load, onChange, set, value, viewName } from "./state";
import { unpack } from "./unpack";

/** The views: label, maker, and whether the target and the ISA version matter there. */
const VIEWS = new Map<string, [string, () => View, boolean]>([
  ["convert", ["Convert", convertView, true]],
  ["formats", ["Formats", formatsView, false]],
  ["legality", ["Legality", legalityView, true]],
  ["ptx", ["PTX", ptxView, true]],
  ["blocks", ["Blocks", blocksView, false]],
]);

const content = document.getElementById("content") as HTMLElement;
/** What is shown until there is a view, so that nothing moves. */
const loading = document.getElementById("loading") as HTMLElement;
const machine = document.getElementById("machine") as HTMLElement;
const problem = document.getElementById("problem") as HTMLElement;
const made = new Map<string, View>();

const chosen = (name: string) => (to: string) => {
  set({ [name]: to });
  show();
};
const target = new Menu("Target", chosen("target"));
const isa = new Menu("ISA", chosen("isa"));
const links = new Map([...VIEWS].map(([name, [label]]) => {
  // Updates the address just before the link is opened, also in another tab.
  const aim = () => (link.href = addressOf(name));
  const link: HTMLAnchorElement = h("a", { href: `#${name}`, onclick: aim, onpointerdown: aim, onfocus: aim }, label);
  return [name, link];
}));

let shown = "";

/** Shows the menus of the machine, and what is wrong with the address, which the next change corrects. */
function showFrame(name: string): void {
  const any: [string, string] = ["", "any"];
  target.update([any, ...tables().targets.map((t) => t.name)], value("target"));
  isa.update([any, ...tables().versions.toReversed()], version(value("isa")));
  for (const [view, link] of links) {
    link.href = addressOf(view);
    if (view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const error = machineError(value("target"), value("isa"));
  const [, , matters] = VIEWS.get(name) ?? [];
  machine.hidden = !matters && !error;
  const unknown = VIEWS.has(name) ? "" : `\u201c${name.slice(0, 40)}\u201d is not a view of this page.`;
  const cut = isDamaged() ? "This link is damaged: a part of it is missing or was changed. Ask for it again." : "";
  const text = unknown || cut || [error && `${error}. Choose one in the menu above.`, ...linkFaults()].filter(Boolean).join(" ");
  problem.hidden = !text;
  if (text !== shown) fill(problem, ...prose(text));
  shown = text;
}

function show(): void {
  const name = viewName();
  showFrame(name);
  const entry = VIEWS.get(name);
  if (!entry) {
    document.title = "ptxcvt";
    fill(content, h("h1", { class: "unseen" }, "ptxcvt"), h("p", {}, "Views: ", ...[...VIEWS].flatMap(([view, [label]]) => [h("a", { href: `#${view}` }, label), " "])));
    return;
  }
  document.title = `${entry[0]} · ptxcvt`;
  let view = made.get(name);
  if (!view) made.set(name, (view = entry[1]()));
  if (content.firstChild !== view.element || content.childNodes.length !== 1) fill(content, view.element);
  view.show();
}

async function begin(): Promise<void> {
  // A failure is reported by the view, which asks again.
  if (viewName() === "ptx") part().catch(() => {});
  try {
    await start(await unpack());
  } catch (error) {
    fill(loading, h("span", { role: "alert" }, `The library could not be started: ${String(error)}`));
    throw error;
  }
  await load();
  loading.remove();
  content.hidden = false;
  fill(document.getElementById("views") as HTMLElement, ...links.values());
  fill(machine, target.element, isa.element);
  frame();
  onChange(show);
  addEventListener("machine", () => showFrame(viewName()));
  show();
  await made.get(viewName())?.ready;
  performance.mark("answered");
  // For the browser's console and the tests: the result and the output of `ptxcvt eval`.
  const ask = (opcode: string, operands: string[]) => convert(opcode, operands, "", "");
  Object.assign(globalThis, {
    ptxcvt: {
      result: (opcode: string, ...operands: string[]) => ask(opcode, operands).evaluation?.result,
      explain: (opcode: string, ...operands: string[]) => ask(opcode, operands).account,
      widths: (opcode: string) => ask(opcode, []).operands.map((operand) => operand.width),
    },
  });
}

void begin();
