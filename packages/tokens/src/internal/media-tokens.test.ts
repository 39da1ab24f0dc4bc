import { deflateSync } from "node:zlib";

import type { FilePart, ImagePart, MediaCount, MediaSource } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { mediaCounter } from "./media-tokens.ts";

/** A page is 100 tokens, a second of audio 10, of video 50; an image its pixels, an unknown one 4,000. */
const count = mediaCounter(
  {
    imageTokens: ({ width, height }) =>
      width === undefined || height === undefined ? 4000 : width * height,
    pageTokens: 100,
    audioTokensPerSecond: 10,
    videoTokensPerSecond: 50,
  },
  {},
  (text) => text.length,
);

// 40 × 30 pixels each, written by sharp.
const IMAGES = {
  png: "iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAO0lEQVRIie3VsQkAMAwDwdS//1AaK2MkxYF7g5F1Z/VkjsU59YQr75QCmcoMEmExLIbFYTEshsV9xeIFnDoHfdW5+DUAAAAASUVORK5CYII=",
  jpeg: "/9j/2wBDAP//////////////////////////////////////////////////////////////////////////////////////2wBDAf//////////////////////////////////////////////////////////////////////////////////////wAARCAAeACgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAL/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAEC/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AkBGwAAAAAAAAAH//2Q==",
  gif: "R0lGODlhKAAeAIAAAExpccgKCiH5BAUAAAAALAAAAAAoAB4AAAIhjI+py+0Po5y02ouz3rz7D4biSJbmiabqyrbuC8fyTHMFADs=",
  webp: "UklGRkIAAABXRUJQVlA4IDYAAAAwAwCdASooAB4AP83m7XA/uDIrJWgD8DmJZwDLLA8KmggAAP7cUdB8TV7s7RaZZKg3jYUmAAA=",
  "lossless webp": "UklGRh4AAABXRUJQVlA4TBEAAAAvJ0AHAAdQhSJXof+BiOh/AAA=",
  avif: "AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAACQAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAACgAAAAeAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAAsbWRhdBIACgk4FSfrSAhoNIAyFR/yYoTgABYAAKxDfGG8H8QIKY6CcA==",
} as const;

const ESTIMATED = { kind: "image", tokens: 4000, isEstimate: true };

describe("an image", () => {
  it.each(Object.entries(IMAGES))("is read from its bytes: %s", (_, base64) => {
    const known = { kind: "image", tokens: 1200, width: 40, height: 30 };
    expect(count(image({ kind: "data", base64 }))).toEqual(known);
    expect(count(image({ kind: "url", url: `data:image/x;base64,${base64}` }))).toEqual(known);
    const lines = base64.replaceAll(/.{76}/g, "$&\n");
    expect(count(image({ kind: "data", base64: lines }))).toEqual(known);
    expect(count(file({ kind: "data", base64 }, "image/png"))).toEqual(known);
  });

  it("is turned as its EXIF says", () => {
    expect(count(image(bytes(exif(6))))).toMatchObject({ width: 30, height: 40 });
    expect(count(image(bytes(exif(3))))).toMatchObject({ width: 40, height: 30 });
  });

  it("is what its bytes say, whatever the part says", () => {
    const part = { ...image({ kind: "data", base64: IMAGES.png }), width: 4000, height: 3000 };
    expect(count(part).tokens).toBe(1200);
  });

  it("has the size that the part says, where it is elsewhere or cannot be read", () => {
    const size = { width: 20, height: 10 };
    for (const source of [
      { kind: "url", url: "https://a.example/p.png" },
      data("no image"),
    ] as const) {
      expect(count({ ...image(source), ...size })).toEqual({ kind: "image", tokens: 200, ...size });
    }
  });

  it.each<[string, MediaSource]>([
    ["behind a URL", { kind: "url", url: "https://a.example/p.png" }],
    ["behind an id", { kind: "id", id: "file-1" }],
    ["of an unknown format", data("II*\u0000 a TIFF")],
    ["not base64", { kind: "data", base64: "????" }],
    ["empty", { kind: "data", base64: "" }],
    ["cut off within its header", bytes(png(40, 30).subarray(0, 20))],
    ["of no pixels", bytes(png(0, 30))],
    ["too small for its bytes", bytes(Buffer.concat([png(1, 1), Buffer.alloc(2_000_000)]))],
  ])("of unknown size is an estimate: %s", (_, source) => {
    expect(count(image(source))).toEqual(ESTIMATED);
  });
});

