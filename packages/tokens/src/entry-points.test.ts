import { readFile } from "node:fs/promises";

import { describe, expect, it } from "vitest";

import * as edge from "./gpt-tokenizer.ts";
import * as root from "./index.ts";
import { get_encoding } from "./internal/no-tiktoken.ts";

describe("@agent-history/tokens/gpt-tokenizer", () => {
  it("pulls in neither Node nor WebAssembly", async () => {
    const outside = await outsideImports(new URL("gpt-tokenizer.ts", import.meta.url));

    expect([...new Set(outside)].toSorted()).toEqual([
      "@agent-history/core",
      "@agent-history/core/content-hash",
      "@agent-history/core/result-media",
      "gpt-tokenizer/bpeRanks/cl100k_base",
      "gpt-tokenizer/bpeRanks/o200k_base",
    ]);
  });

  it("has nothing that the root has", () => {
    expect(Object.keys(edge).filter((name) => name in root)).toEqual([]);
  });
});

describe("@agent-history/tokens", () => {
  it("pulls in no Node, and WebAssembly only by the name that stands for it", async () => {
    const outside = await outsideImports(new URL("index.ts", import.meta.url));

    expect([...new Set(outside)].toSorted()).toEqual([
      "#tiktoken",
      "@agent-history/core",
      "@agent-history/core/content-hash",
      "@agent-history/core/result-media",
    ]);
  });

  it("says which counter to take where there is no WebAssembly", () => {
    expect(() => get_encoding("o200k_base")).toThrow(/use gptTokenizerCounter/);
  });
});

/** Every module from outside the package that a module and what it imports name. */
async function outsideImports(module: URL, seen = new Set<string>()): Promise<readonly string[]> {
  if (seen.has(module.href)) return [];
  seen.add(module.href);
  const text = await readFile(module, "utf8");
  const imports = text.matchAll(/^(?:import|export)[^;=:]*? "([^"]+)";/gm);
  const names = Array.from(imports, ([, name = ""]) => name);
  const inside = names.filter((name) => name.startsWith("."));
  const below = await Promise.all(
    inside.map((name) => outsideImports(new URL(name, module), seen)),
  );
  return [...names.filter((name) => !name.startsWith(".")), ...below.flat()];
}
