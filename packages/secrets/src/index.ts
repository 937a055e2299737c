// The format of a setting that lists secrets: several values are accepted during a rotation.

/** One value of a secret setting. */
export interface Secret {
  /** Identifies the value in stored data, headers, metrics and commands; null for a value without an id. */
  id: string | null;
  value: string;
}

/** The values of a secret setting: the current one first, then those that are still accepted. */
export type SecretList = readonly [current: Secret, ...others: Secret[]];

/** Maximum number of values, which bounds the attempts to find the right one. */
export const secretsMax = 5;

const entryForm = /^(?:([A-Za-z0-9_-]{1,32}):)?([^:]+)$/;

/**
 * Parses a secret setting: `id:value[,id:value…]`, the current value first. A single value may omit its id.
 * @throws Error, without any value in its message, for another format, a repeated id or value, or more than five values
 */
export function readSecretList(setting: string): SecretList {
  const secrets = setting.split(',').map(readEntry);
  if (secrets.length > secretsMax) throw new Error(`Must contain at most ${secretsMax} values`);
  if (new Set(secrets.map(({ id }) => id)).size < secrets.length)
    throw new Error('Each value must have a different id; only one value may have none');
  if (new Set(secrets.map(({ value }) => value)).size < secrets.length)
    throw new Error('Must not contain the same value twice');
  return secrets as [Secret, ...Secret[]];
}

/** Formats a secret setting; the inverse of `readSecretList`. */
export function writeSecretList(secrets: readonly Secret[]): string {
  return secrets.map(({ id, value }) => (id === null ? value : `${id}:${value}`)).join(',');
}

function readEntry(entry: string): Secret {
  const [, id = null, value] = entryForm.exec(entry.trim()) ?? [];
  if (value === undefined)
    throw new Error('Must be id:value pairs separated by commas; an id has 1 to 32 letters, digits, - and _');
  return { id, value };
}
