import type { JsonObject, ModelWindow, TokenCounter } from "@agent-history/core";
import { textOf } from "@agent-history/format-kit";

import { modelParts, windowOfModel } from "../../internal/model-parts.ts";
import { invalidOption } from "./message-options.ts";
import type { MessageOptions } from "./message-options.ts";

/** The options of commands that count tokens, as they are typed. */
export interface CountOptions extends MessageOptions {
  readonly model?: string;
  readonly window?: string;
  readonly reserve?: string;
  readonly estimate?: true;
}

/**
 * Gives the window and the counter of `--model`, or of the model that the request names.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where no model and no window is known.
 */
export function windowOf(
  { model: named, window: size, reserve, estimate }: CountOptions,
  fields: JsonObject,
): { readonly window: ModelWindow; readonly counter: TokenCounter } {
  const model = named ?? textOf(fields["model"]);
  if (model === undefined && size === undefined) {
    throw invalidOption("model", "Expected --model NAME or --window TOKENS.");
  }
  const outputReserveTokens = tokensOption("reserve", reserve);
  const contextTokens = tokensOption("window", size);
  const reserved = outputReserveTokens === undefined ? {} : { outputReserveTokens };
  const window =
    contextTokens === undefined
      ? windowOfModel(model ?? "", { advice: "Pass --window TOKENS.", ...reserved })
      : { contextTokens, ...reserved };
  return modelParts({ model, window, estimate });
}

/** Reads a number of tokens. */
export function tokensOption(option: string, typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined;
  const tokens = Number(typed);
  if (typed.trim() !== "" && Number.isInteger(tokens) && tokens >= 0) return tokens;
  throw invalidOption(option, `Expected --${option} to be a number of tokens, got ${typed}.`);
}
