import { fileKind } from "../documents/file-kind.ts";
import { readWordCounts } from "../search/word-counts.ts";
import type { ModelReply, ModelRequest } from "./chat-model.ts";
import { writeEvidence } from "./evidence.ts";
import { quoteSources } from "./quote-sources.ts";
import type { ReadPrompt } from "./read-prompt.ts";
import { instructionOf, requestOf } from "./request.ts";
import { searchCall } from "./search-call.ts";
import { standingsOf } from "./standings.ts";
import { readToolSources } from "./tool-sources.ts";
import { topicOf } from "./topic.ts";
import type { Topic } from "./topic.ts";
import { readKind } from "./worker-catalogue.ts";
import { answerFrom, nothingFor, withWordCounts } from "./write-answers.ts";

const MAX_QUOTES = 5;

/** Takes a worker's next step: a call of a tool, or the report of what was found. */
export function workOnTask(prompt: ReadPrompt, { tools }: ModelRequest): ModelReply {
  const request = requestOf(prompt.task);
  const topic = topicOf(request);
  const sources = prompt.toolResults.flatMap(({ content, toolName }) =>
    readToolSources(content, toolName),
  );
  const calls = sources.length > 0 || tools.length === 0 ? [] : nextCalls(prompt, request, topic);
  if (calls.length > 0) return callTools(calls);
  const evidence = quoteSources(sources, topic, {
    maxCount: MAX_QUOTES,
    standings: standingsOf([sources]),
  });
  // Where what is shown answers, the rest is not looked for: it would take the room of what answers.
  const isAnswered = answerFrom(request, evidence) !== undefined;
  const again = sources.length === 0 || isAnswered ? undefined : lookBack(prompt, request, tools);
  if (again !== undefined) return callTools([again]);
  const counted = readWordCounts(prompt.toolResults.map(({ content }) => content));
  // Work without an instruction is a question, and the report its answer.
  const isQuestion = instructionOf(prompt.task) === "";
  const text = isQuestion
    ? answerFrom(request, evidence, { counted })
    : writeEvidence(evidence) || undefined;
  return { text: withWordCounts(text ?? nothingFor(request), isQuestion ? undefined : counted) };
}

interface PlannedCall {
  readonly name: string;
  readonly arguments: object;
}

/** Reads what the task names, else searches; where a search found nothing, looks for a file by its name. */
function nextCalls(prompt: ReadPrompt, request: string, topic: Topic): readonly PlannedCall[] {
  const { toolResults, instructions, task } = prompt;
  if (toolResults.length === 0) {
    const named = topicOf(instructionOf(task)).paths;
    if (named.length > 0) return named.map((path) => readCall(path, instructionOf(task)));
    const kind = readKind(instructions);
    const own = topic.paths.filter((path) => kind === undefined || fileKind(path) === kind);
    const search = { name: "search_text", arguments: searchCall(request, kind) };
    return [search, ...own.map((path) => readCall(path, ""))];
  }
  const listed = toolResults.findLast(({ toolName }) => toolName === "list_files");
  if (listed === undefined)
    return [{ name: "list_files", arguments: { nameContains: longestWord(request) } }];
  const [, path] = /\n(.+) \(\d+ lines\)/.exec(listed.content) ?? [];
  const hasRead = toolResults.some(({ toolName }) => toolName === "read_passage");
  return path === undefined || hasRead ? [] : [readCall(path, "")];
}

/**
 * Searches what was found and is no longer shown, then reads the best of it whole if the excerpt names no source. These tools are offered only if the
 * window hides some of the work.
 */
function lookBack(
  { toolResults }: ReadPrompt,
  query: string,
  tools: ModelRequest["tools"],
): PlannedCall | undefined {
  const mayCall = (name: string): boolean =>
    tools.some((tool) => tool.name === name) &&
    !toolResults.some(({ toolName }) => toolName === name);
  if (mayCall("history_search"))
    return { name: "history_search", arguments: { query: query.slice(0, 1000), limit: 1 } };
  const found = toolResults.findLast(({ toolName }) => toolName === "history_search");
  if (found !== undefined && readToolSources(found.content, found.toolName).length > 0)
    return undefined;
  const [, id] = /, id ("(?:[^"\\]|\\.)*")\n/u.exec(found?.content ?? "") ?? [];
  if (id === undefined || !mayCall("history_read")) return undefined;
  return { name: "history_read", arguments: { id: JSON.parse(id) } };
}

function readCall(path: string, instruction: string): PlannedCall {
  const [, startLine, endLine] = / lines (\d+)-(\d+)/.exec(instruction) ?? [];
  const lines =
    startLine === undefined ? {} : { startLine: Number(startLine), endLine: Number(endLine) };
  return { name: "read_passage", arguments: { path, ...lines } };
}

function longestWord(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.toSorted((a, b) => b.length - a.length)[0] ?? "";
}

function callTools(calls: readonly PlannedCall[]): ModelReply {
  return {
    toolCalls: calls.map((call, index) => ({
      id: `call-${index + 1}`,
      name: call.name,
      arguments: JSON.stringify(call.arguments),
    })),
  };
}
