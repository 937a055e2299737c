import { generateKeyPairSync, randomBytes, randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CommandError } from './command-error.ts';
import { newSigningKey } from './signing-key.ts';

/** The secrets that the processes of the fleet share. */
export interface Secrets extends Record<RotatableSecret, string> {
  /** Alphabet of public ids, so it must never change. */
  IDS_ALPHABET: string;
  /** Secret from which the passwords of the database roles are derived. */
  ROLE_SECRET: string;
}

/** Settings with several values, so that they can be rotated: `id:value[,id:value…]`, the current one first. */
export type RotatableSecret = 'INTERNAL_SECRETS' | 'KEY_PEPPER' | 'ENCRYPTION_KEY' | 'JWT_PRIVATE_KEY' | 'SIGNING_KEY';

const generators: Record<RotatableSecret, () => string> = {
  INTERNAL_SECRETS: () => hex(32),
  KEY_PEPPER: () => hex(32),
  ENCRYPTION_KEY: () => randomBytes(32).toString('base64'),
  JWT_PRIVATE_KEY: rsaKey,
  SIGNING_KEY: newSigningKey,
};

/** Whether a setting supports rotation. */
export function isRotatable(name: string): name is RotatableSecret {
  return Object.hasOwn(generators, name);
}

/** Generates a value for a rotatable setting, without an id. */
export function newSecret(name: RotatableSecret): string {
  return generators[name]();
}

const alphanumerics = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The secrets stored in `file`; generated on first use, so that keys and ids stay valid across restarts. */
export function loadSecrets(file: string): Secrets {
  const known = readSecrets(file);
  const secrets = { ...known, ...missingFrom(known) };
  if (Object.keys(known).length < Object.keys(secrets).length) save(file, secrets);
  return secrets;
}

function missingFrom(known: Partial<Secrets>): Secrets {
  const first = (name: RotatableSecret) => known[name] ?? `k1:${newSecret(name)}`;
  return {
    INTERNAL_SECRETS: first('INTERNAL_SECRETS'),
    KEY_PEPPER: first('KEY_PEPPER'),
    ENCRYPTION_KEY: first('ENCRYPTION_KEY'),
    JWT_PRIVATE_KEY: first('JWT_PRIVATE_KEY'),
    SIGNING_KEY: first('SIGNING_KEY'),
    IDS_ALPHABET: known.IDS_ALPHABET ?? shuffled(alphanumerics),
    ROLE_SECRET: known.ROLE_SECRET ?? hex(32),
  };
}

function readSecrets(file: string): Partial<Secrets> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    if (!(error instanceof SyntaxError)) throw error;
    // New secrets would invalidate every existing key and id, so the user decides.
    throw new CommandError(`${file} is not valid JSON: restore it, or delete it together with the data of the stores.`);
  }
}

function save(file: string, secrets: Secrets): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function hex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

function rsaKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Fisher-Yates shuffle with a cryptographic random source. */
function shuffled(letters: string): string {
  const result = [...letters];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [result[last], result[other]] = [result[other] as string, result[last] as string];
  }
  return result.join('');
}
