import type { ContentPart, JsonObject, JsonValue } from "@agent-history/core";
import type { PartCodec } from "@agent-history/format-kit";

import { readAudio, readFile, readImage, writeAudio, writeFile, writeImage } from "./chat-media.ts";

/** The parts of a chat message. */
export const chatParts: PartCodec = {
  read: (wire) => {
    switch (wire["type"]) {
      case "text":
        return readText(wire["text"]);
      case "refusal":
        // A refusal is text that is written under another name.
        return readText(wire["refusal"], { as: "refusal" });
      case "image_url":
        return readImage(wire["image_url"]);
      case "input_audio":
        return readAudio(wire["input_audio"]);
      case "file":
        return readFile(wire["file"]);
      default:
        return undefined;
    }
  },
  write: (part) => {
    switch (part.type) {
      case "text":
        return part.extra?.["as"] === "refusal"
          ? { type: "refusal", refusal: part.text }
          : { type: "text", text: part.text };
      case "image":
        return writeImage(part);
      case "file":
        return writeAudio(part) ?? writeFile(part);
      case "reasoning":
      case "opaque":
        return undefined;
    }
  },
};

function readText(text: JsonValue | undefined, extra?: JsonObject): ContentPart | undefined {
  if (typeof text !== "string") return undefined;
  return { type: "text", text, ...(extra !== undefined && { extra }) };
}
