import { describe, expect, it } from "vitest";

import { anthropicPage } from "../test-messages/pages/message-page.ts";
import { anthropicLog } from "./anthropic-log.ts";
import { fromAnthropicMessages } from "./from-anthropic-messages.ts";

const now = (): number => 0;
const system = "Be short.";
const page = anthropicPage.map((message) => ({ role: "", ...message }));

describe("anthropicLog", () => {
  it("gives the entries of all messages, however they are appended", () => {
    for (const size of [1, 3, page.length]) {
      const log = anthropicLog({ now, system });
      const appended = [];
      for (let from = 0; from < page.length; from += size) {
        appended.push(...log.append(page.slice(from, from + size)));
      }

      const [first, ...others] = fromAnthropicMessages(structuredClone(page), { now, system });
      expect(log.entries).toEqual([first, ...others]);
      expect(appended).toEqual(others);
    }
  });

  it("reads no message again, and gives back the same message objects", () => {
    let reads = 0;
    const messages = Array.from({ length: 5 }, () => ({
      role: "user",
      get content() {
        reads += 1;
        return "To Rome.";
      },
    }));
    const log = anthropicLog({ system });
    log.append(messages);
    const readsBefore = reads;
    log.append([{ role: "assistant", content: "Two flights." }]);

    for (const [index, message] of log.toMessages(log.entries).slice(0, 5).entries()) {
      expect(message).toBe(messages[index]);
    }
    expect(reads).toBe(readsBefore);
  });
});
