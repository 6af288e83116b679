// One conversion: the instruction, its operands as bits, its result, and how each element was rounded.
import { afterPaint, counted, fill, h, hold, prose, type View } from "../dom";
import { complete, convert, drawing, machineError, operandNames, type Completion, type Conversion, type Operand, type Understood } from "../library";
import { LETTERS, OPERANDS } from "../parts";
import { addressOf, isGiven, reword, set, value, written } from "../state";
import { InstructionBox } from "./box";
import { showCopies } from "./copies";
import { EXAMPLES, intro } from "./examples";
import { understood as meant } from "./foreign";
import { showLowering } from "./lowering";
import { FormMenus } from "./menus";
import { OperandRow } from "./operand";
import { showElements, showRegister, showWhere } from "./result";
import { verdict } from "./verdict";
import { Words } from "./words";

/** The example of a page that is opened without an address. */
const EXAMPLE = "cvt.rn.satfinite.e4m3x2.f32";

/** The names of the operands of the first of these opcodes that is a form; if none is, those that most forms have. */
const namesOf = (...opcodes: string[]) => opcodes.map(operandNames).find((names) => names.length > 0) ?? OPERANDS;

/** The operands of an opcode: those in the text of the box, then those of the fields; null where there is neither. */
function operandsOf(understood: Understood, opcode = understood.opcode): (string | null)[] {
  return namesOf(opcode).map((name, at) => understood.operands[at] ?? written(name) ?? null);
}

/** Gives the operands of an older link the names that PTX has for them. */
function readLetters(): void {
  const names = operandNames(meant(written("op", EXAMPLE)).opcode);
  if (!["c", "d"].some((letter) => isGiven(letter) && !names.includes(letter))) return;
  const letters = LETTERS.slice(0, names.length).filter(isGiven);
  const named = letters.map((letter): [string, string] => [names[LETTERS.indexOf(letter)] ?? letter, written(letter, "")]);
  reword({ ...Object.fromEntries(letters.map((letter) => [letter, null])), ...Object.fromEntries(named) });
}

