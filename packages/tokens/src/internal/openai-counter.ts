import type { TokenCounter } from "@agent-history/core";

import { openaiImageTokens } from "../image-tokens.ts";
import { createCounter, ownRulesName } from "./create-counter.ts";
import { invalidOption, unknownModel } from "./invalid-option.ts";
import { TOKENS_OF_PAGE_TEXT, type MediaRules, type OwnRules } from "./media-tokens.ts";
import { openaiToolTokens, TOKENS_OF_OPENAI_TOOLS } from "./openai-tool-tokens.ts";
import type { EncodingName } from "./pre-tokens.ts";
import { resolveModel } from "./resolve-model.ts";
import { textCounterOf, type CountText } from "./text-counter.ts";

/** Options of a counter of OpenAI's encodings: the model or the encoding. */
export type OpenaiCounterOptions = (OpenaiModelOption | EncodingOption) & OwnRules;

/** Names the model; its encoding and its rules for tools and images follow. */
export interface OpenaiModelOption {
  /** For example `gpt-4o`, `openai/gpt-6-astra` or the name of a fine-tuned one. */
  readonly model: string;
  readonly encoding?: never;
}

/** Names the encoding, for a model that is not known by name. */
export interface EncodingOption {
  readonly encoding: EncodingName;
  readonly model?: never;
}

/** How the counter of one encoding counts: without a model, as the newest ones of the encoding. */
export interface EncodingCounterOptions extends OwnRules {
  readonly model?: string | undefined;
}

// Source: `model.py` of tiktoken, which names models up to gpt-5; for those after it OpenAI has published no other encoding.
const encodings: readonly (readonly [RegExp, EncodingName])[] = [
  [
    /^(?:chatgpt-4o|chat-latest|gpt-4o|gpt-4\.[15]|gpt-[56]|gpt-oss|o[134])(?:$|[-.])/,
    "o200k_base",
  ],
  [/^gpt-(?:4|3\.5|35)(?:$|-)/, "cl100k_base"],
];

/** The model whose rule for images stands for an encoding. */
const visionModels: Readonly<Record<EncodingName, string>> = {
  o200k_base: "gpt-6",
  cl100k_base: "gpt-4-turbo",
};

/** Creates a counter by OpenAI's rules. The ranks are read when it counts first. */
export function openaiCounter(
  options: OpenaiCounterOptions,
  read: (encoding: EncodingName) => string,
): TokenCounter {
  const { model } = options;
  const encoding = encodingOf(options);
  const countText: CountText = (text, limit) => textCounterOf(encoding, read)(text, limit);
  return createCounter({
    id: options.id ?? `openai:${model ?? encoding}${ownRulesName(options)}`,
    countText,
    media: openaiMedia(model ?? visionModels[encoding]),
    own: options,
    toolTokens: (tool) => openaiToolTokens(tool, { encoding, countText }),
    tokensOfTools: TOKENS_OF_OPENAI_TOOLS,
    // Chat takes only text in results. The Responses API takes images there too, in some tokens fewer.
    resultsAreText: true,
  });
}

// Source: OpenAI, "File inputs": the text of each page and an image of it. How large it draws that image it does not say: here, a page of
// letter size at 150 dots an inch. "Realtime API", "Managing costs": a token for each 100 ms of a user's audio. It takes no video.
function openaiMedia(model: string): MediaRules {
  const imageTokens = openaiImageTokens(model);
  const image = { type: "image", source: { kind: "id", id: "" } } as const;
  return {
    imageTokens,
    pageTokens: TOKENS_OF_PAGE_TEXT + imageTokens({ ...image, width: 1275, height: 1650 }),
    audioTokensPerSecond: 10,
    videoTokensPerSecond: 300,
  };
}

/** Returns the encoding that options name. @throws `HistoryError` with code `INVALID_OPTION`. */
function encodingOf({ model, encoding }: OpenaiCounterOptions): EncodingName {
  if (encoding === undefined) {
    const found = typeof model === "string" ? findEncodingOfModel(model) : undefined;
    if (found !== undefined) return found;
    throw unknownModel(
      model,
      "a chat model of OpenAI",
      'If you know its encoding, pass { encoding: "o200k_base" }; for other makers, use estimatingCounter.',
      (name) => findEncodingOfModel(name) !== undefined,
    );
  }
  const names = Object.keys(visionModels);
  if (model === undefined && names.includes(encoding)) return encoding;
  throw invalidOption("encoding", {
    expected: model === undefined ? `one of ${names.join(", ")}` : "missing where `model` is given",
    received: encoding,
    hint: 'Pass either a model or an encoding: models since gpt-4o have "o200k_base".',
  });
}

/** Returns the encoding of a model; `undefined` for one that is not OpenAI's. */
export function findEncodingOfModel(model: string): EncodingName | undefined {
  const { bare } = resolveModel(model);
  return encodings.find(([names]) => names.test(bare))?.[1];
}

/**
 * Returns the options of a counter that has this encoding only.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a model that has another.
 */
export function requireEncoding(
  encoding: EncodingName,
  { model, ...rules }: EncodingCounterOptions,
): OpenaiCounterOptions {
  if (model === undefined) return { encoding, ...rules };
  const found = encodingOf({ model });
  if (found === encoding) return { model, ...rules };
  throw invalidOption("model", {
    expected: `a model of the encoding ${encoding}`,
    received: model,
    hint: `Import the counter of ${found} from @agent-history/tokens/${found.replace("_", "-")}.`,
  });
}
