import { messageRole } from "@agent-history/core";
import type {
  ActionEntry,
  ContentPart,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  ObservationEntry,
  OpaquePart,
  ToolCall,
} from "@agent-history/core";
import {
  beginsWithUser,
  cameWith,
  commonRules,
  endsWithUser,
  faultsFor,
  forReader,
  indexOf,
  isJsonObject,
  knownFields,
  mapEntries,
  mapResults,
  nameOf,
  objectArguments,
  parseJson,
  partsOf,
  plainText,
  portableWeight,
  statedIds,
  textOf,
} from "@agent-history/format-kit";
import type {
  AllowedFields,
  AnswerReader,
  CommonRules,
  TargetFormat,
  WireFault,
  WireRule,
} from "@agent-history/format-kit";

import {
  foreignContent,
  fromContents,
  GOOGLE_FORMAT,
  NO_ID,
  toGoogleRequest,
  UNSIGNED,
} from "./contents.ts";
import type { FromContentsOptions, GoogleContentLike } from "./contents.ts";
import {
  foreignStepContent,
  fromInteractionSteps,
  STEP_FORMAT,
  toInteractionSteps,
} from "./interaction-steps.ts";
import type { InteractionStepLike } from "./interaction-steps.ts";

/** Returns the requirements and measures of Gemini's `generateContent`, for `fitForTarget` of `@agent-history/format-kit`. */
export function googleTarget(options: GoogleRuleOptions = {}): TargetFormat {
  return forReader(
    {
      rules: googleRules(options),
      weigh: portableWeight(GOOGLE_FORMAT, foreignContent),
      request: (entries, { viewer }) => toGoogleRequest(entries, viewer),
    },
    options,
  );
}

/**
 * Finds contents that Gemini's `generateContent` would refuse, by rule and position. Linear.
 *
 * @example
 * ```ts
 * import { checkContents } from "@agent-history/google";
 *
 * const faults = checkContents([
 *   { role: "user", parts: [{ text: "To Rome, please." }] },
 *   { role: "model", parts: [{ functionCall: { name: "find", args: {} } }] },
 * ]);
 * faults.map(({ rule, index }) => `${rule} in contents[${index}]`);
 * // => ["thought-signature in contents[1]", "pairing in contents[1]"]
 * ```
 */
export function checkContents(
  contents: readonly GoogleContentLike[],
  { systemInstruction, ...options }: CheckOptions = {},
): readonly WireFault[] {
  return faultsFor(googleTarget(options), fromContents(contents, { systemInstruction }));
}

/** Options that determine which rules apply to a request. */
export interface GoogleRuleOptions extends AnswerReader {
  /** The model. Reasoning of other models is not sent, and models before Gemini 3 need no signatures of calls. Default: unknown; signatures are required. */
  readonly model?: string | undefined;
}

type CheckOptions = GoogleRuleOptions & Pick<FromContentsOptions, "systemInstruction">;

const CALLS = "https://ai.google.dev/gemini-api/docs/function-calling";
const SIGNATURES = "https://ai.google.dev/gemini-api/docs/thought-signatures";
const REFERENCE = "https://ai.google.dev/api/caching#Content";

/** Tool names that both APIs of Gemini accept. */
const TOOL_NAMES: NonNullable<CommonRules["names"]> = {
  source: CALLS,
  isTaken: (name) => /^[a-zA-Z_][\w.:-]{0,63}$/.test(name),
};

/** Returns the rules of Gemini's `generateContent`, in the order in which they are repaired. */
export function googleRules({ model = "" }: GoogleRuleOptions = {}): readonly WireRule[] {
  return [
    ...commonRules({ source: REFERENCE, format: GOOGLE_FORMAT, takes: isTaken, names: TOOL_NAMES }),
    knownFields(REFERENCE, {
      format: GOOGLE_FORMAT,
      message: () => ({}),
      within: ["result", RESPONSE_FIELDS],
      part: () => PART_FIELDS,
      call: { thoughtSignature: true, partMetadata: true, functionCall: { args: true } },
    }),
    objectArguments(CALLS),
    objectResponses,
    emptyThoughts,
    namedResults,
    callsAfterWords,
    resultsInOneContent,
    beginsWithUser(CALLS),
    endsWithUser("https://github.com/crewAIInc/crewAI/issues/6973"),
    ...signedFirstCalls(model, SIGNATURES, isCallSigned),
  ];
}

/** Known parts that become opaque parts. */
const PARTS = new Set([
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
  "audioTranscription",
  "thoughtSignature",
]);

