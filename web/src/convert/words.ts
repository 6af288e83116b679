// The opcode word by word, each explained when the pointer is over it, when it has the focus, or by a tap.
import { fill, h } from "../dom";
import type { Conversion } from "../library";

export class Words {
  readonly element = h("div", { class: "words" });
  private row = h("p", { class: "opcode", role: "group", "aria-label": "Words of the opcode" });
  private about = h("p", { class: "about dim", "aria-live": "polite" });
  private chosen = -1;
  private drawn = "";

  constructor() {
    fill(this.element, this.row, this.about);
  }

  update(conversion: Conversion, opcode: string): void {
    this.element.hidden = !conversion.form;
    if (!conversion.form || opcode === this.drawn) return;
    this.drawn = opcode;
    this.chosen = -1;
    // The library counts bytes; a form has only ASCII letters.
    const first = conversion.words[0]?.start ?? opcode.length;
    const buttons = conversion.words.map(({ start, end, kind, about }, at) => {
      const show = () => this.show(opcode.slice(start, end), about);
      return h("button", {
        type: "button", class: `word ${kind}`, "aria-expanded": "false", title: about,
        onmouseenter: show, onfocus: show, onmouseleave: () => this.rest(conversion, opcode), onblur: () => this.rest(conversion, opcode),
        onclick: () => {
          this.chosen = this.chosen === at ? -1 : at;
          [...this.row.querySelectorAll("button")].forEach((one, i) => one.setAttribute("aria-expanded", String(i === this.chosen)));
          if (this.chosen < 0) this.rest(conversion, opcode);
          else show();
        },
      }, `.${opcode.slice(start, end).replace(/^\./, "")}`);
    });
    fill(this.row, h("span", { class: "name-word" }, opcode.slice(0, first).replace(/\.$/, "")), ...buttons);
    this.rest(conversion, opcode);
  }

  private show(word: string, about: string | null): void {
    fill(this.about, h("code", {}, `.${word.replace(/^\./, "")}`), ` ${about ?? ""}`);
  }

  private rest(conversion: Conversion, opcode: string): void {
    const word = conversion.words[this.chosen];
    if (word) this.show(opcode.slice(word.start, word.end), word.about);
    else fill(this.about, h("span", { class: "hint" }, "Point at a word, or tap it, to see what it means."));
  }
}
