import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { arbitraryEntry, arbitraryHistory, deepFreeze, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { hostileTexts } from "../../test-support/hostile-texts.ts";
import { collectFacts } from "./collect-facts.ts";

describe("collectFacts", () => {
  it.each([
    ["/srv/app/main.py:12 failed", ["path /srv/app/main.py", "file main.py", "number 12"]],
    [
      "see ./src/a.ts and C:\\Users\\ann\\b.txt.",
      ["path ./src/a.ts", "file a.ts", "path C:\\Users\\ann\\b.txt"],
    ],
    ["and/or he/she 3/4", []],
    ["open https://a.example/x?y=1#z.", ["url https://a.example/x?y=1#z"]],
    ["mail ann.b+c@d.example!", ["email ann.b+c@d.example"]],
    ["on 2026-05-02T06:33:04 and 14:30:00", ["date 2026-05-02", "date 06:33:04", "date 14:30"]],
    ["by May 24, 2026 or 24 May", ["date May 24, 2026", "date 24 May"]],
    [
      "it costs $1,234.50, 5 GB or 20%",
      ["number $1,234.50", "number 5 GB", "number 20%", "number 20"],
    ],
    ["in 250 ms", ["number 250 ms", "number 250"]],
    ["the 7 of 12", ["number 12"]],
    [
      "A17 gift_card_1 fooBar v1.2.3 gpt-4o",
      [
        "identifier A17",
        "identifier gift_card_1",
        "identifier fooBar",
        "identifier v1.2.3",
        "identifier gpt-4o",
      ],
    ],
    ["6fa459ea-ee8a-3ca4-894e-db77e160355e", ["identifier 6fa459ea-ee8a-3ca4-894e-db77e160355e"]],
    ["会議は2026年5月1日にHAT227で。", ["date 2026年5月1日", "identifier HAT227"]],
    ["🎉A17🎉 naïve_1", ["identifier A17", "identifier naïve_1"]],
  ])("finds the words of %j", (content, expected) => {
    expect(said([assistantMessage({ content })])).toEqual(expected);
  });

  it("finds questions, decisions, errors and commands as they stand", () => {
    const entries = [
      userMessage({ content: "Which file is it? Please use the blue one." }),
      action({ toolCalls: [{ id: "1", name: "bash", arguments: '{"command":"ls -la"}' }] }),
      observation({
        callId: "1",
        toolName: "bash",
        outcome: "error",
        content: "ok\nls: not found",
      }),
    ];

    expect(said(entries)).toEqual([
      "question Which file is it?",
      "decision Please use the blue one.",
      "command ls -la",
      "error ls: not found",
    ]);
  });

  it("ends a line where a terminal or a page would", () => {
    const content = "Hm\u0007 is it this one?\u2028Is it that one?\u202EYes.";

    expect(said([userMessage({ content })])).toEqual([
      "question is it this one?",
      "question Is it that one?",
    ]);
  });

  it("reads names and arguments of calls, sources and names of files", () => {
    const toolCalls = [{ id: "1", name: "get_user", arguments: '{"id":"ann_1","note":"a\\nB22"}' }];
    const sources = [{ number: 1, id: "s", text: "Total 120.", title: "Doc_1", uri: "docs/a.md" }];
    const entries = [
      action({ toolCalls }),
      observation({ callId: "1", toolName: "get_user", outcome: "success", content: "", sources }),
    ];

    expect(said(entries)).toEqual([
      "identifier get_user",
      "identifier ann_1",
      "identifier B22",
      "identifier Doc_1",
      "path docs/a.md",
      "file a.md",
      "number 120",
    ]);
  });

  it("reads neither reasoning nor opaque parts, nor bytes", () => {
    const entry = assistantMessage({
      content: [
        { type: "reasoning", text: "The secret is A17." },
        { type: "opaque", data: { text: "B22 b@c.example" } },
        { type: "image", source: { kind: "data", base64: "AAAA1111" } },
        { type: "text", text: "C33" },
      ],
    });

    expect(said([entry])).toEqual(["identifier C33"]);
  });

  it("counts each fact once for each time it stands there, and names its entries once", () => {
    const [fact] = collectFacts([
      userMessage({ id: "one", content: "A17 and A17" }),
      userMessage({ id: "two", content: "nothing" }),
      userMessage({ id: "three", content: "A17" }),
    ]);

    expect(fact).toEqual({ kind: "identifier", text: "A17", entryIds: ["one", "three"], count: 3 });
  });

  it("gives texts of one line that stand in the entries that they name", () => {
    const entry = arbitraryEntry({ optional: "all" });
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), (entries) => {
        deepFreeze(entries);
        const facts = collectFacts(entries);
        expect(new Set(facts.map(({ text }) => text)).size).toBe(facts.length);
        for (const { text, entryIds, count } of facts) {
          expect(text).not.toMatch(/\p{Cc}/u);
          expect(count).toBeGreaterThanOrEqual(entryIds.length > 0 ? 1 : 0);
          expect(entryIds.length).toBeGreaterThan(0);
          const named = entries.filter(({ id }) => entryIds.includes(id));
          expect(named.some((each) => rawText(each).includes(text))).toBe(true);
        }
        expect(collectFacts(entries)).toEqual(facts);
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it("is pure and never throws on a history of any kind", () => {
    fc.assert(
      fc.property(arbitraryHistory(), (entries) => {
        expect(collectFacts(deepFreeze(entries))).toEqual(collectFacts(entries));
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it("gives nothing for nothing, and no fact of very long words and sentences", () => {
    const long = `x_${"1".repeat(300)} ${"a ".repeat(300)}?`;

    expect(collectFacts([])).toEqual([]);
    expect(collectFacts([userMessage({ content: "" }), userMessage({ content: long })])).toEqual(
      [],
    );
  });

  it.each(hostileTexts)("reads a long text of %s without going back", (_, content) => {
    const entries = [
      userMessage({ content }),
      action({ toolCalls: [{ id: "1", name: "bash", arguments: content }] }),
      observation({ callId: "1", toolName: "bash", outcome: "success", content }),
    ];

    expect(collectFacts(entries).length).toBeLessThan(10);
  });
});

function said(entries: readonly HistoryEntry[]): readonly string[] {
  return collectFacts(entries).map(({ kind, text }) => `${kind} ${text}`);
}

/** All strings of an entry, as they are. */
function rawText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.values(value).map(rawText).join("\n");
}
