import { crc32 } from "node:zlib";

/** A checksum of an entry's texts and of its position: a row that another replaced, or that was moved, has a different one. */
export function entryChecksum(position: number, json: string, tokens: string | null): number {
  return crc32(`${json}\t${tokens ?? ""}`, position);
}

/** A checksum of a summary's text, its id and its view, as the row has them. */
export function summaryChecksum(id: string, view: string, json: string): number {
  return crc32(`${id}\t${view}\t${json}`);
}
