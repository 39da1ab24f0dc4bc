import type { StoredFields } from "./stored-fields.ts";
import { upgradeFromVersion0 } from "./upgrade-from-version-0.ts";

/**
 * The steps from each version of the stored form to the next; the first reads version 0.
 *
 * A new field, part or word of an entry makes a new version: add the step from the one before at the end, raise
 * `STORED_VERSION`, and leave a fixture of the old form. A new entry type makes none: older releases keep its rows.
 */
export const UPGRADES: readonly ((fields: StoredFields) => StoredFields)[] = [upgradeFromVersion0];
