// Menus that compose an opcode: each offers only what leads to a form that the machine accepts.
import { fill, h, Menu } from "../dom";
import type { Choice, Menus } from "../library";

export class FormMenus {
  readonly element: HTMLElement;
  private to: Menu;
  private from: Menu;
  private rounding: Menu;
  private modifiers = h("span", { class: "modifiers", role: "group", "aria-label": "Modifiers" });
  private menus: Menus | null = null;

  constructor(private choose: (opcode: string) => void) {
    const menu = (label: string, list: (menus: Menus) => Choice[]) => new Menu(label, (name) => {
      const choice = this.menus && list(this.menus).find((one) => one.name === name);
      if (choice) this.choose(choice.opcode);
    });
    this.from = menu("from", (m) => m.sources);
    this.to = menu("to", (m) => m.destinations);
    this.rounding = menu("rounding", (m) => m.roundings);
    this.element = h("div", { class: "bar compose", role: "group", "aria-label": "Compose" },
      this.to.element, this.from.element, this.rounding.element, this.modifiers);
  }

  update(menus: Menus | null): void {
    this.element.hidden = menus === null;
    this.menus = menus;
    if (!menus) return;
    const show = (menu: Menu, all: Choice[]) => {
      menu.update(all.map(({ name }): [string, string] => [name, name || "none"]), all.find((c) => c.chosen)?.name ?? "");
      menu.select.disabled = all.length < 2;
    };
    show(this.to, menus.destinations);
    show(this.from, menus.sources);
    show(this.rounding, menus.roundings);
    const focused = (document.activeElement as HTMLElement | null)?.dataset["modifier"];
    fill(this.modifiers, ...menus.modifiers.map(({ name, chosen, opcode }) => {
      const required = chosen && opcode === this.opcode();
      return h("button", {
        type: "button", class: "toggle", "aria-pressed": String(chosen), "data-modifier": name, "aria-disabled": String(required),
        title: required ? `.${name} is required here` : null, onclick: () => required || this.choose(opcode),
      }, `.${name}`);
    }));
    if (focused) [...this.modifiers.querySelectorAll("button")].find((one) => one.dataset["modifier"] === focused)?.focus();
  }

  private opcode(): string | undefined {
    return this.menus?.sources.find((choice) => choice.chosen)?.opcode;
  }
}
