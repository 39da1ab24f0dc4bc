import { describe, expect, it } from "vitest";

import { customEntry } from "./create-entries.ts";
import { ENTRY_TYPES } from "./entry-types.ts";
import { isHistoryError } from "./history-error.ts";
import { isRendered, messageRole } from "./message-role.ts";

const sources = { newId: () => "e1", now: () => 5 };

describe("customEntry", () => {
  it("takes id and time from the sources, and every field as it is", () => {
    expect(customEntry({ type: "note", stars: 5, content: "Likes tea." }, sources)).toEqual({
      type: "note",
      id: "e1",
      createdAtMs: 5,
      stars: 5,
      content: "Likes tea.",
    });
  });

  it.each([...ENTRY_TYPES, ""])("refuses the type %j, which is not one's own", (type) => {
    expect(() => customEntry({ type })).toThrow(
      expect.toSatisfy((error) => isHistoryError(error, "INVALID_ENTRY")),
    );
  });
});

describe("isRendered", () => {
  it("is false for an entry of one's own type without content, and for no other", () => {
    const note = { type: "note", ...sources };
    const withContents = [
      undefined,
      5,
      { text: "" },
      "",
      "text",
      [{ type: "text", text: "a" }],
    ].map((content) => isRendered(customEntry({ ...note, content: content as never }, sources)));
    expect(withContents).toEqual([false, false, false, true, true, true]);
    for (const type of ENTRY_TYPES) {
      const strange = { type } as never;
      expect(isRendered(strange)).toBe(type !== "opaque");
    }
    expect(messageRole(customEntry({ type: "note", content: "text" }, sources))).toBe("user");
  });
});
