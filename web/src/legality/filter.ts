// Which forms the filters leave.
import { convert, legal, legality, type Legality } from "../library";
import { value } from "../state";

export type Form = Legality["forms"][number];

/** For each form the index of the first version by target. */
let indexes: Map<Form, Map<string, number>> | undefined;

/** The first version as the index in the list of all, or -1 if the target never accepts the form. */
export function since(form: Form, target: string): number {
  indexes ??= new Map(legality().forms.map((one) =>
    [one, new Map(Object.entries(one.since).map(([name, version]) => [name, versionIndex(version)]))]));
  return indexes.get(form)?.get(target) ?? -1;
}

let known: Map<string, number> | undefined;
const order = () => (known ??= new Map(legality().versions.map((version, at) => [version, at])));
export const versionIndex = (version: string) => order().get(version) ?? -1;

let rows: Map<Form, number> | undefined;
const row = (form: Form) => (rows ??= new Map(legality().forms.map((one, at) => [one, at]))).get(form) ?? -1;
/** The verdicts of the library by target and version. */
const verdicts = new Map<string, Uint8Array>();

/** True if the form is legal on the target at the version; at any version if there is none of that name. */
export function isLegal(form: Form, target: string, isa: string): boolean {
  const name = `${target} ${isa}`;
  const all = verdicts.get(name) ?? legal(target, versionIndex(isa) < 0 ? "" : isa);
  verdicts.set(name, all);
  return all[row(form)] === 1;
}

/** The forms that the filters of the address leave, grouped by destination and source. */
export function filter(forms: Form[], pinned: string[], isa: string): Form[] {
  const words = value("q").toLowerCase().split(/[\s,]+/).filter(Boolean);
  const [to, from, part] = [value("to"), value("from"), value("with")];
  const everywhere = Object.keys(legality().targets).length;
  const found = forms.filter((form) => {
    const parts = form.opcode.split(".");
    const is = (word: string) => parts.includes(word.replace(/^\./, "")) || form.opcode.includes(word);
    const narrowed = words.length > 0 || to || from || part || value("all") === "1" || value("diff") === "1";
    return (!to || form.destination === to) && (!from || form.source === from) && (!part || parts.includes(part))
      && words.every((word) => word.startsWith("-") ? !parts.includes(word.slice(1).replace(/^\./, "")) : is(word))
      && (narrowed || Object.keys(form.since).length < everywhere)
      && (value("here") !== "1" || !pinned[0] || isLegal(form, pinned[0], isa))
      && (value("diff") !== "1" || pinned.length < 2 || pinned.some((target) => isLegal(form, target, isa) !== isLegal(form, pinned[0] ?? "", isa)));
  });
  const groups = new Map<string, Form[]>();
  for (const form of found) {
    const name = group(form);
    const known = groups.get(name);
    if (known) known.push(form);
    else groups.set(name, [form]);
  }
  return [...groups.values()].flat();
}

export const group = (form: Form) => `${form.source} → ${form.destination}`;

/** The forms nearest to an opcode, or those with the most of some words. */
export function nearest(forms: Form[], text: string): Form[] {
  const conversion = text.trim().startsWith("cvt") ? convert(text.trim().split(/\s/)[0] ?? "", [], "", "") : null;
  const opcodes = new Set(conversion?.nearest ?? []);
  if (opcodes.size > 0) return forms.filter((form) => opcodes.has(form.opcode));
  const words = text.toLowerCase().split(/[\s,.]+/).filter((word) => word && !word.startsWith("-"));
  const score = (form: Form) => words.filter((word) => form.opcode.split(".").includes(word)).length;
  const best = Math.max(0, ...forms.map(score));
  return best > 0 ? forms.filter((form) => score(form) === best).slice(0, 3) : [];
}
