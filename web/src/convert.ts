// One conversion: the instruction, its operands as bits, its result, and how each element was rounded.
import { BitRow, legend, shownBits } from "./cells";
import { InstructionBox } from "./combobox";
import { copyButton, fill, h, picture } from "./dom";
import { complete, convert, snippets, type Conversion, type Operand } from "./library";
import { address, set, value } from "./state";

/** The example of a page that is opened without an address. */
const EXAMPLE = "cvt.rn.satfinite.e4m3x2.f32";
const OPERANDS = ["a", "b", "c", "d", "e", "f"];

export function convertView(root: HTMLElement): void {
  const machine = () => [value("target"), value("isa")] as const;
  let rows: OperandRow[] = [];
  let shape = "";

  const box = new InstructionBox((text) => complete(text, ...machine()), (text) => typed(text));
  box.input.value = value("op", EXAMPLE);
  const verdict = h("div", { id: "verdict" });
  const answer = h("p", { class: "answer", "aria-live": "polite" });
  const operands = h("section", { "aria-label": "Operands", class: "operands" });
  const result = h("section", { "aria-label": "Result", class: "result" });
  const elements = h("section", { "aria-label": "Elements", class: "elements" });
  const where = h("section", { "aria-label": "Where it is legal" });
  const take = h("section", { "aria-label": "Copy" });
  fill(root,
    h("h1", { class: "unseen" }, "Convert"),
    h("div", { class: "instruction" }, h("label", { for: "instruction", class: "unseen" }, "Instruction"), box.element, verdict, answer),
    operands, result, elements, where, take);

  /** Applies typed text: an opcode, followed by operands as in the command if there are any. */
  function typed(text: string): void {
    const [opcode = "", ...rest] = text.trim().replace(/;$/, "").split(/\s+/);
    const numbers = rest.map((word) => word.replace(/,$/, "")).filter((word) => /^[-+.\d]|^(inf|nan)/i.test(word));
    const changes: Record<string, string> = { op: opcode };
    numbers.forEach((number, at) => (changes[OPERANDS[at] ?? "f"] = number));
    set(changes);
    update();
  }

  function change(at: number, text: string): void {
    set({ [OPERANDS[at] ?? "f"]: text });
    update();
  }

  function update(): void {
    const opcode = value("op", EXAMPLE);
    const texts = OPERANDS.map((name) => value(name));
    const said = convert(opcode, texts, ...machine());
    box.underline(box.input.value.startsWith(opcode) ? said.marks : []);
    fill(verdict, ...judge(said, (fix) => {
      box.input.value = fix;
      typed(fix);
      box.input.focus();
    }));
    for (const part of [operands, result, elements, where, take]) part.hidden = !said.form;
    fill(answer);
    const done = said.evaluation;
    if (!done) return;
    const names = said.operands.map((o) => `${o.name}${o.ty}${o.width}`).join();
    if (names !== shape) {
      rows = said.operands.map((operand, at) => new OperandRow(operand, (text) => change(at, text)));
      fill(operands, ...rows.map((row) => row.element));
      shape = names;
    }
    rows.forEach((row, at) => row.update(said.operands[at] as Operand, said));
    fill(answer, h("strong", {}, `d = ${done.result}`), ...done.elements.map((e) =>
      h("span", {}, h("span", { class: "dim" }, `${e.part} `), e.value, " ", h("span", { class: `outcome ${e.outcome}` }, e.outcome.replace("-", " ")))));
    showResult(result, said);
    fill(elements, ...done.elements.map((element, lane) => {
      const drawing = said.drawings[lane];
      return h("article", {},
        h("h2", {}, h("span", { class: "dim" }, `${element.part} ← ${element.operand}`), ` ${element.value}`),
        h("p", { class: "dim" }, `${element.result} ${drawing?.format}, from ${element.source} = ${element.source_value} ${drawing?.source_format}`),
        h("ul", { class: "steps" }, ...(drawing?.steps ?? []).map((step) => h("li", {}, step))),
        drawing?.svg ? picture(drawing.svg, `Rounding of ${element.part || element.operand}`, "close") : h("p", { class: "dim" }, "No place on a number line."));
    }));
    showWhere(where, said);
    showCopies(take, said, machine());
  }
  update();
}

/** Shows what is wrong, with buttons that insert a legal form. */
function judge(said: Conversion, apply: (opcode: string) => void): Node[] {
  if (said.legal) {
    const place = [value("target") && `on ${value("target")}`, value("isa") && `at ISA ${value("isa")}`].filter(Boolean).join(" ");
    const known = said.announced ? "known from the manual only" : place ? `legal ${place}` : "legal";
    return [h("p", { class: "good" }, `${known}: ${said.opcode.split(".")[0]} ${said.syntax}`)];
  }
  const seen = new Set<string>();
  const lines = said.problems.map(({ code, message }, at) => {
    const help = said.marks[at]?.help;
    const line = h("p", { class: "bad" }, h("a", { href: `#ptx?code=${code}`, class: "code" }, code), ` ${message}`);
    if (help && !seen.has(help)) line.append(h("span", { class: "help" }, ` — ${help}`));
    seen.add(help ?? "");
    return line;
  });
  const fixes = said.nearest.map((form) => h("button", { type: "button", class: "fix", onclick: () => apply(form) }, form));
  return fixes.length ? [...lines, h("p", { class: "fixes" }, h("span", { class: "dim" }, "write "), ...fixes)] : lines;
}

/** An operand as cells, as hexadecimal digits and as numbers; a change of one updates the others. */
class OperandRow {
  readonly element: HTMLElement;
  private hex: HTMLInputElement;
  private number: HTMLInputElement;
  private bits: BitRow;
  private error: HTMLElement;
  private legend: HTMLElement;

