import { anthropicTarget, toAnthropicRequest } from "@agent-history/anthropic";
import { repairFor, toJsonObject } from "@agent-history/format-kit";
import { lawRuns } from "@agent-history/testkit";
import { arbitraryDamagedMessages } from "@agent-history/testkit/format";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anthropicPage } from "../../../packages/anthropic/test-messages/pages/message-page.ts";
import { anthropicServerPage } from "../../../packages/anthropic/test-messages/pages/server-page.ts";
import { anthropicStrangePage } from "../../../packages/anthropic/test-messages/pages/strange-page.ts";
import { readAny } from "../../../packages/anthropic/test-messages/read-any.ts";
import { anthropicWire } from "./servers/anthropic-wire.ts";

const asked = { role: "user", content: "Go on." };
/** The pages have signatures of Anthropic's own, which this server cannot know. */
const OF_THE_PAGES = new Set(["messages.content.signature.valid"]);

describe("messages of Anthropic's API that were repaired", () => {
  it("are taken in any order, damaged, with anything lost", () => {
    const page = [...anthropicPage, ...anthropicStrangePage];
    fc.assert(
      fc.property(arbitraryDamagedMessages(page), (damaged) => {
        expect(problemsOf([...damaged, asked])).toEqual([]);
      }),
      { numRuns: lawRuns(60) },
    );
  });

  it("are taken where servers and programs were called, with messages lost", () => {
    fc.assert(
      fc.property(fc.subarray([...anthropicServerPage]), (left) => {
        expect(problemsOf([...left, asked])).toEqual([]);
      }),
      { numRuns: lawRuns(60) },
    );
  });
});

function problemsOf(messages: readonly object[]): readonly string[] {
  const { entries } = repairFor(anthropicTarget(), readAny(messages));
  const request = {
    model: "claude-opus-5-5",
    max_tokens: 1,
    ...toJsonObject(toAnthropicRequest(entries)),
  };
  return anthropicWire.problems(request).filter((rule) => !OF_THE_PAGES.has(rule));
}
