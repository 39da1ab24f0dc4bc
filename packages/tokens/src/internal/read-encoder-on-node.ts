// oxlint-disable no-restricted-imports -- What the name `#read-encoder` means on Node, and nowhere else.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type { EncodingName } from "./pre-tokens.ts";

/** Reads the ranks of an encoding from the package tiktoken, as they are written there. */
export function readEncoder(encoding: EncodingName): string {
  const file = createRequire(import.meta.url).resolve(`tiktoken/encoders/${encoding}.json`);
  // All of it is ASCII, which is read several times as fast as UTF-8.
  const encoder: { readonly bpe_ranks: string } = JSON.parse(readFileSync(file, "latin1"));
  return encoder.bpe_ranks;
}
