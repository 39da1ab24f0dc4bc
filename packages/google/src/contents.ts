import { messageRole } from "@agent-history/core";
import type {
  Content,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  JsonValue,
  ObservationEntry,
  Viewer,
} from "@agent-history/core";
import {
  argumentsOf,
  callBlock,
  contradicts,
  indexOf,
  isJsonObject,
  mergeJson,
  nameOf,
  parseJson,
  partsOf,
  placeCalls,
  plainText,
  portableContent,
  readAnswer,
  readCall,
  readContent,
  readInstructions,
  readMessages,
  readPart,
  readUser,
  shownContent,
  sourceOf,
  textOf,
  toJson,
  wireDifference,
  withoutUndefined,
  writeAnswer,
  writeCall,
  writeMessages,
  writeParts,
} from "@agent-history/format-kit";
import type {
  AnswerBlock,
  CallCodec,
  MessageFormat,
  ParsedMessage,
  PartCodec,
  ReadContext,
  ReadOptions,
  WriteContext,
} from "@agent-history/format-kit";

/** `origin.format` of entries read from contents of Gemini's API. */
export const GOOGLE_FORMAT = "google";

/** Input of {@link fromContents}: a content of the SDK, as JSON, or of another API version. */
export interface GoogleContentLike {
  readonly role?: string | undefined;
  readonly parts?: readonly object[] | undefined;
}

/** A content as it is written, for `contents` of `generateContent`. */
export interface GoogleContent {
  role: "user" | "model";
  parts: GooglePart[];
}

/** A part as it is written. */
export interface GooglePart {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  inlineData?: { mimeType?: string; data?: string; displayName?: string };
  fileData?: { mimeType?: string; fileUri?: string; displayName?: string };
  functionCall?: { id?: string; name?: string; args?: Record<string, unknown> };
  functionResponse?: { id?: string; name?: string; response?: Record<string, unknown> };
}

/** Options of {@link fromContents}. */
export interface FromContentsOptions extends ReadOptions {
  /** The `systemInstruction` of the request: a text, a content or parts. It becomes the first entry, a `system_message`, so that it is counted. Default: none. */
  readonly systemInstruction?: string | object | undefined;
}

/**
 * Converts contents of Gemini's API to entries. `toContents` restores the same contents, including unknown fields and unknown parts. Linear.
 *
 * A model content with function calls becomes an `action`, each `functionResponse` an `observation`; the parts between responses become a `user_message`. Thought signatures stay with
 * their original part. Calls and responses without ids are paired by name, in order.
 *
 * Without `newId`, ids are derived from position and text (`google-3-1k2x9f`): pass the full conversation at each call, with new contents at the end; earlier contents keep
 * their ids, so that a reducer can continue its previous plan.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `contents` is not an array, or `systemInstruction` is neither a text, a content nor parts.
 *
 * @example
 * ```ts
 * import { fromContents } from "@agent-history/google";
 *
 * const contents = [{ role: "user", parts: [{ text: "To Rome, please." }] }];
 * const entries = fromContents(contents, { systemInstruction: "You book flights." });
 * entries.map(({ type }) => type);
 * // => ["system_message", "user_message"]
 * ```
 */
export function fromContents(
  contents: readonly GoogleContentLike[],
  options: FromContentsOptions = {},
): readonly HistoryEntry[] {
  const { systemInstruction, ...stamp } = options;
  const entries = readMessages(googleFormat, contents, stamp);
  return [...readInstruction(systemInstruction, stamp), ...entries];
}

/** Reads the instruction of a request as an entry of a format. */
export function readInstruction(
  instruction: string | object | undefined,
  options: ReadOptions,
  format: string = GOOGLE_FORMAT,
): readonly HistoryEntry[] {
  const wire = instruction === undefined ? undefined : partsIn(toJson(instruction));
  const place = { format, field: "systemInstruction", as: "system", codec: googleParts };
  return readInstructions(wire, place, options);
}

function partsIn(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  return "parts" in value ? partsIn(value["parts"] ?? []) : [value];
}

