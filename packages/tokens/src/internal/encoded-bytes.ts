import type { MediaSource } from "@agent-history/core";

/** Bytes that are there as base64; any stretch of them is decoded when it is asked for. */
export interface EncodedBytes {
  readonly length: number;
  /** Returns a stretch as a string of bytes; empty where it is not base64. */
  readonly text: (from: number, to?: number) => string;
  readonly bytes: (from: number, to?: number) => Uint8Array;
}

const BASE64_URL = /^data:[^,]{0,200};base64,/i;

/** Returns the bytes of a source that holds them, as base64 or as a data URL. */
export function encodedBytes(source: MediaSource): EncodedBytes | undefined {
  if (source.kind === "data") return decoder(source.base64);
  const head = source.kind === "url" ? BASE64_URL.exec(source.url)?.[0] : undefined;
  return head === undefined || source.kind !== "url"
    ? undefined
    : decoder(source.url.slice(head.length));
}

function decoder(given: string): EncodedBytes {
  // Lines of 76 characters, as in mails.
  const base64 = /\s/.test(given.slice(0, 128)) ? given.replaceAll(/\s+/g, "") : given;
  const length = Math.floor((base64.length * 3) / 4) - (base64.endsWith("=") ? 1 : 0);

  function text(from: number, to = length): string {
    const first = Math.max(0, Math.floor(from / 3));
    const piece = base64.slice(first * 4, Math.ceil(Math.min(to, length) / 3) * 4);
    try {
      const skipped = Math.max(0, from) - first * 3;
      const decoded = atob(piece.replaceAll("-", "+").replaceAll("_", "/"));
      return decoded.slice(skipped, skipped + to - from);
    } catch {
      return "";
    }
  }

  return { length, text, bytes: (from, to) => bytesOf(text(from, to)) };
}

/** Turns a string of bytes into bytes. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}
