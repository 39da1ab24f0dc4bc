import { noRefusal, REFUSED, refuse, refuseAt } from "./check.ts";
import type { Check, Refusal } from "./check.ts";

/** The check of each field of a type: of an optional one by {@link optionalField}. */
export type FieldChecks<Value> = {
  readonly [Key in keyof Value]-?: Pick<Value, Key> extends Required<Pick<Value, Key>>
    ? Check<Value[Key]>
    : OptionalField<Required<Value>[Key]>;
};

/** A field that may be missing. One that is there and `undefined` is not missing. */
export interface OptionalField<in out Value> {
  readonly optional: Check<Value>;
}

/** Lets a field be missing. */
export function optionalField<Value>(check: Check<Value>): OptionalField<Value> {
  return { optional: check };
}

/**
 * Makes a check of objects that have no field beside those named. Fields are copied in the order in which they are named here, inherited ones and those that
 * no enumeration shows too.
 */
export function sealedCheck<Value extends object>(fields: FieldChecks<Value>): Check<Value>;
export function sealedCheck(checks: FieldsOfAny): Check<object> {
  const fields = fieldsOf(checks);
  const known = new Set(fields.map(({ name }) => name));
  return (value, refusal) => {
    if (!isObject(value)) return refuse(refusal, "Expected an object", value);
    const copied: Record<string, unknown> = {};
    let count = 0;
    for (const { name, isOptional, check } of fields) {
      const given = value[name];
      // Whether it is there and `undefined` is asked only where the keys do not add up: that takes as long as all the rest.
      if (given === undefined && isOptional) continue;
      const copy = check(given, refusal);
      if (copy === REFUSED) {
        return refuseUndefined(fields, value, refusal, name) ?? refuseAt(refusal, name);
      }
      copied[name] = copy;
      count += 1;
    }
    Object.freeze(copied);
    if (isPlainOf(value, known, count)) return copied;
    return (
      refuseUndefined(fields, value, refusal) ?? refuseUnknown(known, value, refusal) ?? copied
    );
  };
}

/** Returns whether an object is written `{}`, has that many fields, and none beside those that are known. */
function isPlainOf(value: object, known: ReadonlySet<string>, count: number): boolean {
  const keys = Object.keys(value);
  if (keys.length !== count || Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key of keys) if (!known.has(key)) return false;
  return true;
}

/** Refuses an optional field that is there and `undefined`, before one of another name. */
function refuseUndefined(
  fields: readonly Field[],
  value: Readonly<Record<string, unknown>>,
  refusal: Refusal,
  before?: string,
): typeof REFUSED | undefined {
  for (const { name, isOptional, check } of fields) {
    if (name === before) return undefined;
    if (!isOptional || !(name in value) || value[name] !== undefined) continue;
    const reason = noRefusal();
    if (check(undefined, reason) !== REFUSED) continue;
    Object.assign(refusal, reason);
    return refuseAt(refusal, name);
  }
  return undefined;
}

/** Refuses fields beside those that are known; inherited ones too. The keys are text of the user's: they are counted and not named. */
function refuseUnknown(
  known: ReadonlySet<string>,
  value: object,
  refusal: Refusal,
): typeof REFUSED | undefined {
  let unknown = 0;
  for (const key in value) if (!known.has(key)) unknown += 1;
  if (unknown === 0) return undefined;
  refuse(refusal, `Expected no field beside ${[...known].join(", ")}`, value);
  refusal.received = `${unknown} more`;
  return REFUSED;
}

/** Makes a check of objects that have these fields. Others are left out of the copy, unread. */
export function recordCheck<Value extends object>(fields: FieldChecks<Value>): Check<Value>;
export function recordCheck(checks: FieldsOfAny): Check<object> {
  const fields = fieldsOf(checks);
  return (value, refusal) => {
    if (!isObject(value)) return refuse(refusal, "Expected an object", value);
    const copied: Record<string, unknown> = {};
    for (const { name, isOptional, check } of fields) {
      const given = value[name];
      if (given === undefined && isOptional && !(name in value)) continue;
      const copy = check(given, refusal);
      if (copy === REFUSED) return refuseAt(refusal, name);
      copied[name] = copy;
    }
    return Object.freeze(copied);
  };
}

/** Makes a check of objects of several kinds, which one field names. */
export function kindsCheck<Value extends object, By extends keyof Value & string>(
  by: By,
  kinds: KindChecks<Value, By>,
  messages: KindMessages,
): Check<Value>;
export function kindsCheck(
  by: string,
  kinds: Readonly<Record<string, Check<object>>>,
  { object, kind = object }: KindMessages,
): Check<object> {
  const checks = new Map<unknown, Check<object>>(Object.entries(kinds));
  return (value, refusal) => {
    if (!isObject(value)) return refuse(refusal, object, value);
    const name = value[by];
    const check = checks.get(name);
    if (check !== undefined) return check(value, refusal);
    refuse(refusal, kind, name);
    return refuseAt(refusal, by);
  };
}

/** The check of each kind of a union. */
type KindChecks<Value, By extends keyof Value> = {
  readonly [Kind in Value[By] & string]: Check<Extract<Value, { readonly [Key in By]: Kind }>>;
};

/** What is said of what is no object, and of an object of another kind. */
interface KindMessages {
  readonly object: string;
  /** Default: the same. */
  readonly kind?: string;
}

type FieldsOfAny = Readonly<Record<string, Check<unknown> | OptionalField<unknown>>>;

interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly check: Check<unknown>;
}

function fieldsOf(checks: FieldsOfAny): readonly Field[] {
  return Object.entries(checks).map(([name, field]) =>
    typeof field === "function"
      ? { name, isOptional: false, check: field }
      : { name, isOptional: true, check: field.optional },
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
