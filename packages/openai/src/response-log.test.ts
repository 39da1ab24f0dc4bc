import { describe, expect, it } from "vitest";

import { responsePage } from "../test-responses/pages/response-page.ts";
import { fromResponseItems } from "./from-response-items.ts";
import { responseLog } from "./response-log.ts";

const now = (): number => 0;

describe("responseLog", () => {
  it("gives the entries of all items, however they are appended", () => {
    for (const size of [1, 2, 3, 7, responsePage.length]) {
      const log = responseLog({ now, instructions: "Be short." });
      for (let from = 0; from < responsePage.length; from += size) {
        const until = from + size;
        log.append(responsePage.slice(from, until));

        // The page's own objects were read before, at another time.
        const all = fromResponseItems(structuredClone(responsePage.slice(0, until)), {
          now,
          instructions: "Be short.",
        });
        expect(log.entries).toEqual(all);
      }
    }
  });

  it("reads no item again, gives what it added, and keeps the entries before", () => {
    let reads = 0;
    const items = Array.from({ length: 5 }, (_, index) => ({
      role: "user",
      get content() {
        reads += 1;
        return `Question ${index}.`;
      },
    }));
    const log = responseLog();
    log.append(items);
    const answer = { role: "assistant", content: "Yes." };
    const [shown] = log.append([answer]);
    const before = [...log.entries];
    const more = log.append([{ role: "user", content: "And now?" }]);

    expect(reads).toBe(5);
    expect(log.entries).toHaveLength(7);
    for (const [index, entry] of before.entries()) expect(log.entries[index]).toBe(entry);
    expect(more).toEqual(log.entries.slice(5));
    expect(more[0]).toBe(shown);
  });

  it("goes on with an answer that came in pieces", () => {
    const log = responseLog();
    log.append([{ role: "assistant", content: "I look." }]);
    const [longer, ...others] = log.append([
      { type: "function_call", call_id: "c1", name: "find", arguments: "{}" },
    ]);

    expect(others).toEqual([]);
    expect(longer).toMatchObject({
      type: "action",
      content: [{ text: "I look." }],
      toolCalls: [{ name: "find" }],
    });
    expect(log.entries).toEqual([longer]);
  });
});
