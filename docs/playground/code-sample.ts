import type { Api, Asked } from "./fit-pasted.ts";

/** Writes the lines of a program that do the same before each model call. */
export function codeSample(api: Api, { model, windowTokens, quotes }: Asked): string {
  const options = [
    `model: ${JSON.stringify(model)}`,
    ...(windowTokens === undefined ? [] : [`window: { contextTokens: ${windowTokens} }`]),
    ...(quotes === true ? ["scorer: lexicalScorer()"] : []),
    "previousPlan",
  ].join(", ");
  const lexical =
    quotes === true ? 'import { lexicalScorer } from "@agent-history/reducer/lexical";\n' : "";
  const { entry, name, input, result, call } = CALLS[api];
  return `import { ${name} } from "agent-history/${entry}";
${lexical}
let previousPlan; // keep it with the conversation

// before each model call:
const { ${result}, plan } = ${name}(${input}, { ${options} });
previousPlan = plan;
${call}
`;
}

const CALLS: Readonly<
  Record<
    Api,
    {
      readonly entry: string;
      readonly name: string;
      readonly input: string;
      readonly result: string;
      readonly call: string;
    }
  >
> = {
  "openai-chat": {
    entry: "openai",
    name: "fitChatMessages",
    input: "conversation",
    result: "messages",
    call: "await client.chat.completions.create({ model, messages });",
  },
  "openai-responses": {
    entry: "openai",
    name: "fitResponseItems",
    input: "items",
    result: "items: input",
    call: "await client.responses.create({ model, input });",
  },
  anthropic: {
    entry: "anthropic",
    name: "fitAnthropicRequest",
    input: "conversation",
    result: "request",
    call: "await client.messages.create({ model, max_tokens: 8000, ...request });",
  },
  google: {
    entry: "google",
    name: "fitContents",
    input: "conversation",
    result: "contents",
    call: "await client.models.generateContent({ model, contents });",
  },
  "ai-sdk": {
    entry: "ai-sdk",
    name: "fitModelMessages",
    input: "conversation",
    result: "messages",
    call: "await generateText({ model, messages });",
  },
};
