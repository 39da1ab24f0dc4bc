import { action, assistantMessage, errorEntry, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { historyCleaner } from "./history-cleaner.ts";
import type { TextCleaner, TextSource } from "./text-cleaner.ts";
import { detailsCleaner } from "./text-cleaners.ts";
import { tagCleaner } from "./text-cleaners.ts";

const everything: TextCleaner = {
  name: "everything",
  findSpans: (text) => [{ start: 0, end: text.length }],
};

function answer(content: string, id = "a"): HistoryEntry {
  return assistantMessage({ id, content });
}

describe("historyCleaner", () => {
  it("keeps a user's words that hold the same tags", async () => {
    const entries = [
      userMessage({ content: "What is <details>x</details>?" }),
      errorEntry({ content: "<details>x</details>" }),
      answer("<details>x</details>"),
    ];

    const cleaned = await historyCleaner({ cleaners: [detailsCleaner()] }).clean(entries);

    expect(cleaned.entries).toEqual(entries.slice(0, 2));
  });

  it("leaves a text alone that is JSON, and cleans one that only begins like it", async () => {
    const json = '{ "html": "<t>x</t>" }';
    const cleaner = historyCleaner({ cleaners: [tagCleaner({ tag: "t" })] });

    const texts = [json, `[${json}]`, `\n${json}\n`, "{}<t>x</t>", "{<t>x</t>"];
    const { entries } = await cleaner.clean(texts.map((text) => answer(text)));

    expect(entries).toMatchObject(
      [json, `[${json}]`, `\n${json}\n`, "{}", "{"].map((content) => ({ content })),
    );
  });

  it("keeps an emptied message that carries calls, and drops any other", async () => {
    const toolCalls = [{ id: "c", name: "search", arguments: "{}" }];
    const entries = [
      answer("<details>x</details>\n"),
      action({ id: "b", content: "<details>x</details>", toolCalls }),
      action({ id: "c", toolCalls }),
    ];

    const cleaned = await historyCleaner({ cleaners: [detailsCleaner()] }).clean(entries);

    expect(cleaned.entries).toEqual([{ ...entries[1], content: [] }, entries[2]]);
    expect(cleaned.cuts.map(({ entryId }) => entryId)).toEqual(["a", "b"]);
  });

  it("keeps a message that was empty before", async () => {
    const entries = [answer(""), answer(" \n")];

    expect(
      (await historyCleaner({ cleaners: [everything] }).clean([answer("")])).entries,
    ).toHaveLength(1);
    expect((await historyCleaner({ cleaners: [detailsCleaner()] }).clean(entries)).entries).toBe(
      entries,
    );
  });

  it("tells cleaners where a text stands", async () => {
    const sources: unknown[] = [];
    const spy: TextCleaner = {
      name: "spy",
      findSpans: (_text, source?: TextSource) => {
        sources.push(source);
        return [];
      },
    };
    const plain = answer("a");
    const parts = assistantMessage({
      content: [
        { type: "opaque", data: 1 },
        { type: "text", text: "b" },
      ],
    });

    await historyCleaner({ cleaners: [spy] }).clean([plain, parts]);

    expect(sources).toEqual([{ entry: plain }, { entry: parts, partIndex: 1 }]);
  });

  it("isolates a failing cleaner for each text, and asks it again the next time", async () => {
    let isBroken = true;
    const flaky: TextCleaner = {
      name: "flaky",
      findSpans: (text) => {
        if (isBroken && text.includes("b")) throw new Error("no");
        return [{ start: 0, end: 1 }];
      },
    };
    const cleaner = historyCleaner({ cleaners: [flaky] });
    const entries = [answer("a1", "a"), answer("b1", "b")];

    const broken = await cleaner.clean(entries);
    isBroken = false;
    const repaired = await cleaner.clean(entries);

    expect(broken.entries).toMatchObject([{ content: "1" }, { content: "b1" }]);
    expect(broken.failures).toEqual([{ cleaner: "flaky", entryId: "b", error: new Error("no") }]);
    expect(repaired.entries).toMatchObject([{ content: "1" }, { content: "1" }]);
    expect(repaired.failures).toEqual([]);
  });

  it("passes an entry of an unknown type on", async () => {
    const strange = { id: "x", createdAtMs: 0, type: "hologram", content: "<t>x</t>" };
    const entries = [strange as unknown as HistoryEntry];

    expect((await historyCleaner({ cleaners: [everything] }).clean(entries)).entries).toBe(entries);
  });

  it("begins nothing once the signal has fired", async () => {
    const controller = new AbortController();
    let asked = 0;
    const later: TextCleaner = {
      name: "later",
      findSpans: async () => {
        asked += 1;
        controller.abort();
        return [];
      },
    };
    const cleaner = historyCleaner({ cleaners: [later] });

    const promise = cleaner.clean([answer("a"), answer("b")], controller.signal);

    await expect(promise).rejects.toMatchObject({ code: "ABORTED" });
    expect(asked).toBe(1);
  });

  it("cleans a hundred thousand texts by a cleaner that waits", async () => {
    const later: TextCleaner = { name: "later", findSpans: async () => [] };
    const entries = Array.from({ length: 100_000 }, (_, index) => answer("a", `${index}`));

    const cleaned = await historyCleaner({ cleaners: [later] }).clean(entries);

    expect(cleaned.entries).toBe(entries);
  });
});