/**
 * Converts entries to contents of Gemini's API, in order and without repairs: entries that were read from contents become those contents again, with their present text. Linear. A `systemInstruction` that `fromContents`
 * read is omitted, because the request sends it separately; other system messages get the user role, since contents have no system role.
 *
 * @param viewer - The reader of the prompt: its own `final` becomes a model content, another agent's a user content.
 *
 * @example
 * ```ts
 * import { action, observation } from "@agent-history/core";
 * import { toContents } from "@agent-history/google";
 *
 * const call = { id: "c1", name: "find", arguments: '{"to":"Rome"}' };
 * const said = { callId: "c1", toolName: "find", outcome: "success", content: "Two flights." } as const;
 * toContents([action({ toolCalls: [call] }), observation(said)]);
 * // => [
 * //   { role: "model", parts: [{ functionCall: { id: "c1", name: "find", args: { to: "Rome" } } }] },
 * //   {
 * //     role: "user",
 * //     parts: [{ functionResponse: { id: "c1", name: "find", response: { output: "Two flights." } } }],
 * //   },
 * // ]
 * ```
 */
export function toContents(entries: readonly HistoryEntry[], viewer: Viewer = {}): GoogleContent[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a content goes out as one, whatever its provider put there
  return writeMessages(googleFormat, entries, { viewer }) as GoogleContent[];
}

/** Fields of a request: `ai.models.generateContent({ model, contents, config: { systemInstruction } })`. */
export interface GoogleRequest {
  readonly contents: GoogleContent[];
  /** The system messages at the beginning of the conversation; absent if there are none. */
  readonly systemInstruction?: { readonly parts: GooglePart[] };
}

/**
 * Converts entries to contents, and the system messages at the beginning to instructions, for conversations whose instructions are entries. Does not repair; use `fitContents` for that. Linear.
 *
 * @param viewer - The reader of the prompt.
 *
 * @example
 * ```ts
 * import { systemMessage, userMessage } from "@agent-history/core";
 * import { toGoogleRequest } from "@agent-history/google";
 *
 * const entries = [systemMessage({ content: "You book flights." }), userMessage({ content: "To Rome." })];
 * toGoogleRequest(entries);
 * // => {
 * //   contents: [{ role: "user", parts: [{ text: "To Rome." }] }],
 * //   systemInstruction: { parts: [{ text: "You book flights." }] },
 * // }
 * ```
 */
export function toGoogleRequest(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): GoogleRequest {
  const leading = leadingInstructions(entries, viewer);
  const parts = leading.flatMap((entry) => {
    const isOwn = entry.origin?.format === GOOGLE_FORMAT;
    const shown = shownContent(entry) ?? "";
    return writeParts(isOwn ? shown : foreignContent(shown), googleParts, isOwn);
  });
  const contents = toContents(entries.slice(leading.length), viewer);
  if (parts.length === 0) return { contents };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as parts goes out as such, whatever its provider put there
  return { contents, systemInstruction: { parts: parts as readonly object[] as GooglePart[] } };
}

/** Returns the system messages at the beginning of a conversation. */
export function leadingInstructions(
  entries: readonly HistoryEntry[],
  viewer: Viewer,
): readonly HistoryEntry[] {
  const start = entries.findIndex((entry) => messageRole(entry, viewer) !== "system");
  return start < 0 ? entries : entries.slice(0, start);
}

/** Contents of Gemini's `generateContent`. In a content with responses, each response is an observation and the parts between them are a `user_message`. */
const googleFormat: MessageFormat = {
  name: GOOGLE_FORMAT,
  idPrefix: "google",
  types: ["system_message", "user_message", "assistant_message", "action", "observation"],
  shape: "grouped",
  read: readContentOf,
  write: (run, context) => {
    const [first] = run;
    // The request sends the instruction separately.
    if (context.isOwn && first.origin?.extra?.["as"] === "system") return undefined;
    const role = messageRole(first, context.viewer) === "assistant" ? "model" : "user";
    return { role, parts: writeAnswer<JsonValue>(run, (entry) => writeEntry(entry, context)) };
  },
};

