import { readFile } from "node:fs/promises";

import { describe, expect, it } from "vitest";

import * as edge from "./gpt-tokenizer.ts";
import * as root from "./index.ts";

describe("@agent-history/tokens/gpt-tokenizer", () => {
  it("pulls in neither Node nor WebAssembly", async () => {
    const outside = await outsideImports(new URL("gpt-tokenizer.ts", import.meta.url));

    expect([...new Set(outside)].toSorted()).toEqual([
      "@agent-history/core",
      "gpt-tokenizer/bpeRanks/cl100k_base",
      "gpt-tokenizer/bpeRanks/o200k_base",
    ]);
  });

  it("has what the root has, with its own counter in place of tiktoken's", () => {
    const expected = Object.keys(root)
      .filter((name) => name !== "tiktokenCounter")
      .concat("gptTokenizerCounter");

    expect(Object.keys(edge).toSorted()).toEqual(expected.toSorted());
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
