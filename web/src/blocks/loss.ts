// The length of the bar that stands for an element's error.
import type { Quantized, QuantizedElement } from "../library";

/** The magnitude of an element's error: infinite if a number was lost, and 0 if it was none. */
export const size = (e: QuantizedElement) => (e.lost ? Infinity : Math.abs(e.error ?? 0));

/** The largest finite error of these arrays, and above zero, so that errors can be divided by it. */
export const largest = (all: Quantized[]) =>
  all.flatMap((q) => q.elements.map(size)).filter(Number.isFinite).reduce((most, by) => Math.max(most, by), Number.MIN_VALUE);
