import { action, assistantMessage, observation, summary, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { RecordedBlock, RecordedLine } from "./recorded-line.ts";

/** A compaction of a recorded session, and what came before and after it. */
export interface RecordedCompaction {
  /** The main line since the compaction before, without rewound branches. */
  readonly past: readonly RecordedLine[];
  /** The main line since the beginning. */
  readonly whole: readonly RecordedLine[];
  /** What was done until the next compaction. */
  readonly after: readonly RecordedLine[];
  /** The agent's own summary. */
  readonly summary: string;
}

/** Finds the compactions in the lines of a session after which work went on. */
export function readCompactions(lines: readonly RecordedLine[]): readonly RecordedCompaction[] {
  const places = lines.flatMap(({ subtype, isSidechain }, place) =>
    subtype === "compact_boundary" && !isSidechain ? [place] : [],
  );
  return places.flatMap((place, index): readonly RecordedCompaction[] => {
    const next = places[index + 1] ?? lines.length;
    const after = lines.slice(place + 1, next).filter(isTalk);
    const own = lines.slice(place, next).find(({ isCompactSummary }) => isCompactSummary);
    if (
      own === undefined ||
      !after.some(({ type, blocks }) => type === "assistant" && blocks.some(isCall))
    ) {
      return [];
    }
    const ends = places.slice(0, index + 1);
    const whole = ends.flatMap((end, k) => mainLine(lines, places[k - 1] ?? 0, end));
    const past = mainLine(lines, places[index - 1] ?? 0, place);
    return [{ past, whole, after, summary: own.blocks.map(({ text }) => text).join("\n") }];
  });
}

function isCall({ type }: RecordedBlock): boolean {
  return type === "tool_use";
}

function isTalk({ type, isSidechain, hasMessage }: RecordedLine): boolean {
  return (type === "user" || type === "assistant") && !isSidechain && hasMessage;
}

/** The lines before a boundary that lead to it, with parallel calls and their results. */
function mainLine(
  lines: readonly RecordedLine[],
  from: number,
  at: number,
): readonly RecordedLine[] {
  const part = lines.slice(from, at);
  const byId = new Map(part.map((line) => [line.uuid, line]));
  const wanted = lines[at]?.logicalParentUuid ?? "";
  const onLine = new Set<string>();
  let id = byId.has(wanted) ? wanted : (part.findLast(isTalk)?.uuid ?? "");
  for (let line = byId.get(id); line !== undefined && !onLine.has(id); line = byId.get(id)) {
    onLine.add(id);
    id = line.parentUuid;
  }
  const messages = new Set(
    part.flatMap(({ uuid, type, messageId }) =>
      onLine.has(uuid) && type === "assistant" ? [messageId] : [],
    ),
  );
  const isMine = (line: RecordedLine): boolean =>
    isTalk(line) &&
    (onLine.has(line.uuid) || (line.type === "assistant" && messages.has(line.messageId)));
  const calls = new Set(
    part.filter(isMine).flatMap(({ blocks }) => blocks.filter(isCall).map(({ id: call }) => call)),
  );
  const answers = (line: RecordedLine): boolean =>
    line.blocks.some(({ type, id: call }) => type === "tool_result" && calls.has(call));
  return part.filter((line) => isMine(line) || (isTalk(line) && answers(line)));
}

/** The entries of a main line. What was thought is left out. */
export function entriesOf(lines: readonly RecordedLine[]): readonly HistoryEntry[] {
  const results = new Map<string, RecordedBlock>();
  for (const block of lines.flatMap(({ blocks }) => blocks)) {
    if (block.type === "tool_result") results.set(block.id, block);
  }
  const done = new Set<string>();
  return lines.flatMap((line): readonly HistoryEntry[] => {
    if (line.type === "user") return userEntries(line);
    if (done.has(line.messageId)) return [];
    done.add(line.messageId);
    const same = lines.filter(
      ({ type, messageId }) => type === "assistant" && messageId === line.messageId,
    );
    return answerEntries(
      same.flatMap(({ blocks }) => blocks),
      results,
    );
  });
}

function textIn(blocks: readonly RecordedBlock[]): string {
  return blocks.flatMap(({ type, text }) => (type === "text" ? [text] : [])).join("\n");
}

function userEntries({ blocks, isCompactSummary }: RecordedLine): readonly HistoryEntry[] {
  const content = textIn(blocks);
  if (content === "") return [];
  if (!isCompactSummary) return [userMessage({ content })];
  // An earlier summary is covered and extended where it stands for entries of the view.
  const old = userMessage({ content: "(before the first boundary)" });
  const covers = [{ from: old.id, to: old.id }];
  return [old, summary({ content, strategy: "recorded", trust: "user", view: "thread", covers })];
}

function answerEntries(
  blocks: readonly RecordedBlock[],
  results: ReadonlyMap<string, RecordedBlock>,
): readonly HistoryEntry[] {
  const content = textIn(blocks);
  const calls = blocks.filter(isCall);
  if (calls.length === 0) return content === "" ? [] : [assistantMessage({ content })];
  const toolCalls = calls.map(({ id, name, input }) => {
    return { id, name, arguments: JSON.stringify(input) };
  });
  return [
    action({ ...(content !== "" && { content }), toolCalls }),
    ...calls.map(({ id, name }) => {
      const result = results.get(id);
      const outcome = result === undefined ? "cancelled" : result.isError ? "error" : "success";
      return observation({ callId: id, toolName: name, outcome, content: result?.text ?? "" });
    }),
  ];
}