function isTaken(part: ImagePart | FilePart | OpaquePart): boolean {
  if (part.type !== "opaque") return true;
  const keys = isJsonObject(part.data) ? Object.keys(part.data) : [];
  const isKnown = (key: string): boolean =>
    PARTS.has(key) || key === "text" || Object.hasOwn(PART_FIELDS, key);
  return keys.some((key) => PARTS.has(key)) && keys.every(isKnown);
}

const PART_FIELDS: AllowedFields = {
  thought: true,
  thoughtSignature: true,
  videoMetadata: true,
  mediaResolution: true,
  partMetadata: true,
  inlineData: { displayName: true },
  fileData: { displayName: true },
};

const RESPONSE_FIELDS: AllowedFields = {
  functionResponse: { scheduling: true, willContinue: true, response: "absent", parts: true },
  thoughtSignature: true,
  partMetadata: true,
};

/** A result must have the name of its call, and the id if the call has one. */
const namedResults: WireRule = {
  name: "result-name",
  source: CALLS,
  remedy: "copies the name and id from the call to its result",
  repair: (entries) =>
    mapResults(entries, (result, { name, extra: ofCall }) => {
      const { origin, toolName } = result;
      const { [NO_ID]: noId, ...extra } = origin?.extra ?? {};
      const lacksId = noId === true && ofCall?.[NO_ID] !== true;
      if (toolName === name && !lacksId) return result;
      const named = { ...result, toolName: name };
      return lacksId && origin ? { ...named, origin: { ...origin, extra } } : named;
    }),
};

/** A response must be an object. */
const objectResponses: WireRule = {
  name: "response-object",
  source: REFERENCE,
  remedy: "wraps a response that is not an object in `output`",
  extra: (extra, { type, content }) => {
    if (type !== "observation" || extra["json"] !== true) return extra;
    const value = parseJson(plainText(content));
    if (value === undefined || isJsonObject(value)) return extra;
    const { json: _, ...others } = extra;
    return others;
  },
};

/** A thought must have text or a signature. */
const emptyThoughts: WireRule = {
  name: "empty-thought",
  source: SIGNATURES,
  remedy: "removes an empty thought without a signature",
  part: (part) => {
    const fields = part.extra?.["fields"];
    const hasSignature = isJsonObject(fields) && "thoughtSignature" in fields;
    return part.type === "reasoning" && part.text === "" && !hasSignature ? [] : part;
  },
};

/** A content with calls must follow a user content or a response, so model text directly before it is merged into it. */
const callsAfterWords: WireRule = {
  name: "call-after-words",
  source: "https://github.com/google-gemini/gemini-cli/issues/26486",
  remedy: "merges what the model said just before its calls into one content with them",
  repair: (entries, viewer) => {
    const joined: HistoryEntry[] = [];
    for (const entry of entries) {
      const before = joined.at(-1);
      const isWords =
        before !== undefined &&
        before.type !== "action" &&
        messageRole(before, viewer) === "assistant" &&
        before.agent?.id === entry.agent?.id;
      if (entry.type !== "action" || !isWords) joined.push(entry);
      else joined.splice(-1, 1, joinedAction(before, entry));
    }
    return joined.length === entries.length ? entries : joined;
  },
};

function joinedAction(words: HistoryEntry, action: ActionEntry): ActionEntry {
  const said = partsOf(words.content);
  // Format-specific parts of another format cannot move into this action.
  const isOfOne = words.origin?.format === action.origin?.format;
  const own = isOfOne ? said : said.filter(({ type }) => type !== "opaque" && type !== "reasoning");
  const { toolCalls } = action;
  const moved = toolCalls.map((call): ToolCall => {
    const index = call.extra?.["index"];
    if (typeof index !== "number") return call;
    return { ...call, extra: { ...call.extra, index: index + own.length } };
  });
  return { ...action, content: [...own, ...partsOf(action.content)], toolCalls: moved };
}

/** All results of an action must be in one content, because Gemini requires as many responses as calls. */
const resultsInOneContent: WireRule = {
  name: "results-apart",
  source: "https://github.com/google-gemini/gemini-cli/issues/17208",
  remedy: "merges the results of one answer into one content",
  repair: (entries) => {
    let first: ObservationEntry | undefined;
    return mapEntries(entries, (entry) => {
      const before = first;
      first = entry.type === "observation" ? (before ?? entry) : undefined;
      const { origin, ...rest } = entry;
      const lead = before?.origin;
      const isTogether = origin?.message === lead?.message && origin?.format === lead?.format;
      if (first === undefined || before === undefined || isTogether) return entry;
      if (lead?.format !== GOOGLE_FORMAT) return rest;
      const { extra: _, ...shared } = lead;
      const extra = origin?.format === GOOGLE_FORMAT ? origin.extra : undefined;
      return { ...rest, origin: { ...shared, ...(extra && { extra }) } };
    });
  },
};

