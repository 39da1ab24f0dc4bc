import type { ContentPart, HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject, mapCalls, mapParts, nameOf } from "@agent-history/format-kit";

/** Takes ids of OpenAI's items off the parts and calls of an entry, so that the AI SDK sends them whole and the server asks for nothing beside them. */
export function withoutItemIds(
  entry: HistoryEntry,
  isGone: (id: string) => boolean = () => true,
): HistoryEntry {
  const hasIt = (options: JsonObject | undefined): boolean => {
    const id = itemId(options);
    return id !== undefined && isGone(id);
  };
  const left = mapParts(entry, (part) =>
    hasIt(optionsOf(part)) ? { ...part, extra: withoutId(part.extra) } : part,
  );
  return mapCalls(left, (call) =>
    hasIt(optionsOf(call)) ? { ...call, extra: withoutId(call.extra) } : call,
  );
}

/** Where a part or a call has what only providers read. */
export function optionsOf({
  extra,
  ...one
}: {
  readonly extra?: JsonObject;
  readonly data?: JsonValue;
}): JsonObject | undefined {
  const fields = extra?.["fields"] ?? one.data;
  const options = isJsonObject(fields) ? fields["providerOptions"] : undefined;
  return isJsonObject(options) ? options : undefined;
}

/** Returns the id under which OpenAI holds a part or a call. */
export function itemId(options: JsonObject | undefined): string | undefined {
  const { openai, azure = openai } = options ?? {};
  return isJsonObject(azure) ? nameOf(azure["itemId"]) : undefined;
}

function withoutId(extra: ContentPart["extra"] = {}): JsonObject {
  const { fields } = extra;
  if (!isJsonObject(fields)) return extra;
  const { providerOptions, ...others } = fields;
  const options = Object.entries(isJsonObject(providerOptions) ? providerOptions : {});
  const left = options.map(([name, said]): [string, JsonValue] => {
    if (!isJsonObject(said)) return [name, said];
    const { itemId: _, ...rest } = said;
    return [name, rest];
  });
  return { ...extra, fields: { ...others, providerOptions: Object.fromEntries(left) } };
}
