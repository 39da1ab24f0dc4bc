import { describe, expect, it } from "vitest";

import { documentHeading } from "./document-heading.ts";

describe("documentHeading", () => {
  it("gives title, description and first heading, in their order", () => {
    const text =
      "---\ntitle: Valves\ndescription: How they open\nid: 3\n---\n\n# Valves of iron\nText.";

    expect(heading(text)).toBe("Valves\nHow they open\nValves of iron");
  });

  it("gives nothing where the beginning tells nothing", () => {
    expect(heading("Text.\n## Smaller\ntitle:")).toBe("");
    expect(heading(`${"line\n".repeat(30)}# Late`)).toBe("");
  });

  it("looks at no more than the beginning of a line", () => {
    expect(heading(`# ${"a".repeat(1_000_000)}`)).toHaveLength(298);
  });
});

function heading(text: string): string {
  return documentHeading({ path: "a.md", lines: text.split("\n") });
}
