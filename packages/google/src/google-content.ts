/** A content that is read: of the SDK's type, as JSON, or of another version's. */
export interface GoogleContentLike {
  readonly role?: string | undefined;
  readonly parts?: readonly object[] | undefined;
}

/** A content as it is written: for `contents` of `generateContent`. */
export interface GoogleContent {
  role: "user" | "model";
  parts: GooglePart[];
}

/** A part as it is written. */
export interface GooglePart {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  inlineData?: { mimeType?: string; data?: string; displayName?: string };
  fileData?: { mimeType?: string; fileUri?: string; displayName?: string };
  functionCall?: { id?: string; name?: string; args?: Record<string, unknown> };
  functionResponse?: { id?: string; name?: string; response?: Record<string, unknown> };
}
