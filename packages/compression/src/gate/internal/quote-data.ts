import { neutralise } from "../../internal/summary-frame.ts";

/** Writes data so that it stays data: on one line, with nothing in it that closes a frame or begins a message. */
export function quoteData(text: string): string {
  return neutralise(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " "));
}
