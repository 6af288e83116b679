// The difference between two recipes as a picture: the errors of both for each element, one above and one below the axis.
import { counted, h } from "../dom";
import { rounded, type Quantized } from "../library";
import { largest, size } from "./loss";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [960, 150];

function svg(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

export function differencePicture([one, other]: Quantized[]): HTMLElement | null {
  if (!one || !other) return null;
  const [above, below] = [one.elements.map(size), other.elements.map(size)];
  const most = largest([one, other]);
  const mean = (q: Quantized) => (q.mean_square_error === null ? "undefined" : rounded(q.mean_square_error, 3));
  const better = above.filter((error, at) => error < (below[at] ?? 0)).length;
  const worse = above.filter((error, at) => error > (below[at] ?? 0)).length;
  const words = `${one.recipe.name} is closer for ${counted(better, "element")}, ${other.recipe.name} for ${worse}; mean square error ${mean(one)} and ${mean(other)}`;
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words });
  const middle = HEIGHT / 2;
  const step = WIDTH / above.length;
  const width = Math.max(0.6, Math.min(18, step * 0.7));
  // One path for each colour: a DOM element for each bar would be slow.
  const bars = { wins: "", loses: "" };
  const bar = (at: number, error: number, up: boolean, wins: boolean) => {
    const height = Math.min(1, error / most) * (middle - 6);
    const [x, y] = [at * step + (step - width) / 2, up ? middle - height : middle];
    bars[wins ? "wins" : "loses"] += `M${x.toFixed(2)} ${y.toFixed(2)}h${width.toFixed(2)}v${height.toFixed(2)}h-${width.toFixed(2)}z`;
  };
  above.forEach((error, at) => {
    bar(at, error, true, error < (below[at] ?? 0));
    bar(at, below[at] ?? 0, false, (below[at] ?? 0) < error);
  });
  for (const [name, d] of Object.entries(bars)) drawing.append(svg("path", { d, class: name }));
  drawing.append(svg("line", { x1: 0, x2: WIDTH, y1: middle, y2: middle, class: "axis" }));
  return h("section", { "aria-label": "Difference" }, h("h2", {}, "Error of each element"),
    h("p", { class: "dim" }, h("span", { class: "mono" }, one.recipe.name), " above the line, ", h("span", { class: "mono" }, other.recipe.name), " below; the smaller error of the two is green."),
    h("div", { class: "difference" }, drawing), h("p", {}, `${words}.`));
}