describe("a PDF", () => {
  it.each([1, 3, 600])("counts its pages: %d", (pages) => {
    for (const pdf of [plainPdf(pages), packedPdf(pages)]) {
      expect(count(file(bytes(pdf), "application/pdf"))).toEqual({
        kind: "file",
        tokens: pages * 100,
      });
    }
  });

  it("counts the pages that are there, whatever it says of itself", () => {
    const lying = plainPdf(3).toString("latin1").replace("/Count 3", "/Count 1");
    expect(count(file(data(lying), "application/pdf")).tokens).toBe(300);
  });

  it("counts what its tree says, where some of it is out of sight", () => {
    const cut = plainPdf(3)
      .toString("latin1")
      .replaceAll(/5 0 obj.*?endobj/gs, "");
    expect(count(file(data(cut))).tokens).toBe(300);
  });

  it.each<[string, string | Buffer]>([
    ["cut off", packedPdf(3).subarray(0, 60)],
    ["encrypted", packedPdf(3, (packed) => packed.map((byte) => byte ^ 0x55))],
    ["a cycle", "%PDF-1.4\n/Root 1 0 R\n1 0 obj /Pages 2 0 R\n2 0 obj /Type /Pages /Kids [2 0 R]"],
    ["without a tree", "%PDF-1.4\n/Root 9 0 R"],
  ])("that cannot be read is an estimate: %s", (_, pdf) => {
    const { tokens, isEstimate } = count(file(bytes(Buffer.from(pdf)), "application/pdf"));
    expect(isEstimate).toBe(true);
    expect(tokens).toBe(100);
  });

  it("has a capped estimate, however many bytes there are", () => {
    const scan = count(file(bytes(Buffer.alloc(900_000, "%PDF x")), "application/pdf"));
    expect(scan).toEqual({ kind: "file", tokens: 1800, isEstimate: true });
    const large = count(file(bytes(Buffer.alloc(30_000_000, "x")), "application/zip"));
    expect(large).toEqual({ kind: "file", tokens: 10_000, isEstimate: true });
  });
});

describe("a recording", () => {
  it.each<[string, Buffer, number]>([
    ["WAV", wav(3), 30],
    ["WAV that was written to a pipe", wav(3, 0xffffffff), 30],
    ["M4A", mp4(3), 30],
    ["MP4 whose header stands last", mp4(3, "vide", true), 150],
    ["Ogg with Opus", ogg(3), 30],
    ["FLAC", flac(3), 30],
    ["MP3", mp3(3), 30],
    ["WebM", webm(3), 150],
  ])("counts its seconds: %s", (_, recording, tokens) => {
    expect(count(file(bytes(recording)))).toEqual({ kind: "file", tokens });
  });

  it("that is elsewhere counts what the part says, else a minute", () => {
    const audio = file({ kind: "url", url: "https://a.example/a.wav" }, "audio/wav");
    expect(count({ ...audio, durationMs: 5000 })).toEqual({ kind: "file", tokens: 50 });
    expect(count(audio)).toEqual({ kind: "file", tokens: 600, isEstimate: true });
  });

  it.each<[string, Buffer, string]>([
    ["plays for ever", mp4(1e9), "audio/mp4"],
    ["plays in no time", wav(0.001, 8_000_000, 8_000_000), "audio/wav"],
    ["says nothing", Buffer.alloc(100_000), "audio/wav"],
  ])("whose header lies or tells nothing is a capped estimate: %s", (_, recording, mediaType) => {
    const { tokens, isEstimate } = count(file(bytes(recording), mediaType));
    expect(isEstimate).toBe(true);
    expect(tokens).toBeLessThanOrEqual(
      10 * (recording.length / (mediaType === "audio/wav" ? 16_000 : 2000) + 1),
    );
  });
});

