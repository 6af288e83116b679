// The address holds the state of the page, #view?name=value&…, so that a link opens the same view. Each view keeps its
// values while another one is shown. Long texts stay in memory; a link holds them compressed (`link`).

export type Values = Map<string, string>;

/** Longer values are not in the address. */
const LONG = 1200;
/** What all views share. */
const SHARED = ["target", "isa"];

const listeners: (() => void)[] = [];
const kept = new Map<string, Values>();
let view = "";
let values: Values = new Map();
let shown = "";
/** The fields that are being typed into; their keystrokes are one entry of the history. */
let typing = "";

/** Reads the address. A link with compressed values is unpacked first. */
export async function load(): Promise<void> {
  const packed = /[?&]z=([\w-]+)/.exec(location.hash)?.[1];
  if (packed) {
    const [name = ""] = location.hash.slice(1).split("?");
    values = new Map(new URLSearchParams(await inflate(packed)));
    view = name;
    keep();
    replace();
  } else read();
}

function read(): void {
  const [name = "", query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  view = name;
  const long = [...(kept.get(name) ?? [])].filter(([, value]) => value.length > LONG);
  values = new Map([...long, ...new URLSearchParams(query)]);
  shown = location.hash;
  keep();
}

function keep(): void {
  kept.set(view, values);
  for (const others of kept.values()) {
    for (const name of SHARED) {
      const value = values.get(name);
      if (value) others.set(name, value);
      else others.delete(name);
    }
  }
}

/** The address of a view with these values, without empty and long ones. */
export function address(name: string, all: Iterable<[string, string]>): string {
  const query = new URLSearchParams([...all].filter(([, value]) => value !== "" && value.length <= LONG)).toString();
  // Characters that are readable in an address are not escaped.
  const plain = query.replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%2F", "/");
  return `#${name}${plain ? `?${plain}` : ""}`;
}

/** The address of a view as it was left, with some changes. */
export function addressOf(name: string, changes: Record<string, string> = {}): string {
  const shared = SHARED.map((key): [string, string] => [key, value(key)]);
  return address(name, new Map([...(kept.get(name) ?? shared), ...Object.entries(changes)]));
}

/** A link to the present view: whole, with long values compressed. */
export async function link(): Promise<string> {
  const here = location.href.split("#")[0];
  const long = [...values.values()].some((value) => value.length > LONG);
  if (!long) return `${here}${address(view, values)}`;
  return `${here}#${view}?z=${await deflate(new URLSearchParams([...values]).toString())}`;
}

export const viewName = () => view;
export const value = (name: string, otherwise = "") => values.get(name) || otherwise;
/** True if the address gives the value, even an empty one. */
export const given = (name: string) => values.has(name);

/** Changes values of this view. Every action is an entry of the history; so are all keystrokes into one field. */
export function set(changes: Record<string, string>, by: "action" | "typing" = "action"): void {
  for (const [name, to] of Object.entries(changes)) values.set(name, to);
  keep();
  const field = by === "typing" ? Object.keys(changes).sort().join() : "";
  const goesOn = field !== "" && field === typing;
  typing = field;
  if (address(view, values) === shown) return;
  if (goesOn) replace();
  else {
    shown = address(view, values);
    history.pushState(null, "", shown);
  }
}

/** Corrects the address without an entry in the history. */
export function replace(changes: Record<string, string> = {}): void {
  for (const [name, to] of Object.entries(changes)) values.set(name, to);
  keep();
  shown = address(view, values);
  history.replaceState(null, "", shown);
}

export function onChange(listener: () => void): void {
  listeners.push(listener);
}

function moved(): void {
  if (location.hash === shown) return;
  typing = "";
  if (/[?&]z=/.test(location.hash)) void load().then(notify);
  else {
    read();
    notify();
  }
}
const notify = () => listeners.forEach((listener) => listener());
addEventListener("popstate", moved);
addEventListener("hashchange", moved);
addEventListener("focusout", () => (typing = ""));

async function through(bytes: BlobPart, by: GenericTransformStream): Promise<ArrayBuffer> {
  return new Response(new Blob([bytes]).stream().pipeThrough(by as ReadableWritablePair)).arrayBuffer();
}

async function deflate(text: string): Promise<string> {
  const bytes = new Uint8Array(await through(text, new CompressionStream("deflate-raw")));
  let binary = "";
  for (let at = 0; at < bytes.length; at += 1 << 15) binary += String.fromCharCode(...bytes.subarray(at, at + (1 << 15)));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The empty text if the link was cut. */
async function inflate(packed: string): Promise<string> {
  try {
    const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
  } catch {
    return "";
  }
}
