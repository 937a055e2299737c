import { generateKeyPairSync, randomBytes, randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CommandError } from './command-error.ts';

/** What the fleet's processes share and nobody else may know. */
export interface Secrets {
  /** Signs the caller between gateway and services: `id:key`, the newest first. */
  INTERNAL_SECRETS: string;
  KEY_PEPPER: string;
  ENCRYPTION_KEY: string;
  IDS_ALPHABET: string;
  JWT_PRIVATE_KEY: string;
  /** The passwords of the database roles are derived from it. */
  ROLE_SECRET: string;
}

const alphanumerics = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The secrets kept in `file`, made on first use. They outlive data: keys and ids handed out stay valid. */
export function keptSecrets(file: string): Secrets {
  const known = readSecrets(file);
  const secrets = { ...known, ...missingFrom(known) };
  if (Object.keys(known).length < Object.keys(secrets).length) save(file, secrets);
  return secrets;
}

function missingFrom(known: Partial<Secrets>): Secrets {
  const makers: { [Name in keyof Secrets]: () => string } = {
    INTERNAL_SECRETS: () => `k1:${hex(32)}`,
    KEY_PEPPER: () => hex(32),
    ENCRYPTION_KEY: () => randomBytes(32).toString('base64'),
    IDS_ALPHABET: () => shuffled(alphanumerics),
    JWT_PRIVATE_KEY: rsaKey,
    ROLE_SECRET: () => hex(32),
  };
  const names = Object.keys(makers) as (keyof Secrets)[];
  return Object.fromEntries(names.map((name) => [name, known[name] ?? makers[name]()])) as unknown as Secrets;
}

function readSecrets(file: string): Partial<Secrets> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    if (!(error instanceof SyntaxError)) throw error;
    // New ones in its place would make every key and id that was handed out worthless, so that is the user's to decide.
    throw new CommandError(
      `${file} cannot be read as JSON: put it back, or delete it together with the data of the stores.`,
    );
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

/** Fisher-Yates with a source that cannot be guessed. */
function shuffled(letters: string): string {
  const result = [...letters];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [result[last], result[other]] = [result[other] as string, result[last] as string];
  }
  return result.join('');
}
