import { modelTarget } from "@agent-history/ai-sdk";
import { anthropicTarget } from "@agent-history/anthropic";
import type { TargetFormat } from "@agent-history/format-kit";
import { googleTarget, interactionTarget } from "@agent-history/google";
import { chatTarget, responseTarget } from "@agent-history/openai";
import type { OpenAIHost } from "@agent-history/openai";

import { API_FORMATS } from "./file-formats.ts";
import type { FileFormat } from "./file-formats.ts";
import { invalidOption } from "./message-options.ts";

const HOSTS: readonly OpenAIHost[] = [
  "openai",
  "compatible",
  "deepseek",
  "gemini",
  "groq",
  "mistral",
  "openrouter",
  "vllm",
];

/** Reads `--for` and `--host`: what the API takes, and its format. */
export function targetOption(
  api: string,
  named: string | undefined,
): { readonly target: TargetFormat; readonly format: FileFormat } {
  const host = HOSTS.find((one) => one === named);
  if (named !== undefined && host === undefined) {
    throw invalidOption("host", `Expected --host to be ${HOSTS.join(", ")}, got ${named}.`);
  }
  const format = Object.hasOwn(API_FORMATS, api) ? API_FORMATS[api] : undefined;
  const target = format && targetOf(format, host);
  if (format !== undefined && target !== undefined) return { target, format };
  throw invalidOption(
    "for",
    `Expected --for to be ${Object.keys(API_FORMATS).join(", ")}, got ${api}.`,
  );
}

/** Returns what is taken in a format; `undefined` where nobody is sent it. */
export function targetOf(format: FileFormat, host?: OpenAIHost): TargetFormat | undefined {
  switch (format) {
    case "anthropic":
      return anthropicTarget();
    case "google":
      return googleTarget();
    case "google-interactions":
      return interactionTarget();
    case "chat":
      return chatTarget({ host });
    case "responses":
      return responseTarget({ host });
    case "ai-sdk":
      return modelTarget();
    case "ai-sdk-ui":
    case "entries":
      return undefined;
  }
}