describe("another file", () => {
  it.each(["text/plain", "application/json", "application/ld+json; charset=utf-8", "TEXT/HTML"])(
    "of %s counts its text",
    (mediaType) => {
      const source = data(Buffer.from("\uFEFFNaïve, 漢字"));
      expect(count(file(source, mediaType)).tokens).toBe(10);
      expect(count(file({ kind: "text", text: "Hello" }, mediaType)).tokens).toBe(5);
    },
  );

  it("behind a URL or an id counts the pages that the part says, else ten", () => {
    for (const source of [
      { kind: "url", url: "https://a.example/a.pdf" },
      { kind: "id", id: "f" },
    ] as const) {
      expect(count({ ...file(source), pages: 3 })).toEqual({ kind: "file", tokens: 300 });
      expect(count(file(source))).toEqual({ kind: "file", tokens: 1000, isEstimate: true });
    }
  });

  it("never makes a count fail, whatever its bytes", () => {
    const heads = Object.values(IMAGES).map((base64) => Buffer.from(base64, "base64"));
    const files = [plainPdf(2), packedPdf(2), wav(1), mp4(1), ogg(1), flac(1), mp3(1), webm(1)];
    const damaged = fc
      .tuple(
        fc.constantFrom(...heads, ...files),
        fc.array(fc.tuple(fc.nat(), fc.nat(255))),
        fc.nat(),
      )
      .map(([given, changes, length]) => {
        const changed = Buffer.from(given.subarray(0, 1 + (length % given.length)));
        for (const [at, byte] of changes) changed[at % changed.length] = byte;
        return changed;
      });
    fc.assert(
      fc.property(damaged, fc.constantFrom("image", "file"), (given, type) => {
        const part = { type, source: bytes(given) };
        const { tokens, isEstimate, width }: MediaCount = count(part);
        expect(Number.isInteger(tokens) && tokens >= 0).toBe(true);
        expect(type === "file" || isEstimate === true || width !== undefined).toBe(true);
      }),
      { numRuns: lawRuns(2000) },
    );
  });
});

function image(source: MediaSource): ImagePart {
  return { type: "image", source };
}

function file(source: MediaSource, mediaType?: string): FilePart {
  return { type: "file", source, ...(mediaType !== undefined && { mediaType }) };
}

function data(given: string | Buffer): { readonly kind: "data"; readonly base64: string } {
  return { kind: "data", base64: Buffer.from(given as string, "latin1").toString("base64") };
}

function bytes(given: Uint8Array): { readonly kind: "data"; readonly base64: string } {
  return { kind: "data", base64: Buffer.from(given).toString("base64") };
}

function png(width: number, height: number): Buffer {
  const changed = Buffer.from(IMAGES.png, "base64");
  changed.writeUInt32BE(width, 16);
  changed.writeUInt32BE(height, 20);
  return changed;
}

/** The JPEG with an EXIF block that tells its orientation. */
function exif(orientation: number): Buffer {
  const jpeg = Buffer.from(IMAGES.jpeg, "base64");
  const block = Buffer.from(
    "ffe1001e4578696600004d4d002a000000080001011200030000000100000000",
    "hex",
  );
  block.writeUInt16BE(orientation, 28);
  return Buffer.concat([jpeg.subarray(0, 2), block, jpeg.subarray(2)]);
}

function plainPdf(pages: number): Buffer {
  const kids = Array.from({ length: pages }, (_, nth) => nth + 3);
  return Buffer.from(
    [
      "%PDF-1.4",
      "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj",
      `2 0 obj\n<< /Type /Pages /Count ${pages} /Kids [${kids.map((kid) => `${kid} 0 R`).join(" ")}] >>\nendobj`,
      ...kids.map((kid) => `${kid} 0 obj\n<< /Type /Page /Parent 2 0 R >>\nendobj`),
      "trailer << /Root 1 0 R >>\n%%EOF",
    ].join("\n"),
  );
}

