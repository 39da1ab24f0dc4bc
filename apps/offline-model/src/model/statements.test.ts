import { describe, expect, it } from "vitest";

import { statementsOf } from "./statements.ts";

describe("statementsOf", () => {
  it("gives what is stated: no heading, question, label, pointer, old version or line of code", () => {
    const quote = [
      "Valve",
      "",
      "How does it open?",
      "",
      "Type: `object`",
      "",
      "See the manual of the pump.",
      "",
      "**v1 (Apr 2015):** the valve opens at night.",
      "",
      "const valve = openValve(1);",
      "",
      "The valve opens at dawn.",
    ];

    expect(texts(quote, "Garden › Valve")).toEqual(["The valve opens at dawn."]);
  });

  it("keeps a default, however short, and each row for itself", () => {
    expect(texts(["Default: `3`"], "")).toEqual(["Default: `3`"]);
    expect(texts(["one valve of iron | yes", "one valve of brass | no"], "")).toHaveLength(2);
  });

  it("tells what stands first under its heading, and first above a name that code defines", () => {
    const quote = ["Valve", "", "It lets the water in."];
    const [under] = statementsOf(quote, { title: "Garden › Valve", isCode: false });
    const [above] = statementsOf(quote.slice(2), { title: "openValve", isCode: true });
    const [alone] = statementsOf(quote.slice(2), { title: "Garden › Valve", isCode: false });

    expect([under?.heading, above?.heading, alone?.heading]).toEqual([
      "Valve",
      "openValve",
      undefined,
    ]);
  });
});

function texts(quote: readonly string[], title: string): readonly string[] {
  return statementsOf(quote, { title, isCode: false }).map(({ text }) => text);
}