/** The first call of each answer must have its signature, or the placeholder for a lost one; models before Gemini 3 do not require it. */
function signedFirstCalls(
  model: string,
  source: string,
  isSigned: (action: ActionEntry) => boolean,
): readonly WireRule[] {
  if (/gemini-(?:1|2)[.-]/u.test(model)) return [];
  return [
    {
      name: "thought-signature",
      source,
      remedy: "replaces a lost signature with the documented `skip_thought_signature_validator`",
      call: (call, action) => {
        const isMarked = call !== action.toolCalls[0] || call.extra?.[UNSIGNED] === true;
        return isMarked || isSigned(action)
          ? call
          : { ...call, extra: { ...call.extra, [UNSIGNED]: true } };
      },
    },
  ];
}

function isCallSigned({ toolCalls: [first], origin }: ActionEntry): boolean {
  const isOwn = first !== undefined && origin?.format === GOOGLE_FORMAT;
  return isOwn && nameOf(cameWith(first, "thoughtSignature")) !== undefined;
}

const STEPS = "https://ai.google.dev/api/interactions-api";
const CALL_TURNS = "https://github.com/google-gemini/gemini-cli/issues/26486";

/** Returns the rules of Gemini's Interactions API, in the order in which they are repaired. */
export function interactionRules({ model = "" }: GoogleRuleOptions = {}): readonly WireRule[] {
  return [
    ...commonRules({
      source: STEPS,
      format: STEP_FORMAT,
      takes: isTakenStep,
      names: TOOL_NAMES,
      ids: { source: STEPS, isTaken: () => true },
    }),
    statedIds(STEPS, ["id", "call_id", "arguments", "result"]),
    objectArguments(STEPS),
    unsignedThoughts,
    beginsWithUser(CALL_TURNS),
    endsWithUser("https://github.com/crewAIInc/crewAI/issues/6973"),
    ...signedFirstCalls(model, "https://github.com/earendil-works/pi/pull/2172", isAnswerSigned),
  ];
}

/** Returns the requirements and measures of the Interactions API. */
export function interactionTarget(options: GoogleRuleOptions = {}): TargetFormat {
  return forReader(
    {
      rules: interactionRules(options),
      weigh: portableWeight(STEP_FORMAT, foreignStepContent),
      request: (entries, { viewer }) => ({ input: toInteractionSteps(entries, viewer) }),
    },
    options,
  );
}

/** Finds steps that the Interactions API would refuse, by rule and position. Linear. */
export function checkInteractionSteps(
  steps: readonly InteractionStepLike[],
  { systemInstruction, ...options }: CheckOptions = {},
): readonly WireFault[] {
  return faultsFor(interactionTarget(options), fromInteractionSteps(steps, { systemInstruction }));
}

/** Types of calls and results of tools that the API runs. */
const OF_API =
  /^(?:code_execution|file_search|google_maps|google_search|mcp_server_tool|processing|retrieval|url_context)_(?:call|result)$/u;

function isTakenStep(part: ImagePart | FilePart | OpaquePart): boolean {
  if (part.type !== "opaque") return true;
  return isJsonObject(part.data) && OF_API.test(textOf(part.data["type"]) ?? "");
}

/** A thought must have a signature. */
const unsignedThoughts: WireRule = {
  name: "unsigned-thought",
  source: "https://github.com/googleapis/js-genai/issues/1735",
  remedy: "removes a thought without a signature",
  format: STEP_FORMAT,
  part: (part) => (part.type === "reasoning" && !isSignedThought(part) ? [] : part),
};

function isSignedThought(part: ContentPart): boolean {
  const { signature }: JsonObject =
    part.type === "reasoning" && isJsonObject(part.data) ? part.data : {};
  return nameOf(signature) !== undefined;
}

/** Returns whether an answer has a signature on or before its first call. */
function isAnswerSigned({ toolCalls: [first], content, origin }: ActionEntry): boolean {
  if (origin?.format !== STEP_FORMAT || first === undefined) return false;
  if (nameOf(cameWith(first, "signature")) !== undefined) return true;
  // If the first part of a step was removed, the next one begins the step.
  const steps = partsOf(content).filter(
    ({ extra }, at, all) =>
      extra?.["joins"] !== true || (all[at - 1]?.type ?? "reasoning") === "reasoning",
  );
  return steps.slice(0, indexOf(first.extra?.["index"]) ?? steps.length).some(isSignedThought);
}
