import { LATER_THAN_UNICODE_16 } from "./later-than-unicode-16.ts";

/** An encoding of OpenAI's chat models. */
export type EncodingName = "o200k_base" | "cl100k_base";

/**
 * Splits a text into the pre-tokens that byte-pair encoding never merges across, by encoding.
 *
 * Source: `pat_str` of the encoders in tiktoken 1.0.22, translated from Rust. There `\s` is Unicode's white space: U+0085
 * belongs, the byte-order mark U+FEFF does not; in JavaScript it is the other way round. `(?i:'s)` is written
 * out, since Node 22 has no such groups: the long s is an s there. tiktoken knows Unicode 16: what is newer is
 * neither letter, mark nor number, whatever the engine says.
 *
 * Every alternative fails or succeeds in time linear in what it looks at, and one of them takes all of it: the
 * whole text costs linear time.
 */
export const preTokenPatterns: Readonly<Record<EncodingName, RegExp>> = createPatterns();

function createPatterns(): Readonly<Record<EncodingName, RegExp>> {
  const space = String.raw`\p{White_Space}`;
  const contraction = String.raw`'(?:[sSſtTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])`;
  const known = (properties: string): string => `[[${properties}]--${LATER_THAN_UNICODE_16}]`;
  const letter = known(String.raw`\p{L}`);
  const number = known(String.raw`\p{N}`);
  const prefix = `[^\\r\\n${letter}${number}]?`;
  const upper = known(String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`);
  const lower = known(String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`);
  const digits = `${number}{1,3}`;
  const signs = ` ?[^${space}${letter}${number}]+`;
  const spaces = [`${space}*[\\r\\n]+`, `${space}+(?!\\P{White_Space})`, `${space}+`];

  const o200k = [
    `${prefix}${upper}*${lower}+(?:${contraction})?`,
    `${prefix}${upper}+${lower}*(?:${contraction})?`,
    digits,
    `${signs}[\\r\\n\\/]*`,
    ...spaces,
  ];
  const cl100k = [contraction, `${prefix}${letter}+`, digits, `${signs}[\\r\\n]*`, ...spaces];
  return {
    o200k_base: new RegExp(o200k.join("|"), "gv"),
    cl100k_base: new RegExp(cl100k.join("|"), "gv"),
  };
}
