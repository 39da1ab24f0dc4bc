import type { FilePart, JsonObject, JsonValue } from "@agent-history/core";

import { isJsonObject } from "./is-json-object.ts";
import { textOf } from "./wire-text.ts";

const AUDIO_TYPES: ReadonlyMap<string, string> = new Map([
  ["wav", "audio/wav"],
  ["mp3", "audio/mpeg"],
]);

/** Reads the `input_audio` of an OpenAI content part as a file. */
export function readAudio(audio: JsonValue | undefined): FilePart | undefined {
  if (!isJsonObject(audio)) return undefined;
  const base64 = textOf(audio["data"]);
  const mediaType = AUDIO_TYPES.get(textOf(audio["format"]) ?? "");
  if (base64 === undefined || mediaType === undefined) return undefined;
  return { type: "file", source: { kind: "data", base64 }, mediaType };
}

/** Writes a sound as an `input_audio` part; `undefined` for any other file, and for a sound that came as a file. */
export function writeAudio({ source, mediaType, extra }: FilePart): JsonObject | undefined {
  const format = [...AUDIO_TYPES].find(([, type]) => type === mediaType)?.[0];
  if (source.kind !== "data" || format === undefined || extra?.["as"] === "file") return undefined;
  return { type: "input_audio", input_audio: { data: source.base64, format } };
}

/** Tells whether a file of this type would be written as `input_audio`. */
export function isAudioType(mediaType: string): boolean {
  return [...AUDIO_TYPES.values()].includes(mediaType);
}
