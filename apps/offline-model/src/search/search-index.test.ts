import { describe, expect, it } from "vitest";

import { GARDEN_FILES } from "../../test-support/garden-files.ts";
import { searchIndex } from "./search-index.ts";
import type { SearchOptions } from "./search-index.ts";

describe("searchIndex", () => {
  it("puts what a thing is before where it is used", () => {
    const found = search("how does the pump start", {
      "use.ts": "const a = 1;\n\nstart(pump);\n\npump.start(); // the pump, start",
      "pump.ts": "/** Starts the pump. */\nexport function startPump() {}",
    });

    expect(found[0]).toBe("pump.ts:1");
  });

  it("finds a source, and not its tests or changes to it", () => {
    const text = "/** Starts the pump. */\nexport function startPump() {}";

    expect(
      search("start the pump", {
        "a.test.ts": text,
        "b.ts": text,
        "b.patch": text,
        "test/c.ts": text,
      }),
    ).toEqual(["b.ts:1"]);
  });

  it("counts the words of the path", () => {
    const text = "Opens and closes.";

    expect(search("valve", { "notes/valve.md": text, "notes/door.md": text })).toEqual([
      "notes/valve.md:1",
    ]);
  });

  it("finds by any form of a word", () => {
    expect(search("watered", { "a.md": "It waters the beds.", "b.md": "It paints." })).toEqual([
      "a.md:1",
    ]);
  });

  it("finds by another word for the same, after the word itself", () => {
    const files = {
      "a.md": "The pictures fade.",
      "b.md": "The images fade.",
      "c.md": "They sing.",
    };

    expect(search("image", files)).toEqual(["b.md:1", "a.md:1"]);
  });

  it("puts a passage of a document that is about the query before one of a document that is not", () => {
    const files = {
      "a.md": "The pump is red.\n\nIt rains.",
      "b.md": "---\ntitle: The leak\n---\n\nThe pump is red.",
    };

    expect(search("leaking pump", files)).toEqual(["b.md:1", "b.md:5", "a.md:1"]);
  });

  it("puts words before an example in a fence", () => {
    const files = { "a.md": "# Beds\n\n```\nThe pump starts.\n```\n\nThe pump starts." };

    expect(search("pump", files)[0]).toBe("a.md:7");
  });

  it("counts a word once, however many others stand for it", () => {
    const files = {
      "a.md": "Remove, delete, erase, drop, discard and purge.",
      "b.md": "Remove the weeds.",
    };

    expect(search("remove weeds", files)[0]).toBe("b.md:1");
  });

  it("lets no document crowd out the others, and keeps to the number asked for", () => {
    const text = Array.from({ length: 9 }, () => "The pump pumps.").join("\n\n");
    const files = {
      "a.md": text,
      "b.md": "A pump in a long sentence about a very large old house.",
    };

    expect(search("pump", files)).toEqual(["a.md:1", "a.md:3", "a.md:5", "b.md:1"]);
    expect(search("pump", files, { maxPassages: 1, maxPerDocument: 9 })).toHaveLength(1);
  });

  it("keeps equals in the order of the folder", () => {
    expect(search("alpha beta", { "a.md": "beta one", "b.md": "alpha one" })).toEqual([
      "a.md:1",
      "b.md:1",
    ]);
  });

  it("searches only what it is allowed to", () => {
    const accepts = ({ path }: { readonly path: string }): boolean => path.endsWith(".py");

    expect(search("how long is the valve open", GARDEN_FILES, { accepts })[0]).toMatch(
      /^src\/valve_/,
    );
    expect(search("tomato", GARDEN_FILES, { accepts })).toEqual([]);
  });

  it("finds nothing for words that are nowhere, and for none", () => {
    expect(search("zeppelin", GARDEN_FILES)).toEqual([]);
    expect(search("what is the", GARDEN_FILES)).toEqual([]);
  });
});

function search(
  query: string,
  files: Readonly<Record<string, string>>,
  options?: SearchOptions,
): readonly string[] {
  const documents = Object.entries(files).map(([path, text]) => ({
    path,
    lines: text.split("\n"),
  }));
  return searchIndex(documents)
    .search(query, options)
    .map(({ document, startLine }) => `${document.path}:${startLine}`);
}
