// Creates and fills elements of the page.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

/** An element with attributes, listeners (`onclick`) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return element;
}

/** A number with its noun: "1 form", "2 forms". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Shows children in an element. Those that it shows already stay where they are: the browser lays out only what is new. */
export function fill(element: Element, ...children: Child[]): void {
  const wanted = children.filter((child): child is Node | string => !!child || child === "");
  const staying = new Set<unknown>(wanted);
  if (![...element.childNodes].some((child) => staying.has(child))) return element.replaceChildren(...wanted);
  for (const child of [...element.childNodes]) if (!staying.has(child)) child.remove();
  let before: ChildNode | null = element.firstChild;
  for (const child of wanted) {
    if (child === before) before = before.nextSibling;
    else element.insertBefore(typeof child === "string" ? document.createTextNode(child) : child, before);
  }
}

/** Keeps what was made for a key for as long as every turn asks for it. */
export class Kept<T> {
  private before = new Map<string, T>();
  private now = new Map<string, T>();

  /** Begins a turn: what the one before did not ask for is forgotten. */
  turn(): void {
    [this.before, this.now] = [this.now, new Map()];
  }

  get(key: string, make: () => T): T {
    const known = this.now.get(key) ?? this.before.get(key) ?? make();
    this.now.set(key, known);
    return known;
  }
}

/** Shows a state in a field. A field that shows it already, because the user types there, keeps its caret and its blanks. */
export function hold(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  if (field.value !== text && field.value.trim() !== text) field.value = text;
}

/** A picture that the library has drawn; it scrolls if the window is too narrow. */
export function picture(svg: string, name: string, kind: "broad" | "close" = "broad"): HTMLElement {
  const holder = h("div", { class: `picture ${kind}`, tabindex: 0, role: "region", "aria-label": name });
  holder.innerHTML = svg;
  return holder;
}

/** Returns a function that runs the newest of its tasks once the browser has painted what is there, and after a pause: a key is
 * answered first, and what takes longer follows in a task of its own. */
export function afterPaint(): (task: () => void, pause?: number) => void {
  let newest = 0;
  return (task, pause = 0) => {
    const own = ++newest;
    requestAnimationFrame(() => setTimeout(() => newest === own && task(), pause));
  };
}

/** A part that belongs to the last text: nothing of it can be clicked until the answer is there, and it is greyed out if that
 * takes a while. What has nothing to click is made inert only then, because that costs the browser a look at all of it. */
export function waiting(part: HTMLElement, clickable = true): { begin(): void; end(): void } {
  let late = 0;
  return {
    begin() {
      if (clickable) part.inert = true;
      clearTimeout(late);
      late = setTimeout(() => {
        part.inert = true;
        part.classList.add("stale");
      }, 250);
    },
    end() {
      clearTimeout(late);
      part.inert = false;
      part.classList.remove("stale");
    },
  };
}

/** Calls `act` before the page is printed, and afterwards: paper does not scroll. */
export function whenPrinting(act: (prints: boolean) => void): void {
  let printing = false;
  const paper = (prints: boolean) => {
    if (prints !== printing) act((printing = prints));
  };
  matchMedia("print").addEventListener("change", ({ matches }) => paper(matches));
  addEventListener("beforeprint", () => paper(true));
  addEventListener("afterprint", () => paper(false));
}

/** Announces a text to screen readers. */
export function say(what: string): void {
  const status = document.getElementById("said");
  if (status) status.textContent = what;
}

/** A button that copies what `text` returns. */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const button: HTMLButtonElement = h("button", { type: "button", class: "copy", onclick: () => void copied() }, label);
  async function copied(): Promise<void> {
    await copyText(text());
    confirm(button, label);
  }
  return button;
}

async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page that was opened from a folder may have no access to the clipboard.
    const area = h("textarea", { class: "unseen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** A button that copies what an asynchronous function returns. */
export function copyLater(label: string, text: () => Promise<string>): HTMLButtonElement {
  return actButton(label, async () => {
    await copyText(await text());
    return "copied";
  });
}

/** A button that shows for a while, and announces, what its action says that it has done. */
export function actButton(label: string, act: () => Promise<string>): HTMLButtonElement {
  const button: HTMLButtonElement = h("button", {
    type: "button", class: "copy", onclick: () => void act().catch(() => "failed").then((done) => confirm(button, label, done)),
  }, label);
  return button;
}

function confirm(button: HTMLButtonElement, label: string, done = "copied"): void {
  button.textContent = done;
  say(done);
  setTimeout(() => (button.textContent = label), 1200);
}

/** Shows words in backquotes as code. */
export function prose(text: string): (Node | string)[] {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 ? h("code", {}, part) : part));
}

/** A menu. A value that is not among the options is shown as unknown, never replaced. */
export class Menu {
  readonly element: HTMLLabelElement;
  readonly select: HTMLSelectElement;
  private drawn = "";

  constructor(label: string, changed: (value: string) => void) {
    this.select = h("select", { "aria-label": label, onchange: () => changed(this.select.value) });
    this.element = h("label", { class: "menu" }, h("span", {}, label), this.select);
  }

  /** `options` are values, or pairs of value and label. */
  update(options: Iterable<string | [string, string]>, chosen: string): void {
    const all = [...options].map((option): [string, string] => typeof option === "string" ? [option, option] : option);
    const known = all.some(([value]) => value === chosen);
    if (!known) all.push([chosen, `${chosen.slice(0, 24)} (unknown)`]);
    const drawn = JSON.stringify(all);
    if (drawn !== this.drawn) fill(this.select, ...all.map(([value, text]) => h("option", { value }, text)));
    this.drawn = drawn;
    this.select.value = chosen;
    this.select.setAttribute("aria-invalid", String(!known));
  }
}

/** A view of the page: its element, and a function that shows the values of the address. */
export interface View {
  element: HTMLElement;
  show(): void;
  /** Ends when the view shows what it has to; a view that has it at once has none. */
  ready?: Promise<void>;
}
