import type { HistoryEntry, JsonObject, JsonValue } from "@agent-history/core";
import { fieldsChanged, isJsonObject, nameOf } from "@agent-history/format-kit";

/** Takes ids of OpenAI's items off the parts and calls of an entry, so that the AI SDK sends them whole and the server asks for nothing beside them. */
export function withoutItemIds(
  entry: HistoryEntry,
  isGone: (id: string) => boolean = () => true,
): HistoryEntry {
  const bare = fieldsChanged((fields) => {
    const id = itemIdIn(fields);
    return id === undefined || !isGone(id) ? fields : withoutId(fields);
  });
  return bare(entry);
}

/** Returns the id under which OpenAI holds a part or a call, in what only providers read. */
export function itemIdIn({ providerOptions }: JsonObject): string | undefined {
  const { openai, azure = openai } = isJsonObject(providerOptions) ? providerOptions : {};
  return isJsonObject(azure) ? nameOf(azure["itemId"]) : undefined;
}

function withoutId({ providerOptions, ...others }: JsonObject): JsonObject {
  const options = Object.entries(isJsonObject(providerOptions) ? providerOptions : {});
  const left = options.map(([name, said]): [string, JsonValue] => {
    if (!isJsonObject(said)) return [name, said];
    const { itemId: _, ...rest } = said;
    return [name, rest];
  });
  return { ...others, providerOptions: Object.fromEntries(left) };
}
