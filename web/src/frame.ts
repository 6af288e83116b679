// What surrounds every view: the footer, and the link that skips to the content.
import { copyLater, fill, h } from "./dom";
import { tables } from "./library";
import { start } from "./site";
import { link } from "./state";

export function frame(): void {
  const skip = document.querySelector<HTMLElement>(".skip");
  // The address names the view, so a link to an element would replace it.
  skip?.addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("content")?.focus();
  });
  fill(document.getElementById("footer") as HTMLElement,
    h("p", {}, h("strong", {}, `ptxcvt ${tables().version}`), " through PTX ISA ", tables().versions.at(-1) ?? "", ". MIT or Apache-2.0."),
    h("details", {}, h("summary", {}, "Help"),
      h("ul", {},
        h("li", {}, "Numbers are written as in the command: ", h("code", {}, "1.5"), ", ", h("code", {}, "0x3fc00000"), ", ", h("code", {}, "0x1.8p3"), ", ", h("code", {}, "1.5f"), ", ", h("code", {}, "-inf"), ", ", h("code", {}, "nan"), ". Packed operands take commas, the upper number first."),
        h("li", {}, "In an operand, ↑ and ↓ step to the next representable number, Page Up and Page Down to twice or half of it. In a row of bits, drag, or use arrow keys, 0, 1 and space."),
        h("li", {}, "The box understands opcodes, ", h("code", {}, "e4m3"), ", ", h("code", {}, "f32 to e4m3"), ", a number and a format (", h("code", {}, "1.5 to e4m3"), ", ", h("code", {}, "e4m3 0x7e"), "), recipes (", h("code", {}, "nvfp4"), "), opcodes with operands, and lines of PTX."),
        h("li", {}, "Everything is computed in this page by the library behind the command ", h("code", {}, "ptxcvt"), "; nothing is sent anywhere."))),
    h("p", {}, start(), " ", copyLater("copy link to this view", link)));
}
