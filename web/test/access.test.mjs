// Accessibility: axe reports no violation in any view, light or dark, wide or as narrow as a phone, and no view is
// wider than the window.
import assert from "node:assert/strict";
import { test } from "node:test";
import { VIEWS, isAccessible, open } from "./page.mjs";

const STATES = [
  ...VIEWS.map((view) => `#${view}`),
  "#convert?op=cvt.rn.sat.e4m3x2.f32",
  "#convert?op=cvt.rs.satfinite.e4m3x4.f32&target=sm_100a",
  "#convert?op=cvt.rn.bf16x2.ue8m0x2",
  "#nope",
  "#convert?op=cvt.rn.f16",
  "#convert?target=sm_999",
  "#legality?target=sm_90&versus=sm_100a&all=1&isa=8.0",
  "#ptx?code=CVT105&text=cvt.rn.e4m3x2.f32%20%250%2C%20%251%2C%20%252%3B",
];

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 360]) {
    test(`${colorScheme}, ${width} pixels`, async () => {
      for (const state of STATES) {
        const page = await open(state, { colorScheme, viewport: { width, height: 800 } });
        await isAccessible(page, state);
        await page.context().close();
      }
    });
  }
}