function writeEntry(entry: HistoryEntry, { isOwn, callOf }: WriteContext): readonly JsonValue[] {
  const shown = shownContent(entry) ?? "";
  const content = isOwn ? shown : foreignContent(shown);
  if (entry.type === "observation") {
    const extra = (isOwn ? entry.origin?.extra : callOf(entry)?.extra) ?? {};
    const { result, ...as } = extra;
    const usual = responsePart({ ...entry, content }, as, isOwn);
    return [mergeJson(usual, isJsonObject(result) ? result : undefined)];
  }
  const parts = writeParts(content, googleParts, isOwn);
  if (entry.type !== "action") return parts;
  const calls = entry.toolCalls.map((call) => {
    const written: JsonObject = writeCall(call, googleCalls, isOwn);
    const isUnsigned = call.extra?.[UNSIGNED] === true;
    return {
      block: isUnsigned ? { ...written, thoughtSignature: NO_SIGNATURE } : written,
      index: isOwn ? indexOf(call.extra?.["index"]) : undefined,
    };
  });
  return placeCalls<JsonValue>(parts, calls);
}

/** Reads a content; an empty list if its role is unknown or it has no `parts`. */
function readContentOf(
  { role, parts }: JsonObject,
  context: ReadContext,
): readonly ParsedMessage[] {
  const isModel = role === "model";
  const isKnown = isModel || role === undefined || role === "user" || role === "function";
  if (!Array.isArray(parts) || !isKnown) return [];
  if (parts.length === 0) {
    return [{ says: { type: isModel ? "assistant_message" : "user_message", content: [] } }];
  }
  return isModel
    ? readAnswerParts(parts, context)
    : readUser(parts, googleParts, (part, at) => readResult(part, context, at));
}

function readResult(
  part: JsonValue,
  { index, waiting }: ReadContext,
  at: number,
): ParsedMessage | undefined {
  const given = isJsonObject(part) ? part["functionResponse"] : undefined;
  if (!isJsonObject(part) || !isJsonObject(given)) return undefined;
  const id = nameOf(given["id"]);
  const name = nameOf(given["name"]);
  // Older models send calls and responses without ids, which are paired by name.
  const call =
    (id === undefined ? undefined : waiting.answer(id)) ??
    (name === undefined ? undefined : waiting.answer(keyOf(name)));
  const callId = call?.id ?? id ?? `call_${index}_${at}`;
  const toolName = name ?? call?.name ?? "unknown_tool";
  const { isJson, ...said } = readResponse(given);
  const says = { type: "observation", callId, toolName, ...said } as const;
  const as = { ...(isJson && { json: true }), ...(id === undefined && { [NO_ID]: true }) };
  const usual = responsePart(says, as, true);
  const difference = wireDifference(usual, part);
  if (difference !== undefined && contradicts(difference, usual)) return undefined;
  const extra = { ...as, ...(difference !== undefined && { result: difference }) };
  return { says, ...(Object.keys(extra).length > 0 && { extra }) };
}

function keyOf(name: string): string {
  return `name ${name}`;
}

function readAnswerParts(
  parts: readonly JsonValue[],
  { index, waiting }: ReadContext,
): readonly ParsedMessage[] {
  const blocks = parts.map((part, at): AnswerBlock => {
    const made = isJsonObject(part) ? part["functionCall"] : undefined;
    if (!isJsonObject(made)) return { kind: "parts", parts: [readPart(part, googleParts)] };
    const call = readCall(part, googleCalls, `call_${index}_${at}`);
    return callBlock(call, nameOf(made["id"]) ?? keyOf(nameOf(made["name"]) ?? "unknown_tool"));
  });
  return readAnswer(blocks, waiting);
}

