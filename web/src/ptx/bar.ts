// What is above the editor, from the time when the view begins to load.
import { copyLater, h, type Menu } from "../dom";
import { link } from "../state";

export const bar = (language: Menu) => h("div", { class: "bar" },
  language.element, h("span", { class: "dim" }, "Paste PTX, or a source with PTX in it. It stays in this page."),
  h("span", { class: "tabs right" }, copyLater("copy link", link)));
