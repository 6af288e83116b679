// Which forms the filters leave.
import { legal, legality, matching, type Legality } from "../library";
import { value } from "../state";

export type Form = Legality["forms"][number];

/** For each target the first version of each form. */
const columns = new Map<string, Int16Array>();

/** By `place`, the first version as the index in the list of all, or -1 if the target never accepts the form. */
export function since(target: string): Int16Array {
  const known = columns.get(target) ?? Int16Array.from(legality().forms, (form) => versionIndex(form.since[target] ?? ""));
  columns.set(target, known);
  return known;
}

let known: Map<string, number> | undefined;
const order = () => (known ??= new Map(legality().versions.map((version, at) => [version, at])));
export const versionIndex = (version: string) => order().get(version) ?? -1;

let rows: Map<Form, number> | undefined;
/** The place of a form in the list of all. */
export const place = (form: Form) => (rows ??= new Map(legality().forms.map((one, at) => [one, at]))).get(form) ?? -1;
/** The verdicts of the library by target and version. */
const verdicts = new Map<string, Uint8Array>();

/** By `place`, 1 for a form that is legal on the target at the version; at any version if there is none of that name. */
export function verdict(target: string, isa: string): Uint8Array {
  const name = `${target} ${isa}`;
  const all = verdicts.get(name) ?? legal(target, versionIndex(isa) < 0 ? "" : isa);
  verdicts.set(name, all);
  return all;
}

let common: Set<Form> | undefined;
/** True if every target accepts the form. */
function isEverywhere(form: Form): boolean {
  const { forms, targets } = legality();
  return (common ??= new Set(forms.filter((one) => targets.every((target) => one.since[target] !== undefined)))).has(form);
}

/** The forms that the filters of the address leave, grouped by destination and source. */
export function filter(forms: Form[], pinned: string[], isa: string): Form[] {
  const [words, to, from, part] = [value("q"), value("to"), value("from"), value("with")];
  const narrowed = /[^\s,]/.test(words) || to || from || part || value("all") === "1" || value("diff") === "1";
  const admitted = matching(words, to, from, part);
  const judged = pinned.map((target) => verdict(target, isa));
  const [first] = judged;
  const here = value("here") === "1" && first;
  const differing = value("diff") === "1" && judged.length > 1 && first;
  const found = forms.filter((form) => {
    const at = place(form);
    return admitted[at] === 1 && (narrowed || !isEverywhere(form)) && (!here || here[at] === 1)
      && (!differing || judged.some((one) => one[at] !== differing[at]));
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
