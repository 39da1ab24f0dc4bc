import type { Content } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { portableContent } from "./content.ts";

const content: Content = [
  { type: "text", text: "Look.", extra: { as: "refusal" } },
  { type: "reasoning", text: "Hm.", data: { sealed: "x" } },
  { type: "opaque", data: { kind: "card" } },
  { type: "image", source: { kind: "data", base64: "AA==" }, mediaType: "image/png" },
  { type: "file", source: { kind: "url", url: "https://example.org/a.pdf" }, name: "a.pdf" },
  { type: "file", source: { kind: "text", text: "One line." }, name: "notes" },
];

describe("portableContent", () => {
  it("leaves out what only its own format understands, and says in a line what was there", () => {
    const expected = [
      "Look.",
      "[image]",
      "a.pdf",
      "https://example.org/a.pdf",
      "notes",
      "One line.",
    ];

    expect(portableContent(content, () => false)).toEqual(
      expected.map((text) => ({ type: "text", text })),
    );
  });

  it("keeps media where the format takes them, but for their extra, and writes out what is text", () => {
    const image = {
      type: "image",
      source: { kind: "id", id: "f1" },
      extra: { as: "image" },
    } as const;
    const text = { type: "file", source: { kind: "text", text: "One line." } } as const;

    expect(portableContent([image, text], () => true)).toEqual([
      { type: "image", source: { kind: "id", id: "f1" } },
      { type: "text", text: "One line." },
    ]);
  });

  it("is the empty text where nothing is left, and text as it is", () => {
    expect(portableContent([{ type: "opaque", data: 1 }], () => true)).toBe("");
    expect(portableContent("Hello.", () => false)).toBe("Hello.");
  });
});
