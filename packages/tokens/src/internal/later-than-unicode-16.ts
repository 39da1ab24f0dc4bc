/** The letters, marks and numbers that Unicode 17 added: code points in hexadecimal, from and to. */
const RANGES: readonly string[] = [
  "88f",
  "c5c",
  "cdc",
  "1acf-1add",
  "1ae0-1aeb",
  "a7ce-a7cf",
  "a7d2",
  "a7d4",
  "a7f1",
  "10940-10959",
  "10ec5-10ec7",
  "10efa-10efb",
  "11b60-11b67",
  "11db0-11ddb",
  "11de0-11de9",
  "16ea0-16eb8",
  "16ebb-16ed3",
  "16ff2-16ff6",
  "187f8-187ff",
  "18d09-18d1e",
  "18d80-18df2",
  "1e6c0-1e6de",
  "1e6e0-1e6f5",
  "1e6fe-1e6ff",
  "2b73a-2b73f",
  "2cea2-2cead",
  "323b0-33479",
];

/**
 * A character class of what Unicode 17 added, for patterns with the flag `v`.
 *
 * Source: each code point that Node 24 (Unicode 17) and tiktoken 1.0.22 (Unicode 16) classify differently.
 */
export const LATER_THAN_UNICODE_16: string = `[${RANGES.map((range) =>
  range
    .split("-")
    .map((codePoint) => `\\u{${codePoint}}`)
    .join("-"),
).join("")}]`;
