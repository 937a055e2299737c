// The form of a setting that lists secrets: several values are accepted while one replaces another.

/** One value of a secret setting. */
export interface Secret {
  /** Names the value in stored data, headers, metrics and commands; null for a value that is written without an id. */
  id: string | null;
  value: string;
}

/** The values of a secret setting: the current one first, then those that are still accepted. */
export type SecretList = readonly [current: Secret, ...others: Secret[]];

/** A setting has at most so many values, which bounds the attempts to find the right one. */
export const secretsMax = 5;

const entryForm = /^(?:([A-Za-z0-9_-]{1,32}):)?([^:]+)$/;

/**
 * Reads a secret setting: `id:value[,id:value…]`, the current value first. One value may stand without an id.
 * @throws Error without any value in its message, when the form is another, an id or a value repeats, or there are more than five
 */
export function readSecretList(setting: string): SecretList {
  const secrets = setting.split(',').map(readEntry);
  if (secrets.length > secretsMax) throw new Error(`Must have at most ${secretsMax} values`);
  if (new Set(secrets.map(({ id }) => id)).size < secrets.length)
    throw new Error('Must have a different id for each value; only one value may be without an id');
  if (new Set(secrets.map(({ value }) => value)).size < secrets.length)
    throw new Error('Must not have the same value twice');
  return secrets as [Secret, ...Secret[]];
}

/** Writes a secret setting; the opposite of `readSecretList`. */
export function writeSecretList(secrets: readonly Secret[]): string {
  return secrets.map(({ id, value }) => (id === null ? value : `${id}:${value}`)).join(',');
}

function readEntry(entry: string): Secret {
  const [, id = null, value] = entryForm.exec(entry.trim()) ?? [];
  if (value === undefined)
    throw new Error('Must be id:value, several separated by commas; an id has 1 to 32 letters, digits, - and _');
  return { id, value };
}
