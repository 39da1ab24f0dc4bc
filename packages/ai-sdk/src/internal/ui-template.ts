import { sameJson } from "@agent-history/core";
import type { JsonObject, JsonValue } from "@agent-history/core";
import { indexOf, isJsonObject } from "@agent-history/format-kit";

/**
 * Returns what a UI message's parts say beyond their entries, for `metadata` to carry: for each part the index of the usual part that it
 * is; `{ of, with, without }` where it has other fields; `{ part }` where none is like it. `undefined` where all are as usual.
 */
export function uiTemplate(
  usual: readonly JsonObject[],
  parts: readonly JsonValue[],
): readonly JsonValue[] | undefined {
  const indexesOf = new Map<string, number[]>();
  for (const index of [...usual.keys()].toReversed()) {
    const kind = kindOf(usual[index]);
    const indexes = indexesOf.get(kind);
    if (indexes === undefined) indexesOf.set(kind, [index]);
    else indexes.push(index);
  }
  const template = parts.map((part): JsonValue => {
    const index = indexesOf.get(kindOf(part))?.pop();
    const like = index === undefined ? undefined : usual[index];
    if (index === undefined || like === undefined || !isJsonObject(part)) return { part };
    return differenceOf(like, part, index);
  });
  const isUsual = template.length === usual.length && template.every((one, index) => one === index);
  return isUsual ? undefined : template;
}

/** Returns the parts that a template stands for. One whose usual part is gone is left out. */
export function fillTemplate(
  usual: readonly JsonObject[],
  template: readonly JsonValue[],
): readonly JsonValue[] {
  return template.flatMap((one): readonly JsonValue[] => {
    const { part, of, with: changed, without } = isJsonObject(one) ? one : { of: one };
    if (part !== undefined) return [part];
    const like = usual[indexOf(of) ?? -1];
    if (like === undefined) return [];
    const left = Array.isArray(without) ? without : [];
    const kept = Object.entries(like).filter(([key]) => !left.includes(key));
    return [{ ...Object.fromEntries(kept), ...(isJsonObject(changed) ? changed : {}) }];
  });
}

function differenceOf(like: JsonObject, part: JsonObject, of: number): JsonValue {
  const changed = Object.entries(part).filter(
    ([key, value]) => !Object.hasOwn(like, key) || !sameJson(like[key] ?? null, value),
  );
  const without = Object.keys(like).filter((key) => !Object.hasOwn(part, key));
  if (changed.length === 0 && without.length === 0) return of;
  return {
    of,
    ...(changed.length > 0 && { with: Object.fromEntries(changed) }),
    ...(without.length > 0 && { without }),
  };
}

/** A tool's part is known by its call, others by their type. */
function kindOf(part: JsonValue | undefined): string {
  const { type, toolCallId } = isJsonObject(part) ? part : {};
  return JSON.stringify(typeof toolCallId === "string" ? { toolCallId } : { type: type ?? null });
}
