import { styleText } from "node:util";

import type { HistoryEntry, ReductionPlan, Source } from "@agent-history/core";
import { createLogUpdate } from "log-update";

import type { ModelCall } from "./ask.ts";
import { textOf } from "./history.ts";
import type { Answer } from "./session.ts";

const MAX_LINES = 8;

/** Shows what is being done, live, and then the answer in its place. A pipe gets the same without what is live. */
export function openTerminal(output: NodeJS.WriteStream) {
  const width = Math.min(output.columns ?? 100, 120) - 1;
  const live = output.isTTY ? createLogUpdate(output) : undefined;
  const line = (text: string, style: "reset" | "bold" | "dim" = "reset"): void =>
    void output.write(`${styleText(style, fit(text, width), { stream: output })}\n`);
  // Of the question that is being answered.
  let entries: readonly HistoryEntry[] = [];
  let calls: readonly ModelCall[] = [];
  let summaries = 0;
  const draw = (): void => {
    live?.([...phasesOf(entries), newestOf(calls)].map((text) => fit(text, width)).join("\n"));
  };
  return {
    line,
    onEntries: (added: readonly HistoryEntry[]): void => {
      entries = [...entries, ...added];
      draw();
    },
    onCall: (call: ModelCall): void => {
      if (call.isSummary !== true) calls = [...calls, call];
      draw();
    },
    onSummary: (): void => void (summaries += 1),
    onAnswer: ({ question, text }: Answer, sources: readonly Source[]): void => {
      live?.clear();
      line(`? ${question}`, "bold");
      const lines = text.split("\n");
      for (const said of lines.slice(0, MAX_LINES)) line(`  ${said}`);
      if (lines.length > MAX_LINES) line(`  … (lines left out: ${lines.length - MAX_LINES})`);
      const cited = sources.map((one) => `[source${one.number}] ${one.uri ?? one.id}`);
      if (cited.length > 0) line(`  ${cited.join(", ")}`, "dim");
      const largest = Math.max(0, ...calls.map(({ inputTokens }) => inputTokens));
      const cuts = calls.filter(({ prompt }) => prompt?.plan.continued?.stoppedBy === "cut").length;
      const made = `cuts: ${cuts}, summaries: ${summaries}`;
      line(
        `  model calls: ${calls.length}, the largest ${largest.toLocaleString("en")} tokens; ${made}`,
        "dim",
      );
      entries = [];
      calls = [];
      summaries = 0;
    },
  };
}

/** A line for each phase of the plan. */
function phasesOf(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.flatMap((entry) => {
    if (entry.type === "user_message") return [`? ${textOf(entry.content)}`];
    if (entry.type !== "task" || entry.agent.role !== "manager") return [];
    const within = entries.filter(({ phaseId }) => phaseId === entry.phaseId);
    const count = (type: string): number => within.filter((one) => one.type === type).length;
    const synthesis = within.find(({ type }) => type === "synthesis");
    const [result = ""] =
      synthesis?.type === "synthesis" ? textOf(synthesis.content).split("\n") : [];
    const done = `${count("final")} of ${count("task") - 1} tasks`;
    return [`  ${synthesis ? "✔" : "▸"} ${String(entry.phaseId).padEnd(10)} ${done}  ${result}`];
  });
}

/** The newest prompt: whose it is, how full, and what became of the entries of its view. */
function newestOf(calls: readonly ModelCall[]): string {
  const { inputTokens, prompt, history } = calls.at(-1) ?? {};
  if (inputTokens === undefined || prompt === undefined) return "";
  const { window, decisions } = prompt.plan;
  const room = (window.contextTokens ?? inputTokens) - (window.outputReserveTokens ?? 0);
  const bar = "▇".repeat(Math.min(10, Math.round((10 * inputTokens) / room))).padEnd(10, "·");
  const [kept, dropped] = [countOf(decisions, "keep"), countOf(decisions, "drop")];
  const shortened = countOf(decisions) - kept - dropped;
  const entries = `kept ${kept}, shortened ${shortened}, dropped ${dropped}`;
  return `  ${history?.scope.agent?.id}: ${inputTokens} of ${room} tokens ${bar} ${entries}`;
}

function countOf(decisions: ReductionPlan["decisions"], kind?: string): number {
  const some = decisions.filter(({ action }) => kind === undefined || action.kind === kind);
  return some.reduce((sum, { entryCount }) => sum + entryCount, 0);
}

function fit(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}
