import { groupExchanges, renderSources } from "@agent-history/core";
import type { HistoryEntry, JsonObject, ObservationEntry, ToolRound } from "@agent-history/core";

import { textOf } from "../internal/text-of-entry.ts";
import { parseObject } from "./json.ts";
import { cleanText, oneLine } from "./text.ts";

/** How a call ended. A call without a result is `unknown`: nobody knows what it did. */
export type CallOutcome = "ok" | "failed" | "unknown" | "running" | "rejected";

/** A tool call with its result. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  /** The arguments as they were written. */
  readonly raw: string;
  readonly outcome: CallOutcome;
  readonly result: string;
  readonly at: number;
  /** What the agent said with it. */
  readonly text: string;
}

/** One thing that a user or an agent said, with the calls that an agent made. */
export interface Step {
  readonly id: string;
  /** Its position in the history of the view. */
  readonly at: number;
  readonly by: "user" | "agent";
  readonly text: string;
  readonly calls: readonly Call[];
  /** `answer`: to a question that a tool asked. `plan`: a plan that the user approved. `task`: from another agent. */
  readonly via?: "answer" | "plan" | "task";
}

/** Reads a history as steps, with positions from `start`. What a harness wrote in a user's name is left out. */
export function stepsOf(entries: readonly HistoryEntry[], start: number): readonly Step[] {
  const steps: Step[] = [];
  for (const group of groupExchanges(entries)) {
    if (group.kind === "single") addSingle(group.entry);
    else for (const round of group.rounds) addRound(round);
  }
  return continued(steps);

  function add(step: Omit<Step, "at">): void {
    steps.push({ ...step, at: start + steps.length });
  }

  function addSingle(entry: HistoryEntry): void {
    switch (entry.type) {
      case "user_message": {
        const text = isMeta(entry) ? "" : userWords(textOf(entry.content));
        if (text === "" || isExpansion(text, steps.at(-1))) return;
        add({ id: entry.id, by: "user", text, calls: [] });
        return;
      }
      case "task":
        add({ id: entry.id, by: "user", text: spoken(entry.content), calls: [], via: "task" });
        return;
      case "system_message":
      // A result whose call is not here is nothing that an agent said.
      case "observation":
      case "opaque":
      case "attachment":
      case "summary":
        return;
      default: {
        const text = "content" in entry ? spoken(entry.content) : "";
        if (text !== "") add({ id: entry.id, by: "agent", text, calls: [] });
      }
    }
  }

  function addRound({ action, observations }: ToolRound): void {
    const at = start + steps.length;
    const text = spoken(action.content);
    const left = [...observations];
    const calls = (action.toolCalls ?? []).map(({ id, name, arguments: raw }): Call => {
      const index = left.findIndex(({ callId }) => callId === id);
      const [result] = index < 0 ? [] : left.splice(index, 1);
      return { id, name, args: parseObject(raw), raw, at, text, ...ending(result) };
    });
    add({ id: action.id, by: "agent", text, calls });
    for (const call of calls) {
      const said = saidThrough(call);
      if (said !== undefined)
        add({ id: `${action.id}/${call.id}`, by: "user", calls: [], ...said });
    }
  }
}

function spoken(content: Parameters<typeof textOf>[0]): string {
  return cleanText(textOf(content)).trim();
}

function ending(entry: ObservationEntry | undefined): Pick<Call, "outcome" | "result"> {
  if (entry === undefined) return { outcome: "unknown", result: "" };
  const sources = renderSources(entry.sources ?? []);
  const result = [textOf(entry.content), sources].filter((text) => text !== "").join("\n");
  const isRejected = entry.outcome === "denied" || REJECTED.test(result.slice(0, 400));
  if (isRejected) return { outcome: "rejected", result };
  if (entry.outcome === "cancelled") return { outcome: "unknown", result };
  return { outcome: entry.outcome === "error" ? "failed" : "ok", result };
}

