import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import type { HistoryEntry, SummaryModel, TokenCounter } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/quarter-counter.ts";
import { addCompactions } from "./compactions.ts";
import { compressHistory } from "./compress-history.ts";
import type { CompressOptions } from "./compress-options.ts";

const NAMES = "amber birch cedar dahlia elder fern ginger hazel iris juniper".split(" ");

/** A question, a call with its result, and an answer, of words that differ from turn to turn. */
function turn(nth: number): readonly HistoryEntry[] {
  const named = (by: number): string => `${NAMES[(nth * by) % NAMES.length]}-${nth}`;
  const call = { id: `c${nth}`, name: "read", arguments: `{"path":"docs/${named(3)}.md"}` };
  const content = `The file ${named(3)}.md says that ${named(7)} takes ${nth} days. `.repeat(8);
  return [
    userMessage({ id: `u${nth}`, content: `How long does ${named(7)} take?` }),
    action({ id: `a${nth}`, toolCalls: [call] }),
    observation({ id: `o${nth}`, callId: call.id, toolName: "read", outcome: "success", content }),
    assistantMessage({ id: `m${nth}`, content: `${named(7)} takes ${nth} days.` }),
  ];
}

interface Work {
  texts: number;
  characters: number;
  entries: number;
  asked: number;
}

/** What the second compression does, one turn after the first was applied. */
async function workOfNext(turns: number, model?: SummaryModel): Promise<Work> {
  const work: Work = { texts: 0, characters: 0, entries: 0, asked: 0 };
  const counting: TokenCounter = {
    ...counter,
    countText: (text) => {
      work.texts += 1;
      work.characters += text.length;
      return counter.countText(text);
    },
    countEntry: (entry, viewer) => {
      work.entries += 1;
      return counter.countEntry(entry, viewer);
    },
  };
  const options: CompressOptions = {
    counter: counting,
    maxTokens: 400,
    tailTokens: 200,
    ...(model && {
      model: (request) => {
        work.asked += request.prompt.length;
        return model(request);
      },
    }),
  };
  const log = Array.from({ length: turns }, (_, nth) => turn(nth)).flat();
  const first = await compressHistory(log, options);
  if (first.outcome !== "compressed") return expect.fail(first.reason);
  const grown = addCompactions([...log, ...turn(turns), ...turn(turns + 1)], first.compactions);
  Object.assign(work, { texts: 0, characters: 0, entries: 0, asked: 0 });
  const next = await compressHistory(grown, options);
  expect(next.outcome).toBe("compressed");
  return work;
}

describe("compressHistory", () => {
  it.each<[string, SummaryModel | undefined]>([
    ["without a model", undefined],
    [
      "with a model",
      () => Promise.resolve("They asked how long things take, and were told. ".repeat(8)),
    ],
  ])(
    "counts, reads and asks for what is new once a compaction was applied, %s",
    async (_, model) => {
      const short = await workOfNext(40, model);
      const long = await workOfNext(400, model);

      for (const kind of ["texts", "characters", "entries", "asked"] as const) {
        // Of ten times the history. Which parts of the earlier summary are tried differs a little.
        expect({ kind, isNew: long[kind] <= 2 * short[kind] }).toEqual({ kind, isNew: true });
      }
      expect(long.entries).toBeLessThan(30);
    },
  );
});
