// Numbers from a dropped or chosen file, which the library reads in this page.
import { fill, h, Menu, prose } from "../dom";
import { tensors, tensorNumbers, type TensorNumbers } from "../library";

/** The most bytes of a file that are read: a page has little memory. */
const MOST = 512 << 20;

export interface DropZone {
  element: HTMLElement;
  /** The numbers that are shown, which may no longer come from the file, or again. */
  shows(numbers: string): void;
}

/** The numbers of a tensor, with brackets around rows and around all of them. */
function textOf({ numbers, columns }: TensorNumbers): string {
  const rows = Array.from({ length: numbers.length / columns }, (_, row) => numbers.slice(row * columns, (row + 1) * columns).join(" "));
  return `[${rows.map((row) => `[${row}]`).join("\n ")}]`;
}

export function dropZone(put: (numbers: string) => void): DropZone {
  const input = h("input", { type: "file", accept: ".npy,.safetensors", class: "unseen", tabindex: "-1", "aria-hidden": "true" });
  const button = h("button", {
    type: "button", onclick: () => {
      // Otherwise the same file, which may have changed, would not be read again.
      input.value = "";
      input.click();
    },
  }, "Open .npy or .safetensors");
  const error = h("span", { class: "bad", role: "alert" });
  const part = h("span", { class: "dim", role: "status" });
  let bytes = new Uint8Array();
  let file = "";
  let names: string[] = [];
  /** The tensor whose numbers were put. */
  let good = "";
  /** What the page says of numbers of the open file, by the numbers: their tensor and how many were left out. */
  const puts = new Map<string, [name: string, left: string]>();
  /** The numbers that were put or shown last. */
  let last = "";
  const menu = new Menu("Tensor", (name) => choose(name));
  menu.element.hidden = true;
  const element = h("span", { class: "drop" }, button, input, menu.element, error, part);

  function choose(name: string): void {
    const found = tensorNumbers(bytes, name);
    fill(error, ...prose(found.error ? `${file}: ${found.error}` : ""));
    if (!found.error) {
      const numbers = textOf(found);
      puts.set(numbers, [name, found.numbers.length < found.given ? `The first ${found.numbers.length} of ${found.given} numbers of ${file}, as if they were all.` : ""]);
      label(numbers);
      put(numbers);
    }
    if (good) menu.update(names, good);
  }

  /** Labels numbers with their tensor, or with nothing if they are not of the open file. */
  function label(numbers: string): void {
    last = numbers;
    const [name, left = ""] = puts.get(numbers) ?? [];
    fill(part, left);
    menu.element.hidden = name === undefined || names.length < 2;
    if (name !== undefined) menu.update(names, good = name);
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
    [bytes, file, names, good] = [read, given.name, found.names, ""];
    puts.clear();
    label(last);
    menu.element.hidden = found.names.length < 2;
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
    shows(numbers) {
      if (numbers === last) return;
      fill(error);
      label(numbers);
    },
  };
}
