import type { Content, HistoryEntry } from "@agent-history/core";
import { plainText, repairFor, writtenBy } from "@agent-history/format-kit";
import { fromResponseItems } from "@agent-history/openai";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { itemsOfScript } from "../test-support/broken-items.ts";
import { movableFormats, servedFormats } from "../test-support/movable-formats.ts";
import type { MovableFormat, ServedFormat } from "../test-support/movable-formats.ts";
import { arbitraryScript, wordsOf } from "../test-support/script.ts";
import type { Script } from "../test-support/script.ts";

const pairs = movableFormats.flatMap((from) => servedFormats.map((to) => ({ from, to })));

describe.each(pairs)("a conversation that moves from $from.name to $to.name", ({ from, to }) => {
  it("is taken there, and goes on there, with all words of users and tools", () => {
    fc.assert(
      fc.property(arbitraryScript, (script) => {
        const came = from.of(script);
        const entries = from.read(came);
        for (const all of [entries, [...entries, ...laterIn(to)]]) {
          const { problems, messages } = send(to, all);
          expect(problems).toEqual([]);
          expect(wordsOf(messages)).toEqual(expect.arrayContaining([...wordsOf(came)]));
        }
      }),
      { numRuns: lawRuns(10) },
    );
  });

  it("comes back with all that both can say, and is taken there again", () => {
    fc.assert(
      fc.property(arbitraryScript, (script) => {
        const entries = from.read(from.of(script));
        const there = to.read(send(to, entries).messages);
        const back = send(from, there);
        expect(back.problems).toEqual([]);
        expect(saidIn(from.read(back.messages))).toEqual(saidIn(entries));
      }),
      { numRuns: lawRuns(10) },
    );
  });
});

const READERS = [
  { model: "another-model", organization: "acme" },
  { model: "first-model", organization: "globex" },
];

describe.each(servedFormats)("a conversation that stays in $name", (to) => {
  it.each(READERS)("goes on with model $model of $organization, with all words", (reader) => {
    fc.assert(
      fc.property(arbitraryScript, fc.boolean(), (script, isRunning) => {
        const came = to.of(script);
        const all = to.read(came);
        const last = all.findLastIndex(({ type }) => type === "observation");
        const entries = writtenBy(isRunning && last > 0 ? all.slice(0, last + 1) : all, {
          model: "first-model",
          organization: "acme",
        });
        const own = to.for({ model: "first-model", organization: "acme" });
        expect(repairFor(own, entries)).toEqual(repairFor(to.target, entries));
        // Moved, moved on, and back.
        for (const now of [
          reader,
          { model: "third-model", organization: "third" },
          { model: "first-model", organization: "acme" },
        ]) {
          const { problems, messages } = send({ ...to, target: to.for(now) }, entries);
          expect(problems).toEqual([]);
          expect(wordsOf(messages)).toEqual(
            expect.arrayContaining([...wordsOf(to.write(entries))]),
          );
        }
        const moved = repairFor(to.for(reader), entries).entries;
        const kept = moved.filter(
          (entry) =>
            Array.isArray(entry.content) && entry.content.some(({ type }) => type === "reasoning"),
        );
        const mayStay = isRunning && reader.organization === "acme" && to.name === "Anthropic";
        if (!mayStay) expect(kept).toEqual([]);
      }),
      { numRuns: lawRuns(10) },
    );
  });
});

describe.each(servedFormats.filter(({ of }) => of !== itemsOfScript))(
  "a part that only Responses knows, sent to $name",
  (to) => {
    it("keeps the words of a user", () => {
      const odd = { role: "user", content: [{ type: "text", text: "Which flights? asked-0" }] };
      const { problems, messages } = send(to, fromResponseItems([odd]));
      expect(problems).toEqual([]);
      expect(wordsOf(messages)).toEqual(["asked-0"]);
    });
  },
);

function send(to: MovableFormat | ServedFormat, entries: readonly HistoryEntry[]) {
  const messages = to.write(repairFor(to.target, entries).entries);
  return { messages, problems: "wire" in to ? to.wire.problems(to.body(messages)) : [] };
}

/** An answer and a question that were said in the new format. */
function laterIn(to: ServedFormat): readonly HistoryEntry[] {
  const turn = { rounds: [], thinks: true, showsImage: false };
  const said: Script = [turn, turn];
  const [first, ...rest] = to.of(said);
  const later = first?.["role"] === "system" ? rest.slice(1) : rest;
  return to.read(later).map((entry, index) => ({ ...entry, id: `later-${index}` }));
}

/** What every format can say: not whether a result is an error, where instructions stand, or an image in a result. */
function saidIn(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.flatMap((entry) => {
    if (entry.type === "system_message") return [];
    const text = textOf(entry.content);
    const calls = entry.type === "action" ? entry.toolCalls : [];
    const said = calls.map(({ name, arguments: input }) => `${name} ${input}`);
    const isBesideResult = text.startsWith("Shown by the result of");
    return text === "" || isBesideResult ? said : [`${speakerOf(entry)}: ${text}`, ...said];
  });
}

function speakerOf({ type }: HistoryEntry): string {
  return type === "action" ? "assistant_message" : type;
}

function textOf(content: Content | undefined): string {
  return plainText(content).replaceAll(/\n?\[image\]/gu, "");
}
