import { pathToFileURL } from "node:url";

import type { CompressionRecord } from "../src/history/compression-record.ts";
import type { ExpansionRecord } from "../src/history/expand-summaries.ts";
import type { ModelCallRecord } from "../src/prompt/model-call-record.ts";
import { countOf } from "./count-of.ts";
import type { RunDescription, RunSummary } from "./reporter.ts";

const NAME_WIDTH = 16;

/** Says in two lines which model answers, and on what. */
export function describeBeginning(run: RunDescription): readonly string[] {
  const { threadId, storeName, windows, modelId, modelHost, fileCount } = run;
  const sizes = [windows.orchestrator, windows.manager, windows.worker].map(({ contextTokens }) =>
    contextTokens.toLocaleString("en"),
  );
  const model =
    modelHost === undefined
      ? "Offline model: plans by rule, quotes, needs no API key. For a real model see --help."
      : `Model ${modelId} at ${modelHost}.`;
  const parts = [
    countOf(fileCount, "file"),
    `windows ${sizes.join("/")}`,
    `thread ${threadId} (${storeName})`,
  ];
  return [model, parts.join(" · ")];
}

/** Says what each package did in a run, line by line. */
export function describeEnd(run: RunSummary): readonly string[] {
  const { calls, compressions, expansion, entries, storePlace, resumeCommand, pagePath } = run;
  const cleaned = count(calls, "clean");
  return [
    line(
      "filters",
      `${count(calls, "filter")} of ${countOf(calls.length, "call")} saw less than the thread`,
    ),
    line("postprocess", `${countOf(cleaned, "call")} without what was added to earlier answers`),
    line("reducer", describeFits(calls)),
    line("compression", describeCompressions(compressions)),
    ...(expansion === undefined ? [] : [line("", describeExpansion(expansion))]),
    line("store", `${countOf(entries, "entry", "entries")} in ${storePlace}`),
    ...(pagePath === undefined ? [] : [`Inspect this thread: ${pathToFileURL(pagePath).href}`]),
    ...(resumeCommand === undefined ? [] : [`Resume this thread: ${resumeCommand}`]),
  ];
}

/** Says what a summary stands for. */
export function describeCompression(record: CompressionRecord): string {
  const { view, tokensBefore, tokensAfter } = record;
  const [before, after] = [tokensBefore, tokensAfter].map((tokens) => tokens.toLocaleString("en"));
  return `compressed ${view.replace(/^agent:/, "the work of ")}: ${before} tokens in ${after}`;
}

/** Says what became of the summaries. */
export function describeExpansion({ summaries, entries, isWhole }: ExpansionRecord): string {
  const result = isWhole ? "word for word as they were written" : "NOT as they were written";
  return `expanded: ${countOf(summaries, "summary", "summaries")} undone, ${countOf(entries, "entry", "entries")} shown again, ${result}`;
}

const OWN_STEPS = new Set(["filter", "summary", "clean"]);

function describeFits(calls: readonly ModelCallRecord[]): string {
  const fitted = calls.filter(({ steps }) => steps.some((step) => !OWN_STEPS.has(step)));
  const largest = Math.max(
    0,
    ...calls.map(({ requestTokens, windowTokens }) => requestTokens / windowTokens),
  );
  return `${countOf(fitted.length, "call")} trimmed to fit; the fullest took ${Math.round(largest * 100)}% of its window`;
}

function describeCompressions(records: readonly CompressionRecord[]): string {
  const before = records.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0);
  const after = records.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0);
  return `${countOf(records.length, "summary", "summaries")}: ${before.toLocaleString("en")} tokens in ${after.toLocaleString("en")}`;
}

function count(calls: readonly ModelCallRecord[], step: string): number {
  return calls.filter(({ steps }) => steps.includes(step)).length;
}

function line(name: string, what: string): string {
  return `${name.padEnd(NAME_WIDTH)}${what}`;
}
