import type { JsonValue, SummaryPart } from "@agent-history/core";

import { isObject, textAt } from "./calls.ts";
import type { Call } from "./calls.ts";
import { clip } from "./text.ts";

type Todo = Pick<SummaryPart, "text"> & { readonly state: string };

/** Replays the calls of todo tools on the list of an earlier summary. `undefined` if no call changes it. */
export function replayTodos(
  calls: readonly Call[],
  previous: readonly SummaryPart[],
): readonly SummaryPart[] {
  let at: number | undefined;
  let list = new Map(
    previous.flatMap(({ kind, key, text, state = "open" }): [string, Todo][] =>
      kind === "todo" ? [[key, { text, state }]] : [],
    ),
  );
  for (const call of calls) {
    const next = changed(list, call);
    if (next !== undefined) [list, at] = [next, call.at];
  }
  if (at === undefined) return [];
  const changedAt = at;
  return [...list].map(([key, todo]) => ({ kind: "todo", key, ...todo, at: changedAt }));
}

function changed(
  list: ReadonlyMap<string, Todo>,
  { name, args, result }: Call,
): Map<string, Todo> | undefined {
  const items = itemsOf(args["todos"] ?? args["plan"] ?? args["items"] ?? args["tasks"]);
  if (items.length > 0) return new Map(items.map((item, index) => [String(index), item]));
  if (!/task|todo/i.test(name)) return undefined;
  const text = clip(textAt(args, "subject", "title", "content"), 200);
  if (/create|add/i.test(name) && text !== "") {
    const [, number, made] = /#(\d+)|"id":\s*"?([\w-]+)/.exec(result.slice(0, 300)) ?? [];
    return new Map([...list, [number ?? made ?? `n${list.size}`, { text, state: "open" }]]);
  }
  const given = args["taskId"] ?? args["task_id"] ?? args["id"];
  const id = typeof given === "number" ? String(given) : typeof given === "string" ? given : "";
  const known = list.get(id);
  if (known === undefined || !/update|complete|edit|set/i.test(name)) return undefined;
  const status = textAt(args, "status") || (/complete/i.test(name) ? "completed" : known.state);
  const next = new Map(list);
  if (/delete|cancel|remov/i.test(status)) next.delete(id);
  else next.set(id, { text: text || known.text, state: statusOf(status) });
  return next;
}

/** Recognizes a list by its shape: objects with a status and a text. */
function itemsOf(value: JsonValue | undefined): readonly Todo[] {
  const items: readonly JsonValue[] = Array.isArray(value) ? value : [];
  return items.slice(0, 100).flatMap((item): readonly Todo[] => {
    if (!isObject(item) || typeof item["status"] !== "string") return [];
    const text = clip(textAt(item, "content", "step", "title", "subject", "text", "task"), 200);
    return text === "" ? [] : [{ text, state: statusOf(item["status"]) }];
  });
}

function statusOf(status: string): string {
  if (/progress|doing|active|current/i.test(status)) return "doing";
  return /complete|done|closed|finished/i.test(status) ? "done" : "open";
}
