import { readFile } from "node:fs/promises";

import { describe, expect, it } from "vitest";

import * as cl100k from "./cl100k-base.ts";
import * as root from "./index.ts";
import { readEncoder } from "./internal/read-encoder.ts";
import * as o200k from "./o200k-base.ts";

describe("@agent-history/tokens/o200k-base and /cl100k-base", () => {
  it.each([
    ["o200k-base.ts", "tiktoken/encoders/o200k_base.json"],
    ["cl100k-base.ts", "tiktoken/encoders/cl100k_base.json"],
  ])("pull in one table, and neither Node nor WebAssembly: %s", async (entry, table) => {
    const outside = await outsideImports(new URL(entry, import.meta.url));

    expect([...new Set(outside)].toSorted()).toEqual([
      "@agent-history/core",
      "@agent-history/core/kit",
      ...BUNDLED,
      table,
    ]);
  });

  it("count as tiktokenCounter does, under the same ids", () => {
    const text = "It's 31 °C in Rome, 漢字 <|endoftext|>";
    for (const [own, reference] of [
      [o200k.o200kBaseCounter(), root.tiktokenCounter({ encoding: "o200k_base" })],
      [o200k.o200kBaseCounter({ model: "gpt-4o" }), root.tiktokenCounter({ model: "gpt-4o" })],
      [cl100k.cl100kBaseCounter(), root.tiktokenCounter({ encoding: "cl100k_base" })],
      [cl100k.cl100kBaseCounter({ model: "gpt-4" }), root.tiktokenCounter({ model: "gpt-4" })],
    ] as const) {
      expect([own.id, own.countText(text)]).toEqual([reference.id, reference.countText(text)]);
    }
  });

  it("refuse a model of the other encoding", () => {
    expect(() => o200k.o200kBaseCounter({ model: "gpt-4" })).toThrow(/cl100k-base/);
    expect(() => cl100k.cl100kBaseCounter({ model: "gpt-4o" })).toThrow(/o200k-base/);
  });
});

describe("@agent-history/tokens", () => {
  it("pulls in Node only by the name that stands for it, and no WebAssembly", async () => {
    const outside = await outsideImports(new URL("index.ts", import.meta.url));

    expect([...new Set(outside)].toSorted()).toEqual([
      "#read-encoder",
      "@agent-history/core",
      "@agent-history/core/kit",
      ...BUNDLED,
    ]);
  });

  it("says which counter to take where there is no Node", () => {
    expect(() => readEncoder("o200k_base")).toThrow(/Elsewhere pass a `counter`: o200kBaseCounter/);
  });
});

/** Readers of headers, which become a part of what is published. */
const BUNDLED = [
  "fflate/browser",
  ...["gif", "heif", "jpg", "png", "webp"].map((type) => `image-size/types/${type}`),
];

/** Every module from outside the package that a module and what it imports name. */
async function outsideImports(module: URL, seen = new Set<string>()): Promise<readonly string[]> {
  if (seen.has(module.href)) return [];
  seen.add(module.href);
  const text = await readFile(module, "utf8");
  const imports = text.matchAll(/^(?:import|export)[^;=:]*? "([^"]+)"(?: with \{[^}]*\})?;/gm);
  const names = Array.from(imports, ([, name = ""]) => name);
  const inside = names.filter((name) => name.startsWith("."));
  const below = await Promise.all(
    inside.map((name) => outsideImports(new URL(name, module), seen)),
  );
  return [...names.filter((name) => !name.startsWith(".")), ...below.flat()];
}
