import { systemMessage, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { countTokens } from "./count-tokens.ts";
import { stablePrefix } from "./stable-prefix.ts";

const SYSTEM = systemMessage({ id: "s", createdAtMs: 0, content: "You read." });
const [A, B, C] = ["a", "b", "c"].map((id) => userMessage({ id, createdAtMs: 0, content: id }));

describe("stablePrefix", () => {
  it("counts what stands as in the slot's last prompt, instructions apart, up to the first difference", () => {
    if (A === undefined || B === undefined || C === undefined) throw new Error("Expected three.");
    const { note } = stablePrefix();

    expect(note("x", [SYSTEM, A, B])).toBe(0);
    expect(note("x", [SYSTEM, A, B, C])).toBe(countTokens([A, B]));
    expect(note("x", [SYSTEM, A, C])).toBe(countTokens([A]));
    expect(note("y", [SYSTEM, A, C])).toBe(0);
    expect(note("x", [{ ...SYSTEM, content: "Other." }, A, C])).toBe(0);
    expect(note("x", [{ ...SYSTEM, content: "Other." }, A, C])).toBe(countTokens([A, C]));
  });
});
