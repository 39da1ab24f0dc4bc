import type {
  ActionEntry,
  ContentPart,
  FilePart,
  ImagePart,
  OpaquePart,
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
  objectArguments,
  partsOf,
  plainText,
  portableWeight,
  statedIds,
  textOf,
} from "@agent-history/format-kit";
import type { TargetFormat, WireFault, WireRule } from "@agent-history/format-kit";

import type { FromContentsOptions } from "./contents.ts";
import { signedFirstCalls, TOOL_NAMES } from "./google-rules.ts";
import type { GoogleRuleOptions } from "./google-rules.ts";
import {
  foreignStepContent,
  fromInteractionSteps,
  readStepResult,
  STEP_FORMAT,
  toInteractionSteps,
} from "./interaction-steps.ts";
import type { InteractionStepLike } from "./interaction-steps.ts";

const REFERENCE = "https://ai.google.dev/api/interactions-api";
const CALL_TURNS = "https://github.com/google-gemini/gemini-cli/issues/26486";

/** Returns what Gemini's Interactions API refuses in steps, in the order in which it is repaired. */
export function interactionRules({ model = "" }: GoogleRuleOptions = {}): readonly WireRule[] {
  return [
    resultsAsText,
    ...commonRules({
      source: REFERENCE,
      format: STEP_FORMAT,
      takes: isTaken,
      names: TOOL_NAMES,
      ids: { source: REFERENCE, isTaken: () => true },
    }),
    statedIds(REFERENCE, ["id", "call_id", "arguments", "result"]),
    objectArguments(REFERENCE),
    unsignedThoughts,
    beginsWithUser(CALL_TURNS, "(The assistant begins.)"),
    endsWithUser("https://github.com/crewAIInc/crewAI/issues/6973", "(Continue.)"),
    ...signedFirstCalls(model, {
      source: "https://github.com/earendil-works/pi/pull/2172",
      isSigned: isAnswerSigned,
    }),
  ];
}

/** Returns what the Interactions API takes, and what an entry costs there. */
export function interactionTarget(options: GoogleRuleOptions = {}): TargetFormat {
  const target: TargetFormat = {
    rules: interactionRules(options),
    weigh: portableWeight(STEP_FORMAT, foreignStepContent),
    request: (entries, { viewer }) => ({ input: toInteractionSteps(entries, viewer) }),
  };
  return forReader(target, options);
}

/** Finds what the Interactions API would refuse in steps, by rule and place: as `checkContents` does in contents. Linear. */
export function checkInteractionSteps(
  steps: readonly InteractionStepLike[],
  {
    systemInstruction,
    ...options
  }: GoogleRuleOptions & Pick<FromContentsOptions, "systemInstruction"> = {},
): readonly WireFault[] {
  const read = systemInstruction === undefined ? {} : { systemInstruction };
  return faultsFor(interactionTarget(options), fromInteractionSteps(steps, read));
}

/** Calls of tools that the API runs, and what they gave. */
const OF_API =
  /^(?:code_execution|file_search|google_maps|google_search|mcp_server_tool|processing|retrieval|url_context)_(?:call|result)$/u;

function isTaken(part: ImagePart | FilePart | OpaquePart): boolean {
  if (part.type !== "opaque") return true;
  return isJsonObject(part.data) && OF_API.test(textOf(part.data["type"]) ?? "");
}

/** A result among the contents of an input, as some clients write it, has no place there. */
const resultsAsText: WireRule = {
  name: "nested-result",
  source: REFERENCE,
  remedy: "what a result among the contents of an input says stays as text",
  part: (part, { type }) => {
    if (part.type !== "opaque" || !isJsonObject(part.data)) return part;
    if (type !== "user_message" || part.data["type"] !== "function_result") return part;
    const said = plainText(readStepResult(part.data).content);
    return { type: "text", text: `[function_result] ${said}` };
  },
};

/** A thought has a signature. */
const unsignedThoughts: WireRule = {
  name: "unsigned-thought",
  source: "https://github.com/googleapis/js-genai/issues/1735",
  remedy: "a thought without a signature is left out",
  format: STEP_FORMAT,
  part: (part) => (part.type === "reasoning" && !isSignedThought(part) ? [] : part),
};

function isSignedThought(part: ContentPart): boolean {
  if (part.type !== "reasoning" || !isJsonObject(part.data)) return false;
  return (textOf(part.data["signature"]) ?? "") !== "";
}

/** The signature of an answer stands before its first call. */
function isAnswerSigned({ toolCalls: [first], content, origin }: ActionEntry): boolean {
  if (origin?.format !== STEP_FORMAT || first === undefined) return false;
  const signature = cameWith(first, "signature");
  if (typeof signature === "string" && signature !== "") return true;
  const steps = partsOf(content).filter(({ extra }) => extra?.["joins"] !== true);
  return steps.slice(0, indexOf(first.extra?.["index"]) ?? steps.length).some(isSignedThought);
}
