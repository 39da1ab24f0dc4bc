import * as z from "zod";

import type {
  Content,
  ContentPart,
  FilePart,
  ImagePart,
  MediaSource,
  OpaquePart,
  ReasoningPart,
  TextPart,
} from "../content.ts";
import { identical } from "./internal/identical.ts";
import { text } from "./internal/scalars.ts";
import { sealed } from "./internal/sealed.ts";
import { jsonObjectSchema, jsonValueSchema } from "./json-schemas.ts";

const PIXELS = "Expected a positive finite number of pixels";
const pixels = z.number(PIXELS).positive(PIXELS);
const extra = jsonObjectSchema.exactOptional();

const mediaSourceSchema = identical<MediaSource>()(
  z.discriminatedUnion(
    "kind",
    [
      sealed({ kind: z.literal("url"), url: text }),
      sealed({ kind: z.literal("data"), base64: text }),
      sealed({ kind: z.literal("text"), text }),
      sealed({ kind: z.literal("id"), id: text }),
    ],
    "Expected url, data, text or id",
  ),
);

const textPartSchema = identical<TextPart>()(sealed({ type: z.literal("text"), text, extra }));

const imagePartSchema = identical<ImagePart>()(
  sealed({
    type: z.literal("image"),
    source: mediaSourceSchema,
    mediaType: text.exactOptional(),
    width: pixels.exactOptional(),
    height: pixels.exactOptional(),
    detail: z
      .literal(["low", "high", "auto", "original"], "Expected low, high, auto or original")
      .exactOptional(),
    extra,
  }),
);

const filePartSchema = identical<FilePart>()(
  sealed({
    type: z.literal("file"),
    source: mediaSourceSchema,
    mediaType: text.exactOptional(),
    name: text.exactOptional(),
    extra,
  }),
);

const reasoningPartSchema = identical<ReasoningPart>()(
  sealed({ type: z.literal("reasoning"), text, data: jsonValueSchema.exactOptional(), extra }),
);

const opaquePartSchema = identical<OpaquePart>()(
  sealed({ type: z.literal("opaque"), data: jsonValueSchema, extra }),
);

/** Accepts one part of a content. */
export const contentPartSchema: z.ZodType<ContentPart> = identical<ContentPart>()(
  z.discriminatedUnion(
    "type",
    [textPartSchema, imagePartSchema, filePartSchema, reasoningPartSchema, opaquePartSchema],
    "Expected text, image, file, reasoning or opaque",
  ),
);

/** Accepts plain text, or a list of parts. */
export const contentSchema: z.ZodType<Content> = identical<Content>()(
  z.union([z.string(), z.array(contentPartSchema).readonly()], "Expected text or a list of parts"),
);
