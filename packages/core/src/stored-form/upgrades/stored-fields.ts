/** The fields of a stored entry of any version, without the version. */
export type StoredFields = Readonly<Record<string, unknown>>;
