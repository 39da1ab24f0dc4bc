import { describe, expect, it, vi } from "vitest";

import { uuidV7 } from "./uuid-v7.ts";

describe("uuidV7", () => {
  it("has the form of version 7, with the variant of RFC 9562", () => {
    const form = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u;
    for (let nth = 0; nth < 1000; nth++) expect(uuidV7()).toMatch(form);
  });

  it("bears the time in its first 48 bits", () => {
    const before = Date.now();
    const time = Number.parseInt(uuidV7().replace("-", "").slice(0, 12), 16);
    expect(time).toBeGreaterThanOrEqual(before);
  });

  it("keeps its order and is unique where the clock stands still, or goes back", () => {
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now());
    const ids = Array.from({ length: 20_000 }, uuidV7);
    clock.mockReturnValue(1);
    ids.push(uuidV7());
    clock.mockRestore();
    expect(new Set(ids).size).toBe(20_001);
    expect(ids.every((id, nth) => nth === 0 || id > (ids[nth - 1] ?? ""))).toBe(true);
  });
});
