// The parts of links: their names in each view, and what is wrong with those of a link.
import { KINDS } from "./convert/kinds";

/** The names of the operands of all forms, as PTX has them. */
export const OPERANDS = ["a", "b", "e", "f", "c", "rbits", "scale-factor"];
/** The names in older links: letters in the order of the operands, whatever these are called. */
export const LETTERS = ["a", "b", "c", "d", "e", "f"];
/** What all views share. */
export const SHARED = ["target", "isa"];
/** The name of all values together, compressed. */
export const PACKED = "z";
/** Says that the page left a long value out of an address. */
export const OMITTED = "long";

type Fits = (value: string) => boolean;
/** The view reads the value, and says what is wrong with it. */
const read: Fits = () => true;
const oneOf = (...all: string[]): Fits => (value) => all.includes(value);
const ticked = oneOf("", "1");
const parts = (names: string, others: Record<string, Fits> = {}) =>
  new Map([...[...names.split(" "), ...SHARED].map((name): [string, Fits] => [name, read]), ...Object.entries(others)]);

const PARTS = new Map([
  ["convert", parts(`op d ${OPERANDS.join(" ")}`, { as: oneOf("", ...KINDS.map(([, name]) => name)) })],
  ["formats", parts("f g")],
  ["legality", parts("q to from with versus", { here: ticked, all: ticked, diff: ticked, every: ticked })],
  ["ptx", parts("text in lang code")],
  ["blocks", parts("r s x", { at: (value) => /^\d{0,9}$/.test(value) })],
]);

/** What is wrong with the parts of a link to a view. The view itself says what is wrong with names and numbers. */
export function faults(view: string, given: [string, string][]): string[] {
  const known = PARTS.get(view);
  if (!known) return [];
  const short = (text: string) => `\u201c${text.slice(0, 40)}\u201d`;
  const names = given.map(([name]) => name);
  return [...new Set(names)].flatMap((name) => {
    const fits = known.get(name);
    if (!fits) return [`${short(name)} is not a part of links to this view, and was left out.`];
    const wrong = given.find(([other, value]) => other === name && !fits(value));
    if (wrong) return [`${short(`${name}=${wrong[1]}`)} is not a value of this part, and was left out.`];
    return names.filter((other) => other === name).length > 1 ? [`${short(name)} is in this link more than once; the last one counts.`] : [];
  });
}
