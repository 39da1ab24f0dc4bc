import type { FilePart } from "@agent-history/core";

import type { CountText } from "./text-counter.ts";

// Source: Anthropic, "PDF support": a page is 1,500 to 3,000 tokens of text and an image besides (at most 1,568 tokens on
// the standard tier of "Vision").
const TOKENS_PER_PAGE = 3000 + 1568;

// Source: Anthropic, "Pricing", web fetch: a page of 100 kB has about 25,000 tokens, a research paper of 500 kB as PDF
// about 125,000.
const BYTES_PER_TOKEN = 4;
const TOKENS_OF_UNKNOWN_FILE = 125_000;

const TEXT_MEDIA_TYPE =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|javascript|x-ndjson|sql)(?:$|;))/i;

/**
 * Counts a file. A text that is here is counted exactly. No provider publishes a rule for the pages of other
 * files, and how many there are cannot be told from outside: a file with bytes counts a token for every four, at
 * least one page; one behind a URL or an id counts 125,000. An estimate, meant to be high.
 */
export function documentTokens(file: FilePart, countText: CountText): number {
  if (file.source.kind === "text") return countText(file.source.text);
  if (file.source.kind !== "data") return TOKENS_OF_UNKNOWN_FILE;
  const text = TEXT_MEDIA_TYPE.test(file.mediaType ?? "")
    ? decodedText(file.source.base64)
    : undefined;
  if (text !== undefined) return countText(text);
  const bytes = Math.ceil((file.source.base64.length * 3) / 4);
  return Math.max(TOKENS_PER_PAGE, Math.ceil(bytes / BYTES_PER_TOKEN));
}

function decodedText(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // not base64: counted by its length
  }
}
