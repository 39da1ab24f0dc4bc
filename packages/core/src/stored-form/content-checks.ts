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
import { refuse } from "./checks/check.ts";
import type { Check } from "./checks/check.ts";
import { jsonObjectCheck, jsonValueCheck } from "./checks/json-checks.ts";
import { listCheck } from "./checks/list-checks.ts";
import { kindsCheck, optionalField, sealedCheck } from "./checks/object-checks.ts";
import { literalCheck, oneOfCheck, textCheck as text } from "./checks/scalar-checks.ts";

const pixels: Check<number> = (value, refusal) =>
  typeof value === "number" && value > 0 && value < Infinity
    ? value
    : refuse(refusal, "Expected a positive finite number of pixels", value);

const extra = optionalField(jsonObjectCheck);

type Source<Kind> = Extract<MediaSource, { readonly kind: Kind }>;

const mediaSourceCheck = kindsCheck<MediaSource, "kind">(
  "kind",
  {
    url: sealedCheck<Source<"url">>({ kind: literalCheck("url"), url: text }),
    data: sealedCheck<Source<"data">>({ kind: literalCheck("data"), base64: text }),
    text: sealedCheck<Source<"text">>({ kind: literalCheck("text"), text }),
    id: sealedCheck<Source<"id">>({ kind: literalCheck("id"), id: text }),
  },
  { object: "Expected url, data, text or id" },
);

const textPartCheck = sealedCheck<TextPart>({ type: literalCheck("text"), text, extra });

const imagePartCheck = sealedCheck<ImagePart>({
  type: literalCheck("image"),
  source: mediaSourceCheck,
  mediaType: optionalField(text),
  width: optionalField(pixels),
  height: optionalField(pixels),
  detail: optionalField(
    oneOfCheck(["low", "high", "auto", "original"], "Expected low, high, auto or original"),
  ),
  extra,
});

const filePartCheck = sealedCheck<FilePart>({
  type: literalCheck("file"),
  source: mediaSourceCheck,
  mediaType: optionalField(text),
  name: optionalField(text),
  extra,
});

const reasoningPartCheck = sealedCheck<ReasoningPart>({
  type: literalCheck("reasoning"),
  text,
  data: optionalField(jsonValueCheck),
  extra,
});

const opaquePartCheck = sealedCheck<OpaquePart>({
  type: literalCheck("opaque"),
  data: jsonValueCheck,
  extra,
});

const partsCheck = listCheck(
  kindsCheck<ContentPart, "type">(
    "type",
    {
      text: textPartCheck,
      image: imagePartCheck,
      file: filePartCheck,
      reasoning: reasoningPartCheck,
      opaque: opaquePartCheck,
    },
    { object: "Expected text, image, file, reasoning or opaque" },
  ),
  { message: "Expected text or a list of parts" },
);

/** Takes plain text, or a list of parts. */
export const contentCheck: Check<Content> = (value, refusal) =>
  typeof value === "string" ? value : partsCheck(value, refusal);
