import { describe, expect, it } from "vitest";

import { entryText } from "./entry-text.ts";

const base = { id: "e", createdAtMs: 0 } as const;

describe("entryText", () => {
  it("reads what the model is shown of a user's message", () => {
    expect(entryText({ ...base, type: "user_message", content: "Hi" })).toBe("Hi");
    expect(entryText({ ...base, type: "user_message", content: "Hi", rendered: "Ann: Hi" })).toBe(
      "Ann: Hi",
    );
  });

  it("reads the text, names and arguments of calls", () => {
    const toolCalls = [
      { id: "c1", name: "findViolin", arguments: '{"maker":"Stradivari"}' },
      { id: "c2", name: "listen", arguments: "" },
    ];
    expect(entryText({ ...base, type: "action", content: "I look.", toolCalls })).toBe(
      'I look.\nfindViolin\n{"maker":"Stradivari"}\nlisten',
    );
    expect(entryText({ ...base, type: "action", toolCalls: toolCalls.slice(1) })).toBe("listen");
  });

  it("reads results with their sources", () => {
    const sources = [{ number: 1, id: "s", text: "kept in Oxford", title: "Museums" }];
    const result = {
      callId: "c",
      toolName: "t",
      outcome: "success",
      content: "made in 1716",
    } as const;
    const said = "made in 1716\n[source1] Museums\nkept in Oxford";
    expect(entryText({ ...base, type: "observation", ...result, sources })).toBe(said);
    expect(entryText({ ...base, type: "observation", ...result })).toBe("made in 1716");
    expect(
      entryText({ ...base, type: "global_observation", content: "made in 1716", sources }),
    ).toBe(said);
  });

  it("reads text parts and the names of files, and no data", () => {
    const source = { kind: "data", base64: "AAAA" } as const;
    expect(
      entryText({
        ...base,
        type: "attachment",
        messageId: "m",
        name: "Receipts",
        content: [
          { type: "file", source, name: "invoice.pdf" },
          { type: "image", source },
          { type: "reasoning", text: "hidden", data: "BBBB" },
          { type: "text", text: "forty ducats" },
        ],
      }),
    ).toBe("Receipts\ninvoice.pdf\nforty ducats");
  });
});