const REJECTED = /user (?:doesn['’]t want to (?:proceed|take)|rejected|denied|declined)/i;

/** What a user says through a tool: the reason of a rejection, the answer to a question, the approval of a plan. */
function saidThrough({
  name,
  args,
  result,
  outcome,
}: Call): Pick<Step, "text" | "via"> | undefined {
  if (outcome === "unknown") return undefined;
  const reason = /the user (?:said|provided the following reason)[^:]{0,80}:\s*([\s\S]{3,})/i.exec(
    result,
  )?.[1];
  const isQuestion = /ask.*(?:user|human|question)|(?:user|human).*(?:input|question)|clarif/i.test(
    name,
  );
  const answer = isQuestion
    ? (/answered[^:]{0,80}:\s*([\s\S]+?)(?: You can now|$)/i.exec(result)?.[1] ?? result)
    : undefined;
  const said = reason ?? answer;
  if (said !== undefined && said.trim() !== "") {
    return { text: oneLine(cleanText(said)).slice(0, 2000), via: "answer" };
  }
  const plan = args["plan"];
  if (typeof plan === "string" && /plan/i.test(name) && /approved/i.test(result)) {
    return { text: `Approved plan:\n${cleanText(plan)}`, via: "plan" };
  }
  return undefined;
}

/** A command that ran on ends where a later call that names its session says so. */
function continued(steps: readonly Step[]): readonly Step[] {
  const ends = new Map<Call, Pick<Call, "outcome" | "result">>();
  const running = new Map<string, Call>();
  for (const call of steps.flatMap(({ calls }) => calls)) {
    const own = sessionIn(call.args);
    const first = running.get(own);
    if (
      first !== undefined &&
      /exited with code|<status>(?:completed|failed|killed)/i.test(call.result)
    ) {
      ends.set(first, { outcome: call.outcome, result: call.result });
    }
    const id = /(?:session|background)[^\n]{0,40}? ID:? (\w+)/i.exec(
      call.result.slice(0, 300),
    )?.[1];
    if (id === undefined || first !== undefined) continue;
    running.set(id, call);
    ends.set(call, { outcome: "running", result: call.result });
  }
  if (ends.size === 0) return steps;
  return steps.map((step) => ({
    ...step,
    calls: step.calls.map((call) => ({ ...call, ...ends.get(call) })),
  }));
}

function sessionIn(args: JsonObject): string {
  const id = args["session_id"] ?? args["bash_id"] ?? args["shell_id"];
  return typeof id === "string" || typeof id === "number" ? `${id}` : "";
}

/** Who appends what a harness wrote marks it so. */
function isMeta({ metadata }: HistoryEntry): boolean {
  return metadata?.["isMeta"] === true;
}

const INTERRUPTED = "[interrupted the agent]";

/** A user's own words: what a harness puts into user messages is cut out. Empty where nothing is left. */
function userWords(content: string): string {
  const text = cleanText(content);
  if (HARNESS.test(text)) return "";
  const command = /<command-name>\s*([^<]{1,200}?)\s*<\/command-name>/.exec(text)?.[1];
  if (command !== undefined) {
    const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1] ?? "";
    return args.trim() === "" && OWN_COMMAND.test(command)
      ? ""
      : oneLine(`/${command.replace(/^\//, "")} ${args}`);
  }
  return text
    .replace(/<turn_aborted>[\s\S]*?(?:<\/turn_aborted>|$)/g, INTERRUPTED)
    .replace(/\[Request interrupted by user[^\]]{0,60}\]/g, INTERRUPTED)
    .replace(TAGGED, "")
    .replace(/<\/?[a-z]+(?:[-_][a-z]+){1,4}>/g, "")
    .replace(/\[Image[^\]\n]{0,200}\]/g, "")
    .replace(/\n+If you need specific details from before exiting plan mode[\s\S]*$/, "")
    .trim();
}

/** What a command expands to stands right behind it. */
function isExpansion(text: string, before: Step | undefined): boolean {
  return before?.by === "user" && /^\/[\w:-]+(?:\s|$)/.test(before.text) && EXPANSION.test(text);
}

/** How prompts of commands begin. */
const EXPANSION = /^(?:You are an? |# |Base directory)[\s\S]{200}/;

/** How a harness begins what no user typed. */
const HARNESS =
  /^\s*(?:Base directory for this skill:|Caveat: The messages below|Invoke the \S+ skill and follow|\[SYSTEM NOTIFICATION|# AGENTS\.md instructions|This session is being continued from)/;
/** Commands to the harness itself. */
const OWN_COMMAND =
  /^\/?(?:exit|clear|compact|model|login|logout|resume|context|cost|mcp|config|help|status|plugin)$/;
/** Blocks in a tag whose name is joined of words: no user types those. And a few that are one word. */
const TAGGED =
  /<([a-z]+(?:[-_ ][a-z]+){1,4}|skill|image|INSTRUCTIONS)\b[^>\n]{0,200}>[\s\S]*?(?:<\/\1>|$)/g;
