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

export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter((child): child is Node | string => !!child || child === ""));
}

/** A picture that the library has drawn; it scrolls if the window is too narrow. */
export function picture(svg: string, name: string, kind: "broad" | "close" = "broad"): HTMLElement {
  const holder = h("div", { class: `picture ${kind}`, tabindex: 0, role: "region", "aria-label": name });
  holder.innerHTML = svg;
  return holder;
}

/** Announces a text to screen readers. */
export function say(what: string): void {
  const said = document.getElementById("said");
  if (said) said.textContent = what;
}

/** A button that copies what `text` returns. */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const button: HTMLButtonElement = h("button", { type: "button", class: "copy", onclick: () => void copied() }, label);
  async function copied(): Promise<void> {
    await copyText(text());
    button.textContent = "copied";
    say("copied");
    setTimeout(() => (button.textContent = label), 1200);
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

/** A menu; `options` are values, or pairs of value and label. */
export function menu(
  label: string, options: (string | [string, string])[], chosen: string, changed: (value: string) => void,
): HTMLLabelElement {
  const select = h("select", { onchange: () => changed(select.value) });
  for (const option of options) {
    const [value, text] = typeof option === "string" ? [option, option] : option;
    select.append(h("option", { value, selected: value === chosen }, text));
  }
  return h("label", { class: "menu" }, h("span", {}, label), select);
}
