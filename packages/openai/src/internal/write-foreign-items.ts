import type {
  Content,
  ContentPart,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  MessageRole,
} from "@agent-history/core";
import { writeCall } from "@agent-history/format-kit";

import { responseCalls } from "./response-calls.ts";
import { responseInputParts } from "./response-parts.ts";

/** Writes an answer that did not come as items: its text as one message, then its calls. */
export function writeForeignAnswer(
  entry: HistoryEntry,
  content: Content | undefined,
): readonly JsonObject[] {
  const said = content === undefined ? "" : writeForeignParts(content, "assistant");
  const calls = entry.type === "action" ? entry.toolCalls : [];
  const message =
    said.length > 0 || calls.length === 0 ? [{ role: "assistant", content: said }] : [];
  return [...message, ...calls.map((call) => writeCall(call, responseCalls, false))];
}

/**
 * Writes a content that did not come as an item, as the Responses API takes it from this role: images and files from users
 * and tools only, elsewhere one line of text says what was there. Reasoning and opaque data are of no use to another format.
 */
export function writeForeignParts(
  content: Content,
  role: MessageRole,
): string | readonly JsonObject[] {
  if (typeof content === "string") return content;
  const parts = content.flatMap((part) => writePart(part, role));
  return parts.length === 0 ? "" : parts;
}

/** Gives a content that did not come as an item as one that did: what only its own format understands is left out. */
export function foreignContent(content: Content): Content {
  if (typeof content === "string") return content;
  const parts = content.flatMap((part): readonly ContentPart[] => {
    if (part.type === "reasoning" || part.type === "opaque") return [];
    const { extra: _, ...said } = part;
    if (said.type === "text") return [said];
    const { source } = said;
    if (source.kind !== "text") return [complete(said)];
    return [...nameOf(said), { type: "text", text: source.text }];
  });
  return parts.length === 0 ? "" : parts;
}

function writePart(part: ContentPart, role: MessageRole): readonly JsonObject[] {
  switch (part.type) {
    case "text":
      return [text(part.text, role)];
    case "image":
    case "file":
      return writeMedia(part, role);
    case "reasoning":
    case "opaque":
      return [];
  }
}

function writeMedia(part: ImagePart | FilePart, role: MessageRole): readonly JsonObject[] {
  const { source } = part;
  if (role === "user" && source.kind !== "text") {
    // Extra is what another format carries: it says nothing here.
    const { extra: _, ...media } = part;
    const written = responseInputParts.write(complete(media));
    if (written !== undefined) return [written];
  }
  const name = nameOf(part).map((one) => text(one.text, role));
  if (source.kind === "text") return [...name, text(source.text, role)];
  const stub = source.kind === "url" && part.type === "file" ? source.url : `[${part.type}]`;
  return [...name, text(stub, role)];
}

/** The API asks for an image's detail, for the name of a file whose bytes are sent, and for their type. */
function complete(part: ImagePart | FilePart): ImagePart | FilePart {
  const isImage = part.type === "image";
  if (isImage) return { detail: "auto", mediaType: "image/png", ...part };
  if (part.source.kind !== "data") return part;
  return { name: "file", mediaType: "application/octet-stream", ...part };
}

function nameOf(
  part: ImagePart | FilePart,
): readonly { readonly type: "text"; readonly text: string }[] {
  return part.type === "file" && part.name !== undefined ? [{ type: "text", text: part.name }] : [];
}

function text(said: string, role: MessageRole): JsonObject {
  return { type: role === "assistant" ? "output_text" : "input_text", text: said };
}
