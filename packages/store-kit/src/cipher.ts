import { invalidOption } from "./store-errors.ts";

/** An AES-256-GCM key: 32 bytes, which Node uses synchronously; or a WebCrypto key, which may be non-extractable and costs one asynchronous call for each text. */
export type EncryptionKey = Uint8Array | CryptoKey;

/** Encrypts and decrypts texts with one key. Node and WebCrypto ciphers store the same format: nonce, cipher text and tag, as base64. */
export interface Cipher {
  seal(text: string, place: string): string | Promise<string>;
  /** Returns `undefined` if the text was encrypted with another key or for another place, or was modified. */
  open(sealed: string, place: string): string | undefined | Promise<string | undefined>;
}

/** Makes the cipher of a key: by `node:crypto` if possible, otherwise by WebCrypto. */
export async function cipherOf(key: EncryptionKey): Promise<Cipher> {
  if (!(key instanceof Uint8Array)) return webCipher(key);
  if (key.length !== KEY_BYTES)
    throw invalidOption("keys", `Expected a key of ${KEY_BYTES} bytes, got ${key.length}.`);
  const node = nodeCrypto();
  if (node !== undefined) return nodeCipher(node, key);
  return webCipher(
    await crypto.subtle.importKey("raw", new Uint8Array(key), "AES-GCM", false, [
      "encrypt",
      "decrypt",
    ]),
  );
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const ALGORITHM = "aes-256-gcm";
const TAG = { authTagLength: TAG_BYTES };

type NodeCrypto = NonNullable<ReturnType<typeof nodeCrypto>>;

/** `undefined` on edge runtimes. */
function nodeCrypto() {
  return globalThis.process?.getBuiltinModule?.("node:crypto");
}

function nodeCipher(node: NodeCrypto, bytes: Uint8Array): Cipher {
  const key = node.createSecretKey(bytes);
  return {
    seal: (text, place) => {
      const nonce = node.randomBytes(NONCE_BYTES);
      const cipher = node.createCipheriv(ALGORITHM, key, nonce, TAG);
      cipher.setAAD(Buffer.from(place));
      const parts = [nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(parts).toString("base64");
    },
    open: (sealed, place) => {
      try {
        const stored = Buffer.from(sealed, "base64");
        const nonce = stored.subarray(0, NONCE_BYTES);
        const cipher = node.createDecipheriv(ALGORITHM, key, nonce, TAG);
        cipher.setAAD(Buffer.from(place));
        cipher.setAuthTag(stored.subarray(-TAG_BYTES));
        const text = cipher.update(stored.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8");
        return text + cipher.final("utf8");
      } catch {
        return undefined;
      }
    },
  };
}

function webCipher(key: CryptoKey): Cipher {
  const algorithm = (nonce: Uint8Array<ArrayBuffer>, place: string): AesGcmParams => ({
    name: "AES-GCM",
    iv: nonce,
    additionalData: new TextEncoder().encode(place),
  });
  return {
    seal: async (text, place) => {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const bytes = new TextEncoder().encode(text);
      const cipher = await crypto.subtle.encrypt(algorithm(nonce, place), key, bytes);
      const sealed = new Uint8Array(NONCE_BYTES + cipher.byteLength);
      sealed.set(nonce);
      sealed.set(new Uint8Array(cipher), NONCE_BYTES);
      return btoa(Array.from(sealed, (byte) => String.fromCharCode(byte)).join(""));
    },
    open: async (sealed, place) => {
      try {
        const bytes = Uint8Array.from(atob(sealed), (char) => char.charCodeAt(0));
        const nonce = bytes.subarray(0, NONCE_BYTES);
        const cipher = bytes.subarray(NONCE_BYTES);
        const text = await crypto.subtle.decrypt(algorithm(nonce, place), key, cipher);
        return new TextDecoder().decode(text);
      } catch {
        return undefined;
      }
    },
  };
}