  constructor(private operand: Operand, changed: (text: string) => void) {
    const width = BigInt(operand.width);
    const hex = (bits: bigint) => `0x${BigInt.asUintN(Number(width), bits).toString(16).padStart(Math.ceil(operand.width / 4), "0")}`;
    const field = (label: string) => h("input", {
      type: "text", "aria-label": `${operand.name}, ${label}`, autocomplete: "off", spellcheck: "false",
    });
    this.hex = field("hexadecimal");
    this.number = field(operand.name === "scale-factor" ? "scale" : "number");
    this.hex.classList.add("hex");
    this.hex.style.setProperty("--digits", String(2 + Math.ceil(operand.width / 4)));
    this.hex.addEventListener("input", () => changed(/^0x/i.test(this.hex.value.trim()) ? this.hex.value : `0x${this.hex.value.trim()}`));
    this.number.addEventListener("input", () => changed(this.number.value.trim()));
    for (const input of [this.hex, this.number]) {
      input.addEventListener("keydown", (event) => {
        const step = { ArrowUp: 1n, ArrowDown: -1n }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        changed(hex(BigInt(this.operand.bits) + step));
      });
    }
    this.bits = new BitRow(operand.name, (bits) => changed(hex(bits)));
    this.error = h("p", { class: "bad", role: "alert" });
    this.legend = h("div");
    this.element = h("div", { class: "operand" },
      h("h2", {}, operand.name, " ", h("span", { class: "dim" }, operand.ty ? `.${operand.ty}` : operand.register)),
      h("div", { class: "fields" }, this.hex, this.number), this.error, this.bits.element, this.legend);
  }

  update(operand: Operand, said: Conversion): void {
    this.operand = operand;
    const active = document.activeElement;
    // The field that has the focus keeps its text.
    if (active !== this.hex || operand.error === null && BigInt(operand.bits) !== parsed(this.hex.value)) this.hex.value = operand.bits;
    if (active !== this.number) this.number.value = operand.value.replaceAll(", ", ",");
    this.error.textContent = operand.error ? `${operand.name}: ${operand.error}` : "";
    for (const input of [this.hex, this.number]) input.setAttribute("aria-invalid", String(operand.error !== null));
    this.bits.update(operand.bits, operand.width, operand.cells);
    const several = new Set(operand.cells.map((c) => c.lane)).size > 1;
    fill(this.legend, legend(operand.cells, (lane) => several ? `${said.evaluation?.elements[lane]?.part ?? ""}:` : null));
  }
}

function parsed(text: string): bigint | null {
  try {
    return BigInt(/^0x/i.test(text) ? text : `0x${text}`);
  } catch {
    return null;
  }
}

/** Shows the destination register; each lane is labelled with its operand. */
function showResult(root: HTMLElement, said: Conversion): void {
  const { evaluation: done, destination: d } = said;
  if (!done || !d) return;
  const { elements } = done;
  const lanes = elements.map((e) =>
    h("span", {}, `${e.part} ← ${e.operand} `, h("b", {}, e.value)));
  fill(root,
    h("h2", {}, "d ", h("span", { class: "dim" }, d.register)),
    h("p", { class: "fields" }, h("output", { class: "hex" }, done.result), h("output", {}, String(BigInt(done.result))), copyButton("copy", () => done.result)),
    shownBits("d", done.result, done.width, d.cells),
    legend(d.cells, (lane) => elements.length > 1 ? `${elements[lane]?.part} ← ${elements[lane]?.operand}:` : null),
    elements.length > 1 && h("p", { class: "unseen" }, ...lanes));
}

/** Shows the targets that accept the form, by their first version. */
function showWhere(root: HTMLElement, said: Conversion): void {
  const rows = said.since.map(({ isa, targets }) =>
    h("tr", {}, h("th", { scope: "row" }, isa), h("td", {}, targets.join(" "))));
  fill(root, h("h2", {}, "From which ISA version on"), h("table", { class: "where" }, h("tbody", {}, ...rows)),
    h("p", {}, h("a", { href: address("legality", [["q", said.opcode.split(".").slice(-2).join(" ")], ["target", value("target")], ["isa", value("isa")]]) }, "all forms of these types")));
}

const TAKES: [string, keyof ReturnType<typeof snippets>][] = [
  ["PTX", "ptx"], ["C++", "cpp"], ["Rust", "rust"], ["Python", "python"], ["Command", "command"],
];

function showCopies(root: HTMLElement, said: Conversion, machine: readonly [string, string]): void {
  const all = snippets(said.opcode, said.operands.map((operand) => operand.bits), ...machine);
  const chosen = TAKES.find(([, key]) => key === value("as")) ?? TAKES[0];
  if (!chosen) return;
  const text = String(all[chosen[1]]).trimEnd();
  const tabs = TAKES.map(([label, key]) =>
    h("button", {
      type: "button", "aria-pressed": String(key === chosen[1]), onclick: () => {
        set({ as: key });
        showCopies(root, said, machine);
        root.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
      },
    }, label));
  fill(root, h("h2", {}, "Copy as"),
    h("div", { class: "tabs", role: "group", "aria-label": "As" }, ...tabs, copyButton("copy", () => text), copyButton("copy link", () => location.href)),
    chosen[1] === "cpp" && all.lowered && h("p", { class: "dim" }, `${machine[0]} lacks the form; this computes it with other instructions.`),
    h("pre", { tabindex: "0", "aria-label": chosen[0] }, text));
}
