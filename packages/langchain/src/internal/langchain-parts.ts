import type { ContentPart, JsonObject } from "@agent-history/core";
import { isJsonObject, textOf } from "@agent-history/format-kit";
import type { PartCodec } from "@agent-history/format-kit";

import { readMedia, writeMedia } from "./langchain-media.ts";

/** The blocks of a message: those of LangChain, and those of providers that stand in its messages. */
export const langChainParts: PartCodec = {
  read: (wire) => {
    switch (wire["type"]) {
      case "text":
        return readText(wire);
      case "reasoning":
        return readReasoning(wire, "reasoning");
      case "thinking":
        return readReasoning(wire, "thinking");
      default:
        return readMedia(wire);
    }
  },
  write: (part) => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "reasoning":
        return writeReasoning(part);
      case "image":
      case "file":
        return writeMedia(part);
      case "opaque":
        return undefined;
    }
  },
};

function readText({ text }: JsonObject): ContentPart | undefined {
  return typeof text === "string" ? { type: "text", text } : undefined;
}

/** The text stands in a field that is called as the block is; a signature counts, too. */
function readReasoning(wire: JsonObject, field: "reasoning" | "thinking"): ContentPart | undefined {
  const { type: _, [field]: text, ...data } = wire;
  if (typeof text !== "string") return undefined;
  const beside = Object.keys(data).length > 0 ? { data } : {};
  return { type: "reasoning", text, ...beside, extra: { as: field } };
}

function writeReasoning(part: ContentPart & { type: "reasoning" }): JsonObject {
  const as = textOf(part.extra?.["as"]) ?? "reasoning";
  const data = isJsonObject(part.data) ? part.data : {};
  return { type: as, [as]: part.text, ...data };
}
