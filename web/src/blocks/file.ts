// Numbers from a dropped or chosen file, which the library reads in this page.
import { fill, h, Menu, prose } from "../dom";
import { tensors, tensorNumbers } from "../library";

/** The most bytes of a file that are read: a page has little memory. */
const MOST = 512 << 20;

export interface DropZone {
  element: HTMLElement;
  /** The numbers no longer come from the file. */
  left(): void;
}

export function dropZone(put: (numbers: string) => void): DropZone {
  const input = h("input", { type: "file", accept: ".npy,.safetensors", class: "unseen", tabindex: "-1", "aria-hidden": "true" });
  const button = h("button", { type: "button", onclick: () => input.click() }, "Open .npy or .safetensors");
  const error = h("span", { class: "bad", role: "alert" });
  const part = h("span", { class: "dim", role: "status" });
  let bytes = new Uint8Array();
  let file = "";
  let names: string[] = [];
  /** The tensor whose numbers were put. */
  let good = "";
  const menu = new Menu("Tensor", (name) => choose(name));
  menu.element.hidden = true;
  const element = h("span", { class: "drop" }, button, input, menu.element, error, part);

  function choose(name: string): void {
    const found = tensorNumbers(bytes, name);
    fill(error, ...prose(found.error ? `${file}: ${found.error}` : ""));
    if (!found.error) {
      good = name;
      fill(part, found.numbers.length < found.given ? `The first ${found.numbers.length} of ${found.given} numbers of ${file}.` : "");
      put(found.numbers.join(" "));
    }
    if (good) menu.update(names, good);
  }

  async function take(given: File): Promise<void> {
    if (given.size > MOST) {
      fill(error, `${given.name} has ${Math.round(given.size / 1e6)} MB; the page reads files of up to ${MOST >> 20} MiB. Use the command for larger ones.`);
      return;
    }
    const read = new Uint8Array(await given.arrayBuffer());
    const found = tensors(read);
    const [only = "", ...others] = found.names;
    const wrong = found.error ?? (only === "" ? "it has no tensors" : others.length > 0 ? null : tensorNumbers(read, only).error);
    // The file before stays if this one cannot be read.
    if (wrong) return fill(error, ...prose(`${given.name}: ${wrong}`));
    menu.element.hidden = found.names.length < 2;
    [bytes, file, names, good] = [read, given.name, found.names, ""];
    menu.update(names, names[0] ?? "");
    choose(found.names[0] ?? "");
  }

  input.addEventListener("change", () => input.files?.[0] && void take(input.files[0]));
  const over = (event: DragEvent) => {
    if (!element.isConnected || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.toggle("dropping", event.type === "dragover");
  };
  addEventListener("dragover", over);
  addEventListener("dragleave", over);
  addEventListener("drop", (event) => {
    over(event);
    const given = event.dataTransfer?.files[0];
    if (element.isConnected && given) void take(given);
  });
  return {
    element,
    left() {
      [error, part].forEach((line) => fill(line));
      menu.element.hidden = true;
    },
  };
}
