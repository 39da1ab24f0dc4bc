import type { Agent, Content, HistoryEntry, Source } from "@agent-history/core";

import type { Draw } from "./draw.ts";

/** The types that a writer can write with a content and nothing else. */
type Plain =
  | "system_message"
  | "user_message"
  | "assistant_message"
  | "final"
  | "synthesis"
  | "error"
  | "global_observation"
  | "strategic_plan"
  | "delegation"
  | "memory";

/** Fields that an entry may have beside its words. */
export interface Marks {
  readonly agent?: Agent;
  readonly turnId?: string;
  readonly pinned?: boolean;
  readonly taskId?: string;
}

/** Writes a log, entry by entry. */
export interface Writer {
  readonly log: HistoryEntry[];
  readonly say: (type: Plain, marks?: Marks, content?: Content) => string;
  readonly upload: (messageId: string, marks?: Marks) => void;
  readonly give: (to: Agent, from: Agent | undefined, marks?: Marks) => string;
  /** Parallel calls and their results; results of several agents may come in between. */
  readonly work: (marks?: Marks, options?: { readonly isUnanswered?: boolean }) => void;
}

/** Opens a log. */
export function writerOf(draw: Draw): Writer {
  const log: HistoryEntry[] = [];
  const reusesIds = draw.chance(0.25);
  let made = 0;
  let called = 0;
  const next = (marks: Marks = {}): { id: string; createdAtMs: number } & Marks => {
    const isPinned = draw.chance(0.02);
    return {
      ...marks,
      ...(isPinned && { pinned: true }),
      id: `e${(made += 1)}`,
      createdAtMs: made,
    };
  };
  return {
    log,
    say(type, marks, content) {
      const entry = { ...next(marks), type, content: content ?? contentOf(draw) };
      log.push(entry);
      return entry.id;
    },
    upload(messageId, marks) {
      log.push({ ...next(marks), type: "attachment", messageId, content: contentOf(draw) });
    },
    give(agent, from, marks) {
      const entry = { ...next(marks), ...(from && { from }), agent, content: draw.text() };
      log.push({ ...entry, type: "task" });
      return entry.id;
    },
    work(marks, { isUnanswered = false } = {}) {
      const count = draw.chance(0.7) ? 1 : 2 + draw.below(2);
      const calls = Array.from({ length: count }, (_, nth) => ({
        id: reusesIds ? `call${nth}` : `call${(called += 1)}`,
        name: draw.pick(["look", "run", "search"]),
        arguments: draw.chance(0.1) ? draw.text() : "{}",
      }));
      const words = draw.chance(0.4) ? { content: draw.text() } : {};
      const action = { ...next(marks), ...words, toolCalls: calls };
      log.push({ ...action, type: "action" });
      const named = draw.chance(0.2) ? { actionId: action.id } : {};
      for (const { id, name } of calls) {
        if (isUnanswered && draw.chance(0.5)) continue;
        const outcome = draw.pick(["success", "success", "error"]);
        const result = { ...next(marks), ...named, callId: id, toolName: name, outcome };
        const sources = draw.chance(0.15) ? { sources: sourcesOf(draw, made) } : {};
        log.push({ ...result, ...sources, type: "observation", content: contentOf(draw) });
      }
    },
  };
}

function contentOf(draw: Draw): Content {
  if (!draw.chance(0.06)) return draw.text();
  const image = {
    type: "image",
    source: { kind: "url", url: "https://example.org/a.png" },
  } as const;
  return [{ type: "text", text: draw.text() }, image];
}

function sourcesOf(draw: Draw, first: number): readonly Source[] {
  return Array.from({ length: 1 + draw.below(4) }, (_, nth) => {
    const number = first * 10 + nth;
    return { number, id: `s${number}`, text: draw.text() };
  });
}
