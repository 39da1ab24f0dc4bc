import type {
  Content,
  ContentPart,
  FilePart,
  ImagePart,
  JsonObject,
  JsonValue,
  ObservationEntry,
} from "@agent-history/core";
import {
  argumentsOf,
  isJsonObject,
  nameOf,
  parseJson,
  partsOf,
  plainText,
  portableContent,
  readPart,
  textOf,
  withoutUndefined,
  writeParts,
} from "@agent-history/format-kit";
import type { CallCodec, PartCodec } from "@agent-history/format-kit";

/** Stands in `origin.format` of what came as contents of Gemini's API. */
export const GOOGLE_FORMAT = "google";

/** The parts of a content that are neither calls nor responses. A part that holds nothing but a signature is carried whole. */
export const googleParts: PartCodec = {
  read: (wire) => {
    const { text, thought, inlineData, fileData } = wire;
    if (typeof text === "string") {
      if (text === "" && "thoughtSignature" in wire) return undefined;
      return thought === true ? { type: "reasoning", text } : { type: "text", text };
    }
    if (isJsonObject(inlineData)) {
      const base64 = textOf(inlineData["data"]);
      const source = base64 === undefined ? undefined : ({ kind: "data", base64 } as const);
      return source && mediaOf(source, inlineData);
    }
    const url = isJsonObject(fileData) ? textOf(fileData["fileUri"]) : undefined;
    if (!isJsonObject(fileData) || url === undefined) return undefined;
    return mediaOf({ kind: "url", url }, fileData);
  },
  write: (part) => {
    switch (part.type) {
      case "text":
        return { text: part.text };
      case "reasoning":
        return { text: part.text, thought: true };
      case "image":
      case "file":
        return writeMedia(part);
      case "opaque":
        return undefined;
    }
  },
};

function mediaOf(
  source: ImagePart["source"],
  { mimeType, displayName }: JsonObject,
): ImagePart | FilePart {
  const mediaType = textOf(mimeType);
  const typed = { source, ...(mediaType !== undefined && { mediaType }) };
  if (mediaType?.startsWith("image/") === true) return { type: "image", ...typed };
  const name = textOf(displayName);
  return { type: "file", ...typed, ...(name !== undefined && { name }) };
}

function writeMedia(part: ImagePart | FilePart): JsonObject | undefined {
  const { source, mediaType } = part;
  const displayName = part.type === "file" ? part.name : undefined;
  switch (source.kind) {
    case "data": {
      const mimeType = mediaType ?? (part.type === "image" ? "image/png" : "application/pdf");
      return { inlineData: withoutUndefined({ mimeType, data: source.base64, displayName }) };
    }
    case "url":
      return {
        fileData: withoutUndefined({ mimeType: mediaType, fileUri: source.url, displayName }),
      };
    case "text":
      return { text: source.text };
    case "id":
      return undefined;
  }
}

/** Returns a content of another format as Gemini takes it: media as bytes or by address, nothing of another provider's store. */
export function foreignContent(content: Content): Content {
  return portableContent(content, ({ source }) => source.kind !== "id");
}

/** Stands for the signature of a call that has lost its own: https://ai.google.dev/gemini-api/docs/thought-signatures */
export const NO_SIGNATURE = "skip_thought_signature_validator";

/** Marks a call that has lost its signature. */
export const UNSIGNED = "unsigned";

/** The calls of a model's content. */
export const googleCalls: CallCodec = {
  read: ({ functionCall: made }, fallbackId) => {
    if (!isJsonObject(made)) return undefined;
    const name = nameOf(made["name"]) ?? "unknown_tool";
    const given = made["args"] ?? {};
    return { id: nameOf(made["id"]) ?? fallbackId, name, arguments: JSON.stringify(given) };
  },
  write: ({ id, name, arguments: text }) => {
    return { functionCall: { id, name, args: argumentsOf(text) } };
  },
};

/** Returns the part of a result. What came as anything but a text in `output` or `error` is written as it came. */
export function responsePart(
  {
    callId,
    toolName,
    outcome,
    content,
  }: Pick<ObservationEntry, "callId" | "toolName" | "outcome" | "content">,
  { isOwn, isJson }: { readonly isOwn: boolean; readonly isJson: boolean },
): JsonObject {
  const text = plainText(content);
  const value = isJson ? parseJson(text) : undefined;
  const usual = { [outcome === "success" ? "output" : "error"]: text };
  const media = partsOf(content).filter(({ type }) => type !== "text");
  const parts = writeParts(media, googleParts, isOwn);
  return {
    functionResponse: {
      id: callId,
      name: toolName,
      response: value ?? usual,
      ...(parts.length > 0 && { parts }),
    },
  };
}

/** Reads what a result says, and whether that is JSON. */
export function readResponse(given: JsonObject): {
  readonly content: Content;
  readonly outcome: ObservationEntry["outcome"];
  readonly isJson: boolean;
} {
  const { response = {}, parts } = given;
  const fields = isJsonObject(response) ? response : {};
  const [key, ...others] = Object.keys(fields);
  const said = key === undefined ? undefined : fields[key];
  const isPlain = others.length === 0 && (key === "output" || key === "error");
  const text = isPlain && typeof said === "string" ? said : JSON.stringify(response);
  const media = (Array.isArray(parts) ? parts : []).map((part: JsonValue): ContentPart => {
    return readPart(part, googleParts);
  });
  return {
    content: media.length === 0 ? text : [{ type: "text", text }, ...media],
    outcome: key === "error" && others.length === 0 ? "error" : "success",
    isJson: !(isPlain && typeof said === "string"),
  };
}
