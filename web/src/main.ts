// The frame of the page: the menus of views and machines, and the view that the address names.
import { convertView } from "./convert";
import { fill, h, menu } from "./dom";
import { formatsView } from "./formats";
import { legalityView } from "./legality";
import { convert, evalLine, start, tables } from "./library";
import { ptxView } from "./ptx";
import { quantizeView } from "./blocks";
import { address, onChange, set, state, value } from "./state";

const VIEWS: Record<string, [string, (root: HTMLElement) => void]> = {
  convert: ["Convert", convertView],
  formats: ["Formats", formatsView],
  legality: ["Legality", legalityView],
  ptx: ["PTX", ptxView],
  blocks: ["Blocks", quantizeView],
};

const content = document.getElementById("content") as HTMLElement;

function show(): void {
  const view = state().view in VIEWS ? state().view : "convert";
  state().view = view;
  const known: [string, string[]][] = [["target", tables().targets.map((t) => t.name)], ["isa", tables().versions]];
  for (const [name, all] of known) if (value(name) && !all.includes(value(name))) set({ [name]: "" });
  const machine: [string, string][] = [["target", value("target")], ["isa", value("isa")]];
  const links = Object.entries(VIEWS).map(([name, [label]]) =>
    h("a", { href: address(name, machine), "aria-current": name === view && "page" }, label));
  fill(document.getElementById("views") as HTMLElement, ...links);
  const any: [string, string] = ["", "any"];
  const chosen = (name: string) => (to: string) => {
    set({ [name]: to });
    show();
  };
  fill(
    document.getElementById("machine") as HTMLElement,
    menu("Target", [any, ...tables().targets.map((t) => t.name)], value("target"), chosen("target")),
    menu("ISA", [any, ...tables().versions.toReversed()], value("isa"), chosen("isa")),
  );
  document.title = `${VIEWS[view]?.[0]} · ptxcvt`;
  fill(content);
  VIEWS[view]?.[1](content);
}

await_(start()).then(() => {
  onChange(show);
  show();
  performance.mark("answered");
  // For the browser's console and the tests: the output of `ptxcvt eval -` and of `ptxcvt eval`.
  const ask = (opcode: string, operands: string[]) => convert(opcode, operands, "", "");
  Object.assign(globalThis, {
    ptxcvt: {
      evalLine,
      explain: (opcode: string, ...operands: string[]) => ask(opcode, operands).account,
      widths: (opcode: string) => ask(opcode, []).operands.map((operand) => operand.width),
    },
  });
});

/** Shows a failure to start in place of the view. */
async function await_(started: Promise<void>): Promise<void> {
  try {
    await started;
  } catch (error) {
    fill(content, h("p", { role: "alert" }, `The library could not be started: ${String(error)}`));
    throw error;
  }
}
