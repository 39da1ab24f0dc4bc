import type { FilePart, ImagePart, MediaCount } from "@agent-history/core";

import type { ImageTokens } from "../image-tokens.ts";
import { encodedBytes, type EncodedBytes } from "./encoded-bytes.ts";
import { imageHeader } from "./image-header.ts";
import { type Recording, recordingIn } from "./media-duration.ts";
import { pdfPages } from "./pdf-pages.ts";
import type { CountText } from "./text-counter.ts";

/** The rules of a family of models for images, pages and time. */
export interface MediaRules {
  readonly imageTokens: ImageTokens;
  /** The most tokens of a page: its text, and its image if the provider renders one. */
  readonly pageTokens: number;
  readonly audioTokensPerSecond: number;
  readonly videoTokensPerSecond: number;
}

/** What replaces the rules that follow from the model. */
export interface OwnRules {
  /** Counts an image. Default: as the model does; without a model, as the newest ones of the encoding. */
  readonly imageTokens?: ImageTokens | undefined;
  /**
   * Counts a file. Default: a text by itself, a PDF by its pages, audio and video by their seconds; an estimate where these are not known.
   */
  readonly fileTokens?: ((file: FilePart) => number) | undefined;
  /**
   * The counter's id, which identifies stored counts and plans. Default: model or encoding, and, with rules of your own, a hash of their
   * functions' text. Give one where rules have the same text and count differently.
   */
  readonly id?: string | undefined;
}

// Source: Anthropic, "PDF support": a page has 1,500 to 3,000 tokens of text, and is an image besides.
export const TOKENS_OF_PAGE_TEXT = 3000;

/** Pages and seconds of a file whose size is unknown. */
const TYPICAL_PAGES = 10;
const TYPICAL_SECONDS = 60;

// A file that is not a PDF, or cannot be read, is estimated by its bytes, up to the limits of providers: Anthropic 100 pages ("PDF
// support"), Gemini 9.5 hours of audio and one of video ("Audio understanding", "Video understanding"). A scanned page has about 50 kB,
// speech 2 kB a second at least, as a wave 16, video 60.
const BYTES_PER_PAGE = 50_000;
const MOST_PAGES = 100;
const BYTES_PER_TOKEN = 4;
const BYTES_PER_SECOND = { audio: 2000, wave: 16_000, video: 60_000 } as const;
const WAVE = /^audio\/(?:x-|vnd\.)?(?:wav|pcm|l16)/i;
const MOST_SECONDS = { audio: 34_200, video: 3600 } as const;

const TEXT_MEDIA_TYPE =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|javascript|x-ndjson|sql)(?:$|;))/i;

/** Creates the function that counts images and files: by their bytes, else by the fields of the part, else by an estimate that is marked as one. */
export function mediaCounter(
  rules: MediaRules,
  own: OwnRules,
  countText: CountText,
): (media: ImagePart | FilePart) => MediaCount {
  return (media) => {
    if (media.type === "image") return image(media);
    if (own.fileTokens !== undefined) return fileCount(own.fileTokens(media));
    return /^image\//i.test(media.mediaType ?? "")
      ? image({ ...media, type: "image" })
      : counted(media);
  };

  function image(part: ImagePart): MediaCount {
    const bytes = encodedBytes(part.source);
    const { width, height } = (bytes && imageHeader(bytes)) ?? part;
    const isKnown = isAmount(width) && isAmount(height);
    const { width: _, height: __, ...unknown } = part;
    const tokens = (own.imageTokens ?? rules.imageTokens)(
      isKnown ? { ...unknown, width, height } : unknown,
    );
    return { kind: "image", tokens, ...(isKnown ? { width, height } : { isEstimate: true }) };
  }

  function counted(part: FilePart): MediaCount {
    const { source, mediaType = "", pages, durationMs } = part;
    if (source.kind === "text") return fileCount(countText(source.text));
    const bytes = encodedBytes(source);
    const text = bytes && TEXT_MEDIA_TYPE.test(mediaType) ? utf8(bytes) : undefined;
    if (text !== undefined) return fileCount(countText(text));
    const recording: Partial<Recording> = (bytes && recordingIn(bytes)) ?? {};
    const kind =
      recording.kind ??
      (["audio", "video"] as const).find((one) => mediaType.toLowerCase().startsWith(`${one}/`));
    if (kind !== undefined) {
      const { seconds = isAmount(durationMs) ? durationMs / 1000 : undefined } = recording;
      const rate = BYTES_PER_SECOND[WAVE.test(mediaType) ? "wave" : kind];
      const typical = bytes === undefined ? TYPICAL_SECONDS : bytes.length / rate;
      const played = seconds ?? Math.min(typical, MOST_SECONDS[kind]);
      const perSecond = rules[`${kind}TokensPerSecond`];
      return fileCount(Math.ceil(played * perSecond), seconds === undefined);
    }
    const told = (bytes && pagesOf(bytes)) ?? (isAmount(pages) ? pages : undefined);
    if (told !== undefined) return fileCount(told * rules.pageTokens);
    if (bytes === undefined) return fileCount(TYPICAL_PAGES * rules.pageTokens, true);
    const guess = Math.min(Math.ceil(bytes.length / BYTES_PER_PAGE), MOST_PAGES);
    const atMost = Math.ceil(bytes.length / BYTES_PER_TOKEN);
    return fileCount(Math.max(rules.pageTokens, Math.min(guess * rules.pageTokens, atMost)), true);
  }
}

function fileCount(tokens: number, isEstimate = false): MediaCount {
  return { kind: "file", tokens, ...(isEstimate && { isEstimate }) };
}

function pagesOf(bytes: EncodedBytes): number | undefined {
  return bytes.text(0, 1024).includes("%PDF-") ? pdfPages(bytes.text(0)) : undefined;
}

function isAmount(value: number | undefined): value is number {
  return value !== undefined && value > 0 && value < Infinity;
}

/** Returns the text of a file; `undefined` if it is not base64. */
function utf8(file: EncodedBytes): string | undefined {
  const bytes = file.bytes(0);
  return bytes.length === file.length
    ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
    : undefined;
}