export function convertView(): View {
  /** What is wrong with the target and the version; the frame says it, too. */
  const wrong = () => machineError(value("target"), value("isa"));
  /** No result depends on the target: an unknown one is as good as none. */
  const machine = () => wrong() ? ["", ""] as const : [value("target"), value("isa")] as const;
  let rows: OperandRow[] = [];
  let shape = "";
  /** The inputs of the result that is shown. */
  let good = "";
  /** The form and the machine that the menus and the tables show. */
  let placed = "";
  const later = afterPaint();
  /** The first result is shown whole. */
  let first = true;
  /** The inputs have no result. */
  let lacksResult = true;
  /** The elements and the texts to copy of the result are shown after the next paint; until then nothing of them can be copied. */
  let pending = false;

  const box = new InstructionBox((text) => complete(text, ...machine()), (text, by) => {
    set({ op: text.trim() }, by);
    update();
  });
  const judged = h("div", { id: "verdict" });
  const words = new Words();
  const menus = new FormMenus(write);
  const answer = h("p", { class: "answer mono", "aria-live": "polite" });
  const stale = h("p", { class: "outdated", role: "status", hidden: true });
  const operands = h("section", { "aria-label": "Operands", class: "operands" });
  const surplus = h("p", { class: "bad", role: "alert" });
  const register = h("section", { "aria-label": "Result", class: "result" });
  const elements = h("section", { "aria-label": "Elements" });
  const lowering = h("section", { "aria-label": "Lowering", hidden: true });
  const where = h("section", { "aria-label": "Where it is legal" });
  const copies = h("section", { "aria-label": "Copy" });
  const results = [answer, register, elements, copies];
  const element = h("div", { class: "convert" },
    h("h1", { class: "unseen" }, "Convert"),
    intro((example) => {
      const target = example["target"] ?? (isExample("target") ? "" : value("target"));
      set({ ...Object.fromEntries(OPERANDS.map((name) => [name, null])), ...example, target });
      dispatchEvent(new Event("machine"));
      show();
    }),
    h("div", { class: "instruction" }, h("label", { for: "instruction", class: "unseen" }, "Instruction"), box.element,
      judged, box.offers, surplus, words.element, menus.element, stale, answer),
    operands, register, elements, lowering, where, copies);

  /** True if the target was chosen by an example, which the next example may undo. */
  function isExample(name: string): boolean {
    return EXAMPLES.some(({ values }) => values[name] && values["op"] === value("op") && values[name] === value(name));
  }

  /** The operands in the text of the box as values of the fields, which stay when the text changes to an opcode. */
  function taken(to: string): Record<string, string> {
    const { operands, opcode } = meant(box.input.value.trim());
    const names = namesOf(opcode, to);
    return Object.fromEntries(operands.flatMap((text, at) => (text === null || !names[at] ? [] : [[names[at], text]])));
  }

  /** Replaces the text of the box by an opcode; its operands move to the fields. */
  function write(opcode: string): void {
    set({ ...taken(opcode), op: opcode });
    box.input.value = opcode;
    update();
  }

  function update(): void {
    const text = written("op", EXAMPLE);
    const understood = meant(text, update);
    const { opcode, at, meaning, problem } = understood;
    const answered = convert(opcode, operandsOf(understood), ...machine());
    // A text that is not one conversion has no result, even if a part of it is an opcode.
    const conversion = problem ? { ...answered, evaluation: null } : answered;
    const offset = at === null ? null : box.input.value.indexOf(opcode);
    const next = conversion.form || problem || text.trim() !== opcode ? [] : continuations(opcode);
    box.underline(next.length > 0 ? [] : conversion.marks ?? [], offset !== null && offset >= 0 ? offset : null);
    if (next.length > 0) showUnfinished(next, conversion.nearest);
    else showVerdict(text, understood, conversion, meaning);
    document.title = `${conversion.form ? conversion.opcode : "Convert"} · ptxcvt`;
    const ready = conversion.form;
    const [nearest] = opcode ? conversion.nearest : [];
    // A page that begins with what is not a form shows the nearest one, greyed out.
    if (!ready && good === "" && nearest) showForm(convert(nearest, operandsOf(understood, nearest), ...machine()));
    words.element.hidden = menus.element.hidden = !ready;
    const names = conversion.operands.map(({ name }) => name);
    const unused = ready ? [...new Set([...OPERANDS, ...LETTERS])].filter((name) => isGiven(name) && !names.includes(name)) : [];
    const given = unused.map((name) => `\`${name}=${value(name)}\``);
    fill(surplus, ...prose(given.length > 0 ? `${conversion.opcode} takes ${counted(names.length, "operand")}, ${names.map((name) => `\`${name}\``).join(", ")}: ${given.join(" and ")} of this link ${given.length > 1 ? "are" : "is"} not used.` : ""));
    if (ready) {
      words.update(conversion, opcode);
      showForm(conversion);
    } else placed = "";
    lacksResult = !conversion.evaluation;
    outdated(conversion);
  }

  function showForm(conversion: Conversion): void {
    showOperands(conversion);
    const place = [conversion.opcode, ...machine()].join(" ");
    if (place !== placed) {
      menus.update(conversion.menus);
      showWhere(where, conversion);
      showLowering(lowering, conversion);
    }
    placed = place;
    if (conversion.evaluation) showResults(conversion);
  }

  /** The parts that may follow an opcode, or end its last word; nothing where it is finished or wrong. */
  function continuations(opcode: string): Completion[] {
    if (opcode.endsWith(".")) return complete(opcode, ...machine());
    const ends = complete(opcode, ...machine()).filter((end) => end.opcode.startsWith(opcode));
    // A whole last word goes on with the next one, if that follows at the end.
    const isWhole = opcode === "cvt" || opcode === "cvt.pack" || ends.some((end) => end.opcode === opcode);
    const next = isWhole ? complete(`${opcode}.`, ...machine()) : ends;
    return opcode.includes(".") || isWhole ? next.filter((one) => one.opcode.startsWith(opcode)) : [];
  }

  function showUnfinished(next: Completion[], nearest: string[]): void {
    const kinds = [...new Set(next.map(({ kind }) => kind))];
    const button = (label: string, to: string) => h("button", {
      type: "button", class: "fix", onclick: () => {
        write(to);
        box.input.focus();
      },
    }, label);
    fill(judged, h("p", { class: "dim" }, `Not finished: continue with ${kinds.map((kind) => `a ${kind}`).join(" or ")}.`), h("p", { class: "fixes" }, ...next.slice(0, 12).map(({ name, opcode, whole }) => button(`.${name}`, whole ? opcode : `${opcode}.`))),
      nearest.length > 0 && h("p", { class: "fixes" }, h("span", { class: "dim" }, "whole forms "), ...nearest.map((form) => button(form, form))));
  }

  function showVerdict(text: string, { opcode, problem, steps, recipes, numbers }: Understood, conversion: Conversion, meaning: string | null): void {
    const fix = (form: string) => {
      write(form);
      box.input.focus();
    };
    const form = (name: string) => h("button", { type: "button", class: "fix", onclick: () => fix(name) }, name);
    if (!text.trim()) fill(judged, h("p", { class: "dim" }, "Type an opcode, ", h("code", {}, "f32 to e4m3"), ", ", h("code", {}, "1.5 to e4m3"), ", ", h("code", {}, "e4m3 0x7e"), " or ", h("code", {}, "nvfp4"), "."));
    else if (recipes.length > 0) {
      const toBlocks = (name: string) => h("a", { class: "fix link", href: addressOf("blocks", { r: name, ...(numbers ? { x: numbers, at: "0" } : {}) }) }, name);
      fill(judged, problem && h("p", { class: "bad", role: "alert" }, ...prose(`${problem}.`)), h("p", {}, ...prose(`${meaning ?? ""}. See in Blocks what it does:`)), h("p", { class: "fixes" }, ...recipes.map(toBlocks)));
    } else if (problem && !opcode) fill(judged, h("p", { class: "bad" }, ...prose(`${problem}${steps.length ? ":" : "."}`)), steps.length > 0 && h("p", { class: "fixes" }, ...steps.map(form)));
    else {
      fill(judged, meaning && h("p", { class: "dim" }, `Understood as ${meaning}: `, h("code", {}, opcode)),
        problem && h("p", { class: "bad", role: "alert" }, ...prose(`${problem}.`)), ...verdict(conversion, wrong(), fix));
    }
  }

  function showOperands(conversion: Conversion): void {
    const names = conversion.operands.map((o) => `${o.name}${o.ty}${o.width}`).join();
    if (names !== shape) {
      rows = conversion.operands.map((operand, at) => new OperandRow(operand, conversion.opcode, at, (text, by) => {
        // Operands in the box would contradict the field.
        const moved = taken(conversion.opcode);
        const op = Object.keys(moved).length > 0 ? { op: (box.input.value = conversion.opcode) } : {};
        set({ ...moved, ...op, [operand.name]: text }, by);
        update();
      }));
      fill(operands, ...rows.map((row) => row.element));
      shape = names;
    }
    rows.forEach((row, at) => row.update(conversion.operands[at] as Operand, conversion));
  }

  /** Greys the last result out while the inputs have none, and says whose it is. */
  function outdated(conversion: Conversion): void {
    stale.hidden = !lacksResult || good === "";
    stale.textContent = lacksResult && good ? `The result below belongs to ${good}` : "";
    greyOut();
    for (const part of [operands, where]) {
      part.classList.toggle("stale", !conversion.form);
      part.toggleAttribute("inert", !conversion.form);
      part.hidden = !conversion.form && good === "";
    }
    if (!conversion.form) lowering.hidden = true;
  }

  /** Greys out what is of other inputs than the fields have. */
  function greyOut(): void {
    for (const part of results) {
      part.classList.toggle("stale", lacksResult);
      part.toggleAttribute("inert", lacksResult || pending && (part === elements || part === copies));
      part.hidden = lacksResult && good === "";
    }
  }

  function showResults(conversion: Conversion): void {
    const done = conversion.evaluation;
    if (!done) return;
    const bits = conversion.operands.map((operand) => operand.bits ?? "");
    good = [conversion.opcode, ...conversion.operands.map((operand) => operand.value.replaceAll(", ", ","))].join(" ");
    fill(answer, h("strong", {}, `d = ${done.result}`), ...done.elements.map((e, lane) =>
      h("span", {}, h("span", { class: "dim" }, `${e.part} `), e.value, " ", h("span", { class: `outcome ${e.outcome}` }, conversion.drawings[lane]?.outcome))));
    showRegister(register, conversion);
    const rest = () => {
      showElements(elements, conversion, () => drawing(conversion.opcode, bits));
      showCopies(copies, conversion, machine());
      pending = false;
      greyOut();
    };
    pending = !first;
    if (first) rest();
    else later(rest);
    first = false;
  }

  function show(): void {
    readLetters();
    hold(box.input, written("op", EXAMPLE));
    update();
  }
  return { element, show };
}
