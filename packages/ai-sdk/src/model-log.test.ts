import type { ModelMessage } from "ai";
import { describe, expect, it } from "vitest";

import { modelPage } from "../test-support/pages/model-page.ts";
import { fromModelMessages } from "./from-model-messages.ts";
import { modelLog } from "./model-log.ts";

const messages = modelPage as readonly ModelMessage[];
const now = (): number => 0;

describe("modelLog", () => {
  it("gives the entries of the whole conversation, however it is appended, and the same message objects back", () => {
    for (const size of [1, 3, messages.length]) {
      const log = modelLog({ now });
      for (let from = 0; from < messages.length; from += size) {
        log.append(messages.slice(from, from + size));
      }

      expect(log.entries).toEqual(fromModelMessages(messages, { now }));
      for (const [index, message] of log.toMessages(log.entries).entries()) {
        expect(message).toBe(messages[index]);
      }
    }
  });

  it("writes a message of which an entry was lost without what was lost", () => {
    const output = { type: "text", value: "Two." } as const;
    const part = { type: "tool-result", toolName: "find", output } as const;
    const content = [
      { ...part, toolCallId: "c1" },
      { ...part, toolCallId: "c2" },
    ];
    const log = modelLog();
    log.append([{ role: "tool", content }]);

    expect(log.toMessages(log.entries.slice(0, 1))).toEqual([
      { role: "tool", content: [{ ...part, toolCallId: "c1" }] },
    ]);
  });
});
