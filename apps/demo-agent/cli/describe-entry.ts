import type { ActionEntry, HistoryEntry, ObservationEntry } from "@agent-history/core";

import { contentText } from "../src/prompt/content-text.ts";

/** One line of what happens. */
export interface EntryLine {
  /** Who does it. */
  readonly who: string;
  readonly what: string;
  readonly tone: "plain" | "strong" | "quiet" | "bad";
}

/** Says what an entry tells of the course of things; nothing where another line says it already. */
export function describeEntry(entry: HistoryEntry): readonly EntryLine[] {
  const who = entry.agent?.id ?? "";
  switch (entry.type) {
    case "user_message":
      return [{ who: "user", what: contentText(entry.content), tone: "strong" }];
    case "global_observation":
      return [{ who: "to all", what: contentText(entry.content), tone: "quiet" }];
    case "strategic_plan":
      return [{ who, what: describePlan(contentText(entry.content)), tone: "plain" }];
    case "delegation":
      return [
        { who, what: `→ ${entry.to?.id ?? "?"}: ${contentText(entry.content)}`, tone: "plain" },
      ];
    case "action":
      return describeCalls(entry, who);
    case "observation":
      return [describeResult(entry, who)];
    case "final":
      return [{ who, what: `reports ${citations(contentText(entry.content))}`, tone: "plain" }];
    case "synthesis": {
      const found = citations(contentText(entry.content));
      return [{ who, what: `synthesis of phase ${entry.phaseId ?? "?"}: ${found}`, tone: "plain" }];
    }
    case "error":
      return [{ who, what: contentText(entry.content), tone: "bad" }];
    case "task":
    case "assistant_message":
    case "system_message":
    case "summary":
    case "memory":
    case "attachment":
    case "opaque":
      return [];
  }
}

function describePlan(plan: string): string {
  const [goal = "", ...phases] = plan.split("\n");
  const ids = phases.map((phase) => phase.slice(0, Math.max(phase.indexOf(":"), 0)));
  return `plans ${ids.join(", then ")}: ${goal}`;
}

function describeCalls({ content, toolCalls }: ActionEntry, who: string): readonly EntryLine[] {
  const text = contentText(content);
  const calls = toolCalls.map(({ name, arguments: args }) => `${name} ${args}`);
  return [...(text === "" ? [] : [text]), ...calls].map((what) => ({ who, what, tone: "quiet" }));
}

function describeResult(
  { outcome, content, sources = [] }: ObservationEntry,
  who: string,
): EntryLine {
  const [first = ""] = contentText(content).split("\n");
  const numbers = sources.map(({ number }) => `[source${number}]`).join(" ");
  return {
    who,
    what: `  ${outcome === "success" ? "" : `${outcome}: `}${first} ${numbers}`,
    tone: outcome === "success" ? "quiet" : "bad",
  };
}

/** What a report cites, or its first line where it cites nothing. */
function citations(text: string): string {
  const marks = [...new Set(text.match(/^(?!>).*?\[source\d+\]/gm) ?? [])];
  return marks.length === 0 ? (text.split("\n")[0] ?? "") : marks.join(", ");
}
