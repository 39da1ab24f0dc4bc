import type { LanguageModelV4Prompt } from "@ai-sdk/provider";

import { findingsIn, isPermissive, isPlain, linesOf, noteOf } from "./findings.ts";
import { newestResults, textOf } from "./prompt.ts";
import type { Result } from "./prompt.ts";

/** What the scripted model says. */
export interface Reply {
  readonly text: string;
  readonly calls?: readonly ToolRequest[];
}

interface ToolRequest {
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
}

/**
 * Answers a prompt by rule. This is no intelligence: it knows nothing but the messages of the prompt, and what is no longer there is forgotten.
 *
 * - The orchestrator plans phases by the words of the question, and answers with the lines that it was given for it.
 * - A manager divides packages into equal ranges, and merges the lines of its workers.
 * - A worker reads three files at a time, notes what they say, and reports its notes.
 * - A summary keeps a worker's notes; of an answer it keeps the packages whose licence is not plain, and how many are.
 */
export function reply(prompt: LanguageModelV4Prompt): Reply {
  const [instructions = "", ...texts] = prompt.map(textOf);
  if (instructions.includes("You are the orchestrator")) return orchestrate(prompt);
  if (instructions.includes("You are a manager")) return manage(texts);
  const text = texts.join("\n");
  if (instructions.includes("You are a worker")) return work(prompt, instructions, text);
  return { text: summarize(text) };
}

/** Without phases, the conversation answers; with one of them, a manager does. */
function orchestrate(prompt: LanguageModelV4Prompt): Reply {
  const texts = prompt.map(textOf);
  const isQuestion = (text: string, at: number): boolean =>
    prompt[at]?.role === "user" && QUESTION.test(text);
  const asked = texts.findLastIndex(isQuestion);
  const question = QUESTION.exec(texts[asked] ?? "")?.[0] ?? "";
  const since = texts.slice(asked + 1);
  if (!since.some((text) => text.startsWith('{"phases"'))) {
    return { text: JSON.stringify({ phases: phasesFor(question) }) };
  }
  if (question.startsWith("Quote")) return { text: since.at(-1) ?? "" };
  if (!question.includes("not permissive")) return { text: linesOf(findingsIn(since.join("\n"))) };
  const known = findingsIn(texts.slice(1).join("\n"));
  const others = known.filter(({ licence }) => !isPermissive(licence));
  return { text: others.length === 0 ? "Each of them is permissive." : linesOf(others) };
}

const QUESTION = /^(Which licences|Which of them|Quote) .*[?.]$/m;

function phasesFor(question: string): readonly { readonly id: string; readonly goal: string }[] {
  if (question.startsWith("Quote")) return [{ id: "recall", goal: question }];
  if (question.includes("not permissive")) return [];
  return [
    { id: "inventory", goal: "Count the installed packages." },
    { id: "manifests", goal: "Find the licence of each package in its manifest." },
    { id: "texts", goal: "Read each licence text that is not MIT, ISC, BSD or Apache-2.0." },
  ];
}

function manage(texts: readonly string[]): Reply {
  const planned = texts.findLastIndex((text) => text.startsWith('{"tasks"'));
  if (planned === -1) return { text: JSON.stringify({ tasks: tasksFor(texts.join("\n")) }) };
  const reports = texts.slice(planned + 1).filter((text) => !/^(Read|Count|Quote) /.test(text));
  const findings = findingsIn(reports.join("\n"));
  const quoted = reports.findLast((text) => text.startsWith("The licence of "));
  return { text: quoted ?? (findings.length > 0 ? linesOf(findings) : reports.join("\n")) };
}

function tasksFor(text: string): readonly string[] {
  const [whole] = /^(Count|Quote) .*$/m.exec(text) ?? [];
  if (whole !== undefined) return [whole];
  if (text.includes("Read each licence text")) {
    const names = findingsIn(text).flatMap(({ name, licence }) => (isPlain(licence) ? [] : [name]));
    return names.length === 0 ? [] : [`Read the licence texts of: ${names.join(", ")}`];
  }
  const count = Number(/(\d+) packages are installed/.exec(text)?.[1] ?? 0);
  const size = Math.ceil(count / Math.ceil(count / 150));
  return Array.from({ length: Math.ceil(count / size) }, (_, part) => {
    const last = Math.min(count, (part + 1) * size);
    return `Read the manifests of packages ${part * size + 1} to ${last}.`;
  });
}

