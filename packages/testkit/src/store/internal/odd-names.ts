import { ODD_IDS } from "../../arbitrary-id.ts";

/** Names that have gone wrong somewhere: of threads, entries, agents, phases, counters and state. */
export const ODD_NAMES: readonly string[] = [
  ...ODD_IDS,
  ..."}{ [a-z] %25 _ $1 1e3 日本語 \uFFFD \uD83D \uDC4D a\uD83D".split(" "),
  "a\u2029b",
  "a\u0000b",
  "\uFEFFa",
];

/** Texts that a store may change on the way. */
export const ODD_CONTENTS: readonly string[] = [
  "",
  ...ODD_NAMES,
  "\u0001\u001B[31mred\u007F\u0085",
  "one\r\ntwo\rthree\u2028four\u2029five\u0085six",
  "👍\uD83D",
  '{"a":"\\u0000","__proto__":{"b":1}}',
  "👍".repeat(2000),
];
