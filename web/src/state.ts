// The address holds the whole state of the page, #view?name=value&…, so that a link opens the same view.

export type State = { view: string; values: Map<string, string> };

const listeners: ((state: State) => void)[] = [];
let current: State = read();

function read(): State {
  const [view = "", query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  return { view, values: new Map(new URLSearchParams(query)) };
}

/** The address of a view with these values, without empty ones. */
export function address(view: string, values: Iterable<[string, string]>): string {
  const query = new URLSearchParams([...values].filter(([, value]) => value !== "")).toString();
  // Characters that are readable in an address are not escaped.
  const plain = query.replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%2F", "/");
  return `#${view}${plain ? `?${plain}` : ""}`;
}

export const state = () => current;
export const value = (name: string, otherwise = "") => current.values.get(name) ?? otherwise;

/** Changes values of this view and the address, without a new entry in the history. */
export function set(changes: Record<string, string>): void {
  for (const [name, to] of Object.entries(changes)) current.values.set(name, to);
  history.replaceState(null, "", address(current.view, current.values));
}

/** Opens another view, as a link does. */
export function go(view: string, values: Record<string, string>): void {
  location.hash = address(view, Object.entries(values));
}

export function onChange(listener: (state: State) => void): void {
  listeners.push(listener);
}

addEventListener("hashchange", () => {
  if (location.hash === "#content") return;
  current = read();
  for (const listener of listeners) listener(current);
});
