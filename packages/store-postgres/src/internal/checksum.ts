import { crc32 } from "node:zlib";

/** A number that stands beside a stored text: what is read later must have the same. As Postgres keeps four bytes. */
export function checksumOf(text: string): number {
  return crc32(text) | 0;
}