/** A PDF whose objects stand in a deflated stream. */
function packedPdf(pages: number, change = (packed: Buffer): Uint8Array => packed): Buffer {
  const kids = Array.from({ length: pages }, (_, nth) => nth + 3);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${pages} /Kids [${kids.map((kid) => `${kid} 0 R`).join(" ")}] >>`,
    ...kids.map(() => "<< /Type /Page /Parent 2 0 R >>"),
  ];
  let place = 0;
  const table = objects.map((object, nth) => {
    const pair = `${nth + 1} ${place}`;
    place += object.length + 1;
    return pair;
  });
  const head = `${table.join(" ")}\n`;
  const packed = change(deflateSync(Buffer.from(head + objects.join("\n"))));
  const stream = `9999 0 obj\n<< /Type /ObjStm /Filter /FlateDecode /N ${objects.length} /First ${head.length} /Length ${packed.length} >>\nstream\n`;
  return Buffer.concat([
    Buffer.from(`%PDF-1.5\n${stream}`),
    packed,
    Buffer.from("\nendstream\nendobj\n9998 0 obj\n<< /Type /XRef /Root 1 0 R >>\n%%EOF"),
  ]);
}

function wav(seconds: number, size?: number, rate = 2000): Buffer {
  const head = Buffer.from("RIFF....WAVEfmt ....................data....", "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt32LE(rate, 28);
  const samples = Math.round(seconds * rate);
  head.writeUInt32LE(size ?? samples, 40);
  return Buffer.concat([head, Buffer.alloc(samples)]);
}

function mp4(seconds: number, handler = "soun", isLast = false): Buffer {
  const movie = Buffer.alloc(108);
  movie.write("mvhd", 4);
  movie.writeUInt32BE(10, 20);
  movie.writeUInt32BE(Math.min(seconds * 10, 0xffffffff), 24);
  const boxes = [box("moov", movie, Buffer.from(handler)), box("mdat", Buffer.alloc(6000))];
  return Buffer.concat([
    box("ftyp", Buffer.from(handler === "soun" ? "M4A " : "isom")),
    ...(isLast ? boxes.toReversed() : boxes),
  ]);
}

function box(name: string, ...content: readonly Buffer[]): Buffer {
  const head = Buffer.from(`....${name}`, "latin1");
  head.writeUInt32BE(8 + content.reduce((sum, { length }) => sum + length, 0));
  return Buffer.concat([head, ...content]);
}

function ogg(seconds: number): Buffer {
  const last = Buffer.from("OggS..........", "latin1");
  last.writeBigUInt64LE(BigInt(Math.round(seconds * 48_000)), 6);
  return Buffer.concat([Buffer.from("OggS........OpusHead"), Buffer.alloc(6000), last]);
}

function flac(seconds: number): Buffer {
  const head = Buffer.alloc(42);
  head.write("fLaC");
  head.writeUInt32BE(8000 * 16 * 256, 18);
  head.writeUInt32BE(8000 * seconds, 22);
  return Buffer.concat([head, Buffer.alloc(6000)]);
}

/** 16 kilobits a second at 16,000 Hz, MPEG 2 layer III. */
function mp3(seconds: number): Buffer {
  const frame = Buffer.from("fff32800", "hex");
  return Buffer.concat([frame, Buffer.alloc(seconds * 2000 - frame.length)]);
}

function webm(seconds: number): Buffer {
  const duration = Buffer.alloc(11);
  duration.writeUInt16BE(0x4489);
  duration.writeUInt8(0x88, 2);
  duration.writeDoubleBE(seconds * 1000, 3);
  return Buffer.concat([
    Buffer.from("1a45dfa3", "hex"),
    Buffer.from("V_VP8"),
    duration,
    Buffer.alloc(9000),
  ]);
}
