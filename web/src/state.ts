// The address holds the state of the page, #view?name=value&…, so that a link opens the same view. Each view keeps its
// values while another one is shown. Long texts are kept in the tab (`memory`); a link holds them compressed (`link`).
import { recall, remember, type Values } from "./memory";
import { faults, OPERANDS, OMITTED, PACKED, SHARED } from "./parts";

/** What changes values: an action is an entry of the history, and so is what begins; what is typed belongs to the entry that
 * typing into the same field, or what began there, has made. */
export type By = "action" | "begin" | "typing";

/** Longer values are not in the address. */
const LONG = 1200;
/** Values that a person types: an empty one is not a missing one. */
const TYPED = ["op", ...OPERANDS, "x", "text", "in"];
/** The view of an address that names none. */
const FIRST = "convert";

const listeners: (() => void)[] = [];
const kept = new Map<string, Values>();
let view = FIRST;
let values: Values = new Map();
let shown = "";
/** The values of each entry of the history, by its number: addresses lack long ones. Entries outlive the page, so that numbers
 * begin with the time. */
const entries = new Map<number, Values>();
/** What an entry of the history holds: its number, and whether it has long values. */
interface Place { entry: number; long: boolean }
/** The name under which the newest entry of each view is remembered. */
const NEWEST = "views";
const newest: Values = new Map();
let last = Date.now();
let entry = last;
/** The fields that are being typed into; their keystrokes are one entry of the history. */
let typing = "";
let damaged = false;
/** What is shown in place of a long text that the address lacks. */
let missing = "";
/** What is wrong with the parts of the link, until something changes. */
let wrong: string[] = [];
/** The parts of a link that was opened and not yet changed; none of an entry of the history, and of a link of the page. */
let given = new Set<string>();
/** A link of the page was clicked. */
let own = false;

export const linkFaults = () => wrong;
/** True for a part of a link from outside, which may have more than the view uses. */
export const isGiven = (name: string) => given.has(name);

/** True if the address is a link that was cut or changed. */
export const isDamaged = () => damaged;

/** Reads the address. A link with compressed values is unpacked first. */
export async function load(): Promise<void> {
  read();
  const packed = values.get(PACKED);
  if (packed === undefined) return check(linked());
  missing = "";
  const text = await inflate(packed);
  damaged = text === null;
  const all = [...new URLSearchParams(text ?? ""), ...linked().filter(([name]) => name !== PACKED)];
  values = new Map(all);
  check(all);
  // The address stays until the user changes something: a reload unpacks it again.
  keep();
}

const linked = () => [...new URLSearchParams(location.hash.slice(1).split(/\?(.*)/s)[1] ?? "")];

/** Finds what is wrong with the parts of the address. */
function check(all: [string, string][]): void {
  wrong = [missing, ...faults(view, all)].filter(Boolean);
  for (const [name, value] of all) if (faults(view, [[name, value]]).length > 0) values.delete(name);
}

