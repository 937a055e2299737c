import { readSecretList } from '@tandem/secrets';
import { z } from 'zod';

/** Returns what is wrong with one value of a secret setting; undefined for a valid value. */
type Check = (value: string) => string | undefined;

// The chance that 32 random hexadecimal characters have fewer distinct ones is one in a hundred million.
const differentCharactersMin = 8;

/** Marks the settings that hold secrets, which `readConfig` compares with each other. */
const secretSettings = z.registry<{ isSecret: true }>();

/**
 * The schema of a secret setting: `id:value[,id:value…]`, the current value first. The output stays text;
 * `readSecretList` parses it.
 * @param check validates each value
 * @param options.needsIds rejects a value without an id
 */
export function secretSetting(check: Check, options: { needsIds?: boolean } = {}): z.ZodString {
  return z
    .string()
    .check((context) => {
      const message = problemOf(context.value, check, options.needsIds ?? false);
      if (message !== undefined) context.issues.push({ code: 'custom', message, input: context.value });
    })
    .register(secretSettings, { isSecret: true });
}

/** Validates a secret that is used as an HMAC key. */
export function hasLengthOfKey(value: string): string | undefined {
  return value.length < 32 ? 'Each value must have at least 32 characters' : undefined;
}

/** Validates an encryption key. */
export function isEncryptionKey(value: string): string | undefined {
  return Buffer.from(value, 'base64').length === 32 ? undefined : 'Each value must be 32 bytes in base64';
}

function problemOf(setting: string, check: Check, needsIds: boolean): string | undefined {
  try {
    const secrets = readSecretList(setting);
    if (needsIds && secrets.some(({ id }) => id === null)) return 'Each value must have an id, as id:value';
    return secrets.map(({ value }) => check(value)).find((problem) => problem !== undefined);
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Finds weak secrets, and secrets that two settings share, among the parsed settings of a process. A key that is used
 * for two purposes cannot be rotated for one of them alone.
 */
export function findWeakSecrets(
  shape: Readonly<Record<string, z.ZodType>>,
  settings: Readonly<Record<string, unknown>>,
): { setting: string; message: string }[] {
  const problems: { setting: string; message: string }[] = [];
  const users = new Map<string, string>();
  for (const [setting, schema] of Object.entries(shape)) {
    const text = settings[setting];
    if (!secretSettings.has(schema) || typeof text !== 'string') continue;
    for (const { value } of readSecretList(text)) {
      const other = users.get(value);
      users.set(value, setting);
      if (other !== undefined) problems.push({ setting, message: `Must not share a value with ${other}` });
      if (new Set(value).size < differentCharactersMin)
        problems.push({ setting, message: 'Each value must be random; one repeats the same few characters' });
    }
  }
  return problems;
}
