import { neutralize } from "../../internal/neutralize.ts";

/** Writes data so that it stays data: on one line, with nothing in it that closes a frame or begins a message. */
export function quoteData(text: string): string {
  return neutralize(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "));
}
