// The public exports of the entry `agent-history/privacy`.
export { encryptedDriver } from "@agent-history/store-kit/encryption";
export type {
  EncryptionKey,
  EncryptionKeys,
  EncryptionOptions,
} from "@agent-history/store-kit/encryption";
export { redactSecrets } from "@agent-history/store-kit/redaction";
export type {
  FoundSecret,
  RedactSecrets,
  RedactSecretsOptions,
} from "@agent-history/store-kit/redaction";
