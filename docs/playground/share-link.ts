import type { Asked } from "./fit-pasted.ts";

/** Longer links are cut by chats and mail programs. In characters. */
const LONGEST_LINK = 8000;

/** Writes what is asked for into the part of a link behind `#`, which no server is sent; nothing where it would be too long. */
export async function linkTo(asked: Asked): Promise<string | undefined> {
  const bytes = await passedThrough(
    new TextEncoder().encode(JSON.stringify(asked)),
    new CompressionStream("deflate-raw"),
  );
  const text = btoa(String.fromCharCode(...bytes.subarray(0, LONGEST_LINK)));
  if (text.length > LONGEST_LINK) return undefined;
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Reads what {@link linkTo} wrote; nothing where it is something else. */
export async function askedBy(link: string): Promise<Asked | undefined> {
  try {
    const text = atob(link.replace(/^#/, "").replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const json = new TextDecoder().decode(
      await passedThrough(bytes, new DecompressionStream("deflate-raw")),
    );
    const asked: Partial<Asked> = JSON.parse(json);
    return typeof asked.text === "string" && typeof asked.model === "string"
      ? { ...asked, text: asked.text, model: asked.model }
      : undefined;
  } catch {
    return undefined;
  }
}

async function passedThrough(
  bytes: Uint8Array<ArrayBuffer>,
  through: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
