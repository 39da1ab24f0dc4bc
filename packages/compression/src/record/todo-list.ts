import type { JsonObject, JsonValue, SummaryPart } from "@agent-history/core";

import { isObject, textAt } from "./json.ts";
import type { Call } from "./steps.ts";
import { clip } from "./text.ts";

type Status = "open" | "doing" | "done";
interface Todo {
  readonly text: string;
  readonly status: Status;
}

/** Replays the calls of todo tools on the list of an earlier summary: what is done, in progress and open. None where no call changes it. */
export function replayTodos(
  calls: readonly Call[],
  previous: readonly SummaryPart[],
): readonly SummaryPart[] {
  let list: ReadonlyMap<string, Todo> = new Map(
    previous
      .filter(({ kind }) => kind === "todo")
      .map(({ key, text, state }) => [key, { text, status: statusOf(state) }]),
  );
  let at: number | undefined;
  for (const call of calls) {
    const next = changed(list, call);
    if (next === undefined) continue;
    list = next;
    at = call.at;
  }
  if (at === undefined) return [];
  const changedAt = at;
  return [...list].map(([key, { text, status }]) => ({
    kind: "todo",
    key,
    text,
    at: changedAt,
    state: status,
  }));
}

function changed(list: ReadonlyMap<string, Todo>, call: Call): Map<string, Todo> | undefined {
  const { name, args } = call;
  const items = itemsOf(args["todos"] ?? args["plan"] ?? args["items"] ?? args["tasks"]);
  if (items !== undefined) return new Map(items.map((item, index) => [String(index), item]));
  if (!/task|todo/i.test(name)) return undefined;
  const id = idIn(args);
  const subject = textAt(args, "subject", "title", "content");
  if (/create|add/i.test(name) && subject !== "") {
    const made = /#(\d+)|"id":\s*"?([\w-]+)/.exec(call.result.slice(0, 300));
    const key = made?.[1] ?? made?.[2] ?? `n${list.size}`;
    return new Map([...list, [key, { text: clip(subject, 200), status: "open" }]]);
  }
  const known = list.get(id);
  if (known === undefined || !/update|complete|edit|set/i.test(name)) return undefined;
  const status = textAt(args, "status") || (/complete/i.test(name) ? "completed" : known.status);
  const next = new Map(list);
  if (/delete|cancel|remov/i.test(status)) next.delete(id);
  else
    next.set(id, {
      text: subject === "" ? known.text : clip(subject, 200),
      status: statusOf(status),
    });
  return next;
}

function idIn(args: JsonObject): string {
  const id = args["taskId"] ?? args["task_id"] ?? args["id"];
  return typeof id === "string" || typeof id === "number" ? `${id}` : "";
}

/** A list by its form: objects with a status and a text. */
function itemsOf(value: JsonValue | undefined): readonly Todo[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items: readonly JsonValue[] = value;
  const todos = items.slice(0, 100).flatMap((item): readonly Todo[] => {
    if (!isObject(item) || typeof item["status"] !== "string") return [];
    const text = textAt(item, "content", "step", "title", "subject", "text", "task");
    return text === "" ? [] : [{ text: clip(text, 200), status: statusOf(item["status"]) }];
  });
  return todos.length === 0 ? undefined : todos;
}

function statusOf(status: string | undefined): Status {
  if (status === undefined) return "open";
  if (/progress|doing|active|current/i.test(status)) return "doing";
  return /complete|done|closed|finished/i.test(status) ? "done" : "open";
}
