// Which forms the filters leave.
import { legal, legality, matching, type Legality } from "../library";
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
  const [words, to, from, part] = [value("q"), value("to"), value("from"), value("with")];
  const narrowed = /[^\s,]/.test(words) || to || from || part || value("all") === "1" || value("diff") === "1";
  const everywhere = Object.keys(legality().targets).length;
  const admitted = matching(words, to, from, part);
  const found = forms.filter((form) => admitted[row(form)] === 1
    && (narrowed || Object.keys(form.since).length < everywhere)
    && (value("here") !== "1" || !pinned[0] || isLegal(form, pinned[0], isa))
    && (value("diff") !== "1" || pinned.length < 2 || pinned.some((target) => isLegal(form, target, isa) !== isLegal(form, pinned[0] ?? "", isa))));
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
