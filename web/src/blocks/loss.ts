// What quantising loses of elements.
import type { Quantized, QuantizedElement } from "../library";

/** The error of an element: infinite if a number came back as NaN or infinity; null if it was one of these itself. */
export const loss = (e: QuantizedElement) => (e.x_value === null ? null : e.back_value === null ? Infinity : e.back_value - e.x_value);

/** The magnitude of the error of an element; 0 if it was NaN or infinity itself. */
export const size = (e: QuantizedElement) => Math.abs(loss(e) ?? 0);

/** The largest finite error of these arrays, and above zero, so that errors can be divided by it. */
export const largest = (all: Quantized[]) =>
  all.flatMap((q) => q.elements.map(size)).filter(Number.isFinite).reduce((most, by) => Math.max(most, by), Number.MIN_VALUE);
