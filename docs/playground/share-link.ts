import type { Asked } from "./fit-pasted.ts";

/** Longer links are cut by chats and mail programs. In characters. */
const LONGEST_LINK = 8000;

/** Writes a request into the part of a link behind `#`, which is sent to no server; `undefined` if it would be too long. */
export async function linkTo(asked: Asked): Promise<string | undefined> {
  const packed = new Blob([JSON.stringify(asked)])
    .stream()
    .pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const link = encodeURIComponent(btoa(String.fromCharCode(...bytes.subarray(0, LONGEST_LINK))));
  return link.length > LONGEST_LINK ? undefined : link;
}

/** Reads what {@link linkTo} wrote; `undefined` for anything else. */
export async function askedBy(link: string): Promise<Asked | undefined> {
  try {
    const text = atob(decodeURIComponent(link.replace(/^#/, "")));
    const packed = new Blob([Uint8Array.from(text, (character) => character.charCodeAt(0))])
      .stream()
      .pipeThrough(new DecompressionStream("deflate-raw"));
    const asked: Asked = JSON.parse(await new Response(packed).text());
    return typeof asked.text === "string" && typeof asked.model === "string" ? asked : undefined;
  } catch {
    return undefined;
  }
}
