import type { AppendableCounter } from "../appendable-counter.ts";
import type { OpenaiCounterOptions } from "../openai-counter-options.ts";
import { openaiImageTokens } from "../openai-image-tokens.ts";
import type { CountText, TextCounter } from "./byte-pair-counter.ts";
import { createCounter } from "./create-counter.ts";
import { documentTokens } from "./document-tokens.ts";
import type { EncodingName } from "./encoding-name.ts";
import { invalidOption } from "./invalid-option.ts";
import { checkedEncoding, encodingOfModel } from "./openai-encoding.ts";
import { openaiToolTokens, TOKENS_OF_OPENAI_TOOLS } from "./openai-tool-tokens.ts";
import { ownRulesName } from "./own-rules-name.ts";

/** The model whose rule for images stands for an encoding. */
const visionModels: Readonly<Record<EncodingName, string>> = {
  o200k_base: "gpt-6",
  cl100k_base: "gpt-4-turbo",
};

/** Creates a counter by OpenAI's rules. The encoder is loaded when it counts first. */
export function openaiCounter(
  options: OpenaiCounterOptions,
  textCounter: (encoding: EncodingName) => TextCounter,
): AppendableCounter {
  const { model } = options;
  const encoding = encodingOf(options);
  const countText: CountText = (text, limit) => textCounter(encoding).countText(text, limit);
  const counter = createCounter({
    id: options.id ?? `openai:${model ?? encoding}${ownRulesName(options)}`,
    countText,
    imageTokens: options.imageTokens ?? openaiImageTokens(model ?? visionModels[encoding]),
    fileTokens: options.fileTokens ?? ((file) => documentTokens(file, countText)),
    toolTokens: (tool) => openaiToolTokens(tool, { encoding, countText }),
    tokensOfTools: TOKENS_OF_OPENAI_TOOLS,
    // Chat takes only text in results. The Responses API takes images there too, in some tokens fewer.
    resultsAreText: true,
  });
  return { ...counter, appendable: () => textCounter(encoding).appendable() };
}

function encodingOf({ model, encoding }: OpenaiCounterOptions): EncodingName {
  if (model !== undefined && encoding !== undefined) {
    throw invalidOption("encoding", {
      expected: "missing where `model` is given",
      received: encoding,
      hint: "Pass one of the two.",
    });
  }
  return encoding === undefined ? encodingOfModel(model ?? "") : checkedEncoding(encoding);
}