/** Notes what the newest results say, then reads on; where nothing is left to read, reports the notes. */
function work(prompt: LanguageModelV4Prompt, instructions: string, text: string): Reply {
  const results = newestResults(prompt);
  const task = TASK.exec(text)?.[0] ?? "";
  if (task.startsWith("Quote")) return recall(task, results, instructions);
  if (task.startsWith("Count")) {
    const [listed = request([{ name: "list_packages", input: {} }])] = results;
    return listed;
  }
  const fresh = results.map(noteOf).join("\n");
  const notes = `${text}\n${fresh}`;
  const isAboutTexts = task.includes("licence texts");
  const next = isAboutTexts ? textsToRead(task, notes) : manifestsToRead(task, notes);
  if (next.length > 0) return { text: fresh, calls: next };
  if (!isAboutTexts) return { text: linesOf(findingsIn(notes)) };
  return { text: [...new Set(notes.match(/^\S+@\S+: \d+ lines.*$/gm) ?? [])].join("\n") };
}

const TASK = /^(Count the|Quote the|Read the) .*$/m;

const request = (calls: readonly ToolRequest[]): Reply => ({ text: "", calls });

/** The next three of the range, behind the highest number that was noted. */
function manifestsToRead(task: string, notes: string): readonly ToolRequest[] {
  const [first = 1, last = 0] = (task.match(/\d+/g) ?? []).map(Number);
  const noted = Array.from(notes.matchAll(/#(\d+)\b/g), ([, number]) => Number(number) + 1);
  const next = Math.max(first, ...noted);
  return Array.from({ length: Math.max(0, Math.min(3, last - next + 1)) }, (_, index) => {
    return { name: "read_manifest", input: { name: String(next + index) } };
  });
}

function textsToRead(task: string, notes: string): readonly ToolRequest[] {
  const names = task.replace(/^.*: /, "").split(", ");
  const left = names.filter((name) => !notes.includes(`\n${name}: `));
  return left.slice(0, 3).map((name) => ({ name: "read_licence", input: { name } }));
}

/** Looks for what was read before, opens it, and quotes it; reads the file itself only where nothing is found. */
function recall(task: string, results: readonly Result[], instructions: string): Reply {
  const wanted = /of (\S+)\.$/.exec(task)?.[1] ?? "";
  const [result] = results;
  const query = `LICENSE node_modules ${wanted}`;
  if (result === undefined && instructions.includes("history_search")) {
    return request([{ name: "history_search", input: { query } }]);
  }
  if (result?.tool === "history_search") {
    const [, id] = /result of read_licence.*id "([^"]+)"/.exec(result.text) ?? [];
    if (id !== undefined) return request([{ name: "history_read", input: { id } }]);
  }
  if (result?.tool !== "history_read" && result?.tool !== "read_licence") {
    return request([{ name: "read_licence", input: { name: wanted } }]);
  }
  const lines = result.text.split("\n").map((line) => line.replace(/^> /, "").trim());
  const [source = ""] = /\[source\d+\]/.exec(result.text) ?? [];
  const quoted = lines.find((line) => !/^(\[source\d+\].*|\(.*\)|)$/.test(line));
  return { text: `The licence of ${wanted} begins: "${quoted}" ${source}` };
}

/** Keeps what a worker noted, and how far it was; of an answer, what is not plain. */
function summarize(data: string): string {
  const text = data.split("\n").map(dataText).join("\n");
  const numbers = Array.from(text.matchAll(/#(\d+)\b/g), ([, number]) => Number(number));
  const findings = findingsIn(text);
  if (numbers.length > 0) return `Read up to #${Math.max(...numbers)}.\n${linesOf(findings)}`;
  const others = findings.filter(({ licence }) => !isPlain(licence));
  return `${findings.length - others.length} packages have a plain licence (MIT, ISC, BSD, Apache-2.0). The others:\n${linesOf(others)}`;
}

/** The history comes as data: a line of JSON for each entry, and an earlier summary as a line of its own. */
function dataText(line: string): string {
  if (!/^["{]/.test(line)) return "";
  const value: string | { readonly text: string } = JSON.parse(line);
  return typeof value === "string" ? value : value.text;
}
