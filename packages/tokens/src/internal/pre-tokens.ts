/** An encoding of OpenAI's chat models. */
export type EncodingName = "o200k_base" | "cl100k_base";

/**
 * The letters, marks and numbers that Unicode 17 added. tiktoken 1.0.22 knows Unicode 16 and takes them for signs; Node 24 knows them.
 *
 * @internal Exported for its test.
 */
export const LATER_THAN_UNICODE_16: string = [
  "88f c5c cdc 1acf-1add 1ae0-1aeb a7ce-a7cf a7d2 a7d4 a7f1 10940-10959 10ec5-10ec7 10efa-10efb",
  "11b60-11b67 11db0-11ddb 11de0-11de9 16ea0-16eb8 16ebb-16ed3 16ff2-16ff6 187f8-187ff",
  "18d09-18d1e 18d80-18df2 1e6c0-1e6de 1e6e0-1e6f5 1e6fe-1e6ff 2b73a-2b73f 2cea2-2cead",
  "323b0-33479",
]
  .join(" ")
  .replaceAll(/[\da-f]+/g, String.raw`\u{$&}`)
  .replaceAll(" ", "");

const LETTER = known(String.raw`\p{L}`);
const NUMBER = known(String.raw`\p{N}`);
const MARK = known(String.raw`\p{M}`);
// JavaScript's `\s` has U+FEFF and lacks U+0085; Rust's is Unicode's.
const SPACE = String.raw`\p{White_Space}`;

/**
 * Splits a text into pre-tokens, which byte-pair encoding never merges across.
 *
 * Source: `pat_str` of the encoders in tiktoken 1.0.22, translated from Rust. `(?i:'s)` is written out, since Node 22 has no such
 * groups: a long s is an s there.
 */
export const preTokenPatterns: Readonly<Record<EncodingName, RegExp>> = createPatterns();

/** Before it and after it a text has the same pre-tokens as alone: after a word or number, or before a space that ends something else. */
const SEAM = new RegExp(
  `${known(String.raw`\p{L}\p{N}`)}[^'${LETTER}${MARK}${NUMBER}\\p{Cs}]|[^${SPACE}\\p{Cs}] `,
  "v",
);

/**
 * Returns where a text can be cut so that both halves have their pre-tokens as in the whole: the last such place after `from` and not
 * after `to`; `undefined` if there is none.
 */
export function lastSeam(text: string, from: number, to: number): number | undefined {
  for (let at = Math.min(to, text.length - 1); at > from; at -= 1) {
    if (SEAM.test(text.slice(at - 1, at + 1))) return at;
  }
  return undefined;
}

function known(properties: string): string {
  return `[[${properties}]--[${LATER_THAN_UNICODE_16}]]`;
}

function createPatterns(): Readonly<Record<EncodingName, RegExp>> {
  const contraction = "'(?:[sSſtTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])";
  const prefix = `[^\\r\\n${LETTER}${NUMBER}]?`;
  const upper = known(String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`);
  const lower = known(String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`);
  const digits = `${NUMBER}{1,3}`;
  const signs = ` ?[^${SPACE}${LETTER}${NUMBER}]+`;
  const spaces = [`${SPACE}*[\\r\\n]+`, `${SPACE}+(?!\\P{White_Space})`, `${SPACE}+`];
  const o200k = [
    `${prefix}${upper}*${lower}+(?:${contraction})?`,
    `${prefix}${upper}+${lower}*(?:${contraction})?`,
    digits,
    `${signs}[\\r\\n\\/]*`,
    ...spaces,
  ];
  const cl100k = [contraction, `${prefix}${LETTER}+`, digits, `${signs}[\\r\\n]*`, ...spaces];
  return {
    o200k_base: new RegExp(o200k.join("|"), "gv"),
    cl100k_base: new RegExp(cl100k.join("|"), "gv"),
  };
}
