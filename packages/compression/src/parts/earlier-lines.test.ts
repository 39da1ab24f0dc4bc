import { describe, expect, it } from "vitest";

import { earlierLines } from "./earlier-lines.ts";

describe("earlierLines", () => {
  it.each([
    [
      "Files changed (below /home/me/shop): src/a.ts (new) src/b.ts (last edit failed) src/c.ts",
      ["src/a.ts (new)", "src/b.ts (last edit failed)", "src/c.ts"],
    ],
    ["Files changed: src/a.ts (rounds up now), src/b.ts", ["src/a.ts (rounds up now)", "src/b.ts"]],
    ["Files read: src/a.ts, src/b.ts", ["src/a.ts", "src/b.ts"]],
    [
      "Files mentioned: app/(shop)/page.tsx app/(admin)/page.tsx b.ts",
      ["app/(shop)/page.tsx", "app/(admin)/page.tsx", "b.ts"],
    ],
    ["Names in cart.ts: unitPrice roundUp", ["unitPrice", "roundUp"]],
    [
      "Commits and links: 22c57db7 https://git.example/shop/pull/201",
      ["22c57db7", "https://git.example/shop/pull/201"],
    ],
    ["Names: unitPrice, roundUp", ["unitPrice", "roundUp"]],
  ])("takes the list %j apart as it was put together", (text, items) => {
    const [line] = earlierLines(text);
    expect(line?.items.map((item) => item.text)).toEqual(items);
  });

  it("puts what it took apart together again", () => {
    const text = "Files changed: src/a.ts (new) src/b.ts";
    const [line] = earlierLines(text);
    expect(`${line?.head}${line?.items.map((item) => item.text).join(line.joint)}`).toBe(text);
  });
});