function read(): void {
  const [name = "", query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  const named = new URLSearchParams(query);
  const omitted = named.has(OMITTED);
  named.delete(OMITTED);
  view = name || FIRST;
  damaged = false;
  const place = history.state as Place | null;
  if (place && kept.size === 0) restore();
  const known = place && (entries.get(place.entry) ?? recall(place.entry));
  const outside = place === null && !own;
  own = false;
  const long = longOf(known ?? kept.get(view) ?? new Map());
  values = new Map([...long, ...named]);
  given = new Set(outside ? named.keys() : []);
  missing = long.length > 0 ? "" : omitted
    ? "This address has no room for the long text of the page that it is from: an example is shown. \u201ccopy link\u201d there makes a link with the text."
    : place?.long ? "The browser did not keep the long text that was here: an example is shown." : "";
  shown = omitted ? address(view, values) : location.hash;
  if (known) entry = place.entry;
  else history.replaceState(here(++last), "", shown || null);
  keep();
}

/** The state of the present entry of the history, under its number or a new one. */
function here(number = entry): Place {
  entry = number;
  return { entry, long: longOf(values).length > 0 };
}

/** Brings back the values of all views, as the page had them when it was left. */
function restore(): void {
  for (const [name, number] of recall(NEWEST) ?? []) {
    const found = recall(number);
    if (!found) continue;
    kept.set(name, found);
    newest.set(name, number);
  }
}

const longOf = (all: Values) => [...all].filter(([, value]) => value.length > LONG);

function keep(): void {
  entries.set(entry, new Map(values));
  newest.set(view, String(entry));
  kept.set(view, values);
  for (const others of kept.values()) {
    for (const name of SHARED) {
      const value = values.get(name);
      if (value) others.set(name, value);
      else others.delete(name);
    }
  }
}

/** The address of a view with these values, without long ones and empty choices. */
export function address(name: string, all: Iterable<[string, string]>): string {
  const named = [...all].filter(([key, value]) => (value !== "" || TYPED.includes(key)) && value.length <= LONG);
  const query = new URLSearchParams(named).toString();
  // Characters that are readable in an address are not escaped.
  const plain = query.replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%2F", "/");
  return `#${name}${plain ? `?${plain}` : ""}`;
}

/** The address of a view as it was left, with some changes; null removes a value. In another tab it says that a long text
 * is missing. */
export function addressOf(name: string, changes: Record<string, string | null> = {}): string {
  const shared = SHARED.map((key): [string, string] => [key, value(key)]);
  const all = changed(new Map(kept.get(name) ?? shared), changes);
  if (longOf(all).length > 0) all.set(OMITTED, "1");
  return address(name, all);
}

function changed(all: Values, changes: Record<string, string | null>): Values {
  for (const [name, to] of Object.entries(changes)) {
    if (to === null) all.delete(name);
    else all.set(name, to);
  }
  return all;
}

/** A link to the present view: whole, with long values compressed. */
export async function link(): Promise<string> {
  const here = location.href.split("#")[0];
  const long = [...values.values()].some((value) => value.length > LONG);
  if (!long) return `${here}${address(view, values)}`;
  return `${here}#${view}?${PACKED}=${await deflate(new URLSearchParams([...values]).toString())}`;
}

export const viewName = () => view;
/** What was chosen; `otherwise` if that is nothing. */
export const value = (name: string, otherwise = "") => values.get(name) || otherwise;
/** What was typed, which may be empty; `otherwise` if nothing ever was. */
export function written(name: string): string | undefined;
export function written(name: string, otherwise: string): string;
export function written(name: string, otherwise?: string): string | undefined {
  return values.get(name) ?? otherwise;
}

/** Changes values of this view; null removes one. */
export function set(changes: Record<string, string | null>, by: By = "action"): void {
  const long = longOf(values);
  changed(values, changes);
  const field = by === "action" ? "" : Object.keys(changes).sort().join();
  const goesOn = by === "typing" && field === typing;
  typing = field;
  const moves = address(view, values) !== shown;
  const isNew = moves || longOf(values).some(([name, text], at) => long[at]?.[0] !== name || long[at]?.[1] !== text);
  if (goesOn && moves) replace();
  else if (isNew && !goesOn) {
    shown = address(view, values);
    history.pushState(here(++last), "", shown);
  }
  keep();
  given.clear();
  if (wrong.length > 0) {
    wrong = [];
    dispatchEvent(new Event("machine"));
  }
}

/** Writes what a link says in another way: neither an action nor a change of what was given. */
export function reword(changes: Record<string, string | null>): void {
  changed(values, changes);
  for (const [name, to] of Object.entries(changes)) {
    if (to === null) given.delete(name);
    else given.add(name);
  }
  replace();
  keep();
}

/** Corrects the address without an entry in the history. */
function replace(): void {
  shown = address(view, values);
  history.replaceState(here(), "", shown);
}

export function onChange(listener: () => void): void {
  listeners.push(listener);
}

function moved(): void {
  if (location.hash === shown && history.state?.entry === entry) return;
  typing = "";
  void load().then(notify);
}
const notify = () => listeners.forEach((listener) => listener());
// A page that is left may never come back.
for (const event of ["pagehide", "visibilitychange"]) {
  addEventListener(event, () => {
    if (event === "visibilitychange" && !document.hidden) return;
    const earlier = [...entries].filter(([number]) => number !== entry).reverse();
    const present = entries.get(entry);
    remember([[NEWEST, new Map(newest)], ...(present ? [[entry, present] as [number, Values]] : []), ...earlier]);
  });
}
addEventListener("click", ({ target }) => (own = target instanceof Element && target.closest("a[href^='#']") !== null));
addEventListener("popstate", moved);
addEventListener("hashchange", moved);
addEventListener("focusout", ({ target, relatedTarget }) => {
  // The bits of an operand are one field.
  const field = (element: EventTarget | null) => element instanceof Element && element.closest("[role=group]");
  if (!field(target) || field(target) !== field(relatedTarget)) typing = "";
});

async function through(bytes: BlobPart, by: GenericTransformStream): Promise<ArrayBuffer> {
  return new Response(new Blob([bytes]).stream().pipeThrough(by as ReadableWritablePair)).arrayBuffer();
}

async function deflate(text: string): Promise<string> {
  const bytes = new Uint8Array(await through(text, new CompressionStream("deflate")));
  let binary = "";
  for (let at = 0; at < bytes.length; at += 1 << 15) binary += String.fromCharCode(...bytes.subarray(at, at + (1 << 15)));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Null if the link was cut or changed: the text has a checksum. */
async function inflate(packed: string): Promise<string | null> {
  try {
    const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate")));
  } catch {
    return null;
  }
}
