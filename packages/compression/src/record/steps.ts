import { groupExchanges, renderSources } from "@agent-history/core";
import type { HistoryEntry, ObservationEntry, ToolCall, ToolRound } from "@agent-history/core";

import { textOf } from "../internal/data-text.ts";
import { parseObject } from "./calls.ts";
import type { Call } from "./calls.ts";
import { cleanText, oneLine } from "./text.ts";

/** One text of a user or an agent, with the agent's calls. */
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

/** Reads a history as steps, with positions from `start`. Text that a harness wrote as the user is left out. */
export function stepsOf(entries: readonly HistoryEntry[], start: number): readonly Step[] {
  const steps: Step[] = [];
  for (const group of groupExchanges(entries)) {
    if (group.kind === "single") addSingle(group.entry);
    else for (const round of group.rounds) addRound(round);
  }
  return steps;

  function add(step: Omit<Step, "at">): void {
    steps.push({ ...step, at: start + steps.length });
  }

  function addSingle(entry: HistoryEntry): void {
    switch (entry.type) {
      case "user_message": {
        const text = isMeta(entry) ? "" : userWords(textOf(entry.content));
        if (text !== "" && !isExpansion(text, steps.at(-1)))
          add({ id: entry.id, by: "user", text, calls: [] });
        return;
      }
      case "task":
        add({ id: entry.id, by: "user", text: spoken(entry.content), calls: [], via: "task" });
        return;
      case "system_message":
      // A result without its call is not the agent's text.
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
    const text = spoken(action.content);
    const calls = callsOf(action.toolCalls ?? [], observations, { at: start + steps.length, text });
    add({ id: action.id, by: "agent", text, calls });
    for (const [index, call] of calls.entries()) {
      const said = saidThrough(call);
      if (said !== undefined) add({ id: `${action.id}/${index}`, by: "user", calls: [], ...said });
    }
  }
}

function callsOf(
  toolCalls: readonly ToolCall[],
  observations: readonly ObservationEntry[],
  of: Pick<Call, "at" | "text">,
): readonly Call[] {
  const left = [...observations];
  return toolCalls.map(({ id, name, arguments: raw }) => {
    const index = left.findIndex(({ callId }) => callId === id);
    const [result] = index < 0 ? [] : left.splice(index, 1);
    return { name, args: parseObject(raw), raw, ...of, ...ending(result) };
  });
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
const REASON = /the user (?:said|provided the following reason)[^:]{0,80}:\s*([\s\S]{3,})/i;
const ASKS = /ask.*(?:user|human|question)|(?:user|human).*(?:input|question)|clarif/i;
const ANSWER = /answered[^:]{0,80}:\s*([\s\S]+?)(?: You can now|$)/i;

/** User text in a tool result: the reason of a rejection, the answer to a question, the approval of a plan. */
function saidThrough(call: Call): Pick<Step, "text" | "via"> | undefined {
  const { name, args, result, outcome } = call;
  if (outcome === "unknown") return undefined;
  const answer = ASKS.test(name) ? (ANSWER.exec(result)?.[1] ?? result) : "";
  const said = oneLine(cleanText(REASON.exec(result)?.[1] ?? answer)).slice(0, 2000);
  if (said !== "") return { text: said, via: "answer" };
  const plan = args["plan"];
  const isApproved = typeof plan === "string" && /plan/i.test(name) && /approved/i.test(result);
  return isApproved ? { text: `Approved plan:\n${cleanText(plan)}`, via: "plan" } : undefined;
}

/** Marks a turn that the user stopped. */
export const INTERRUPTED = "[interrupted the agent]";

/** Marks text that a harness appended. */
function isMeta({ metadata }: HistoryEntry): boolean {
  return metadata?.["isMeta"] === true;
}

/** A user's own words, without text that a harness puts into user messages. May be empty. */
function userWords(content: string): string {
  const text = cleanText(content);
  if (HARNESS.test(text)) return "";
  const command = /<command-name>\s*([^<]{1,200}?)\s*<\/command-name>/.exec(text)?.[1];
  if (command !== undefined) {
    const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1] ?? "";
    return oneLine(`/${command.replace(/^\//, "")} ${args}`);
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

/** A command's expansion follows it directly. */
function isExpansion(text: string, before: Step | undefined): boolean {
  return before?.by === "user" && /^\/[\w:-]+(?:\s|$)/.test(before.text) && EXPANSION.test(text);
}

/** Beginnings of command prompts. */
const EXPANSION = /^(?:You are an? |# |Base directory)[\s\S]{200}/;

/** Beginnings of text that a harness wrote. */
const HARNESS =
  /^\s*(?:Base directory for this skill:|Caveat: The messages below|Invoke the \S+ skill and follow|\[SYSTEM NOTIFICATION|# AGENTS\.md instructions|This session is being continued from)/;
/** Blocks in tags with compound names, which no user types, and a few with one word. */
const TAGGED =
  /<([a-z]+(?:[-_ ][a-z]+){1,4}|skill|image|INSTRUCTIONS)\b[^>\n]{0,200}>[\s\S]*?(?:<\/\1>|$)/g;