/** The parts of a content other than calls and responses. A part with only a signature becomes an opaque part. */
const googleParts: PartCodec = {
  read: (wire) => {
    const { text, thought, inlineData, fileData } = wire;
    if (typeof text === "string") {
      if (text === "" && "thoughtSignature" in wire) return undefined;
      return thought === true ? { type: "reasoning", text } : { type: "text", text };
    }
    const isInline = isJsonObject(inlineData);
    const media = isInline ? inlineData : fileData;
    const payload = isJsonObject(media) ? textOf(media[isInline ? "data" : "fileUri"]) : undefined;
    if (!isJsonObject(media) || payload === undefined) return undefined;
    const mediaType = textOf(media["mimeType"]);
    const source = sourceOf(isInline ? "data" : "url", payload);
    const typed = { source, ...(mediaType !== undefined && { mediaType }) };
    if (mediaType?.startsWith("image/") === true) return { type: "image", ...typed };
    const name = textOf(media["displayName"]);
    return { type: "file", ...typed, ...(name !== undefined && { name }) };
  },
  write: (part) => {
    if (part.type === "text") return { text: part.text };
    if (part.type === "reasoning") return { text: part.text, thought: true };
    return part.type === "opaque" ? undefined : writeMedia(part);
  },
};

function writeMedia(part: ImagePart | FilePart): JsonObject | undefined {
  const { source, mediaType } = part;
  if (source.kind === "text") return { text: source.text };
  if (source.kind === "id") return undefined;
  const displayName = part.type === "file" ? part.name : undefined;
  const named = withoutUndefined({ mimeType: mediaType, displayName });
  if (source.kind === "url") return { fileData: { ...named, fileUri: source.url } };
  const mimeType = part.type === "image" ? "image/png" : "application/pdf";
  return { inlineData: { mimeType, ...named, data: source.base64 } };
}

/** Returns content of another format as Gemini accepts it: media as bytes or by URL, but not from another provider's file store. */
export function foreignContent(content: Content): Content {
  return portableContent(content, ({ source }) => source.kind !== "id");
}

/** Documented placeholder for a lost signature of a call: https://ai.google.dev/gemini-api/docs/thought-signatures */
export const NO_SIGNATURE = "skip_thought_signature_validator";

/** Marks a call whose signature was lost. */
export const UNSIGNED = "unsigned";

/** Marks a call or a result without an id. */
export const NO_ID = "noId";

/** The calls of a model content. */
const googleCalls: CallCodec = {
  read: ({ functionCall: made }, fallbackId) => {
    if (!isJsonObject(made)) return undefined;
    const id = nameOf(made["id"]);
    const name = nameOf(made["name"]) ?? "unknown_tool";
    const call = { id: id ?? fallbackId, name, arguments: JSON.stringify(made["args"] ?? {}) };
    return id === undefined ? { ...call, extra: { [NO_ID]: true } } : call;
  },
  write: ({ id, name, arguments: text, extra }) => {
    const named = extra?.[NO_ID] === true ? { name } : { id, name };
    return { functionCall: { ...named, args: argumentsOf(text) } };
  },
};

/** The content of a result. */
export type Result = Pick<ObservationEntry, "callId" | "toolName" | "outcome" | "content">;

/** Returns the part of a result. A response other than a text in `output` or `error` is written as its JSON value. */
function responsePart(
  { callId, toolName, outcome, content }: Result,
  as: JsonObject,
  isOwn: boolean,
): JsonObject {
  const text = plainText(content);
  const value = as["json"] === true ? parseJson(text) : undefined;
  const response = value ?? { [outcome === "success" ? "output" : "error"]: text };
  const media = partsOf(content).filter(({ type }) => type !== "text");
  const parts = writeParts(media, googleParts, isOwn);
  const named = as[NO_ID] === true ? { name: toolName } : { id: callId, name: toolName };
  return { functionResponse: { ...named, response, ...(parts.length > 0 && { parts }) } };
}

/** The content and outcome of a result, and whether the content is JSON. */
export interface ReadResponse extends Pick<Result, "content" | "outcome"> {
  readonly isJson: boolean;
}

function readResponse({ response = {}, parts }: JsonObject): ReadResponse {
  const [[key, said] = [], ...others] = Object.entries(isJsonObject(response) ? response : {});
  const isAlone = others.length === 0;
  const isPlain = isAlone && (key === "output" || key === "error") && typeof said === "string";
  const text = isPlain ? said : JSON.stringify(response);
  const media = partsOf(readContent(Array.isArray(parts) ? parts : [], googleParts));
  return {
    content: media.length === 0 ? text : [{ type: "text", text }, ...media],
    outcome: key === "error" && isAlone ? "error" : "success",
    isJson: !isPlain,
  };
}
