import type {
  Content,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonValue,
  MessageRole,
} from "@agent-history/core";
import { portableContent, writeCall, writeContent } from "@agent-history/format-kit";

import { responseCalls } from "./response-calls.ts";
import { responseInputParts, responseOutputParts } from "./response-parts.ts";

/** Writes an answer that did not come as items: its text as one message, then its calls. */
export function writeForeignAnswer(
  entry: HistoryEntry,
  content: Content | undefined,
): readonly JsonValue[] {
  const said = content === undefined ? "" : writeForeignParts(content, "assistant");
  const calls = entry.type === "action" ? entry.toolCalls : [];
  const message =
    said.length > 0 || calls.length === 0 ? [{ role: "assistant", content: said }] : [];
  return [...message, ...calls.map((call) => writeCall(call, responseCalls, false))];
}

/**
 * Writes a content that did not come as an item, as the Responses API takes it from this role: images and files from users and tools
 * only.
 */
export function writeForeignParts(
  content: Content,
  role: MessageRole,
): string | readonly JsonValue[] {
  const portable = portableContent(
    content,
    (media) => role === "user" && responseInputParts.write(complete(media)) !== undefined,
  );
  const parts = role === "assistant" ? responseOutputParts : responseInputParts;
  return writeContent(completed(portable), parts, false);
}

/** Returns a content that did not come as an item as one that did: what only its own format understands is left out. */
export function foreignContent(content: Content): Content {
  return completed(portableContent(content, () => true));
}

function completed(content: Content): Content {
  if (typeof content === "string") return content;
  return content.map((part) =>
    part.type === "image" || part.type === "file" ? complete(part) : part,
  );
}

/** The API asks for an image's detail, for the name of a file whose bytes are sent, and for their type. */
function complete(part: ImagePart | FilePart): ImagePart | FilePart {
  const isImage = part.type === "image";
  if (isImage) return { detail: "auto", mediaType: "image/png", ...part };
  if (part.source.kind !== "data") return part;
  return { name: "file", mediaType: "application/octet-stream", ...part };
}
