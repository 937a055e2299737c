// Writes the .env for docker-compose.yml, and rotates secrets in it; `usage` lists the commands.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isRotatable, loadSecrets, newSecret, type RotatableSecret } from '@tandem/local/secrets';
import { readSecretList, type Secret, secretsMax, writeSecretList } from '@tandem/secrets';
import { findServices, serviceDatabase } from '@tandem/tooling';

type Settings = Record<string, string | undefined>;

const usage = `Usage: node infra/deploy/env.ts [<step> <setting>]

  (no arguments)       create .env, or add missing settings to it
  add <setting>        1. append a new value: every process accepts it, but none uses it yet
  promote <setting>    2. move the last value to the front: it is now used, and the others are still accepted
  retire <setting>     3. remove the last value

Settings: INTERNAL_SECRETS, KEY_PEPPER, ENCRYPTION_KEY, JWT_PRIVATE_KEY, SIGNING_KEY. Restart all processes after each step;
README.md, "Replacing secrets", describes when to run the next step.`;

class WrongUsage extends Error {}

const root = resolve(import.meta.dirname, '../..');
const envFile = join(root, '.env');

/** The text of .env.example with every empty setting filled in, from `known` or with a generated value. */
export function fillIn(example: string, known: Settings): string {
  const values = { ...generated(known), ...nonEmpty(known) };
  return example.replace(/^([A-Z_]+)=$/gm, (_, name: string) => {
    if (values[name] === undefined) throw new Error(`env.ts cannot generate the setting ${name} of .env.example`);
    return `${name}=${quoted(values[name])}`;
  });
}

const steps: Record<string, (secrets: readonly Secret[], name: RotatableSecret) => readonly Secret[]> = {
  add(secrets, name) {
    if (secrets.length >= secretsMax)
      throw new WrongUsage(`${name} already has ${secretsMax} values, the maximum: retire one first.`);
    return [...secrets, { id: nextId(secrets), value: newSecret(name) }];
  },
  promote(secrets, name) {
    if (secrets.length < 2) throw new WrongUsage(`${name} has only one value: add one first.`);
    return [...secrets.slice(-1), ...secrets.slice(0, -1)];
  },
  retire(secrets, name) {
    if (secrets.length < 2)
      throw new WrongUsage(`${name} has only one value, which is in use: add and promote a new one first.`);
    return secrets.slice(0, -1);
  },
};

/**
 * Applies one rotation step to a setting.
 * @param setting the current value in .env
 * @throws WrongUsage if the step or setting does not exist, or the step is not possible now
 */
export function applyStep(step: string, name: string, setting: string | undefined): string {
  const next = steps[step];
  if (!next) throw new WrongUsage(`Unknown step "${step}": use add, promote or retire.`);
  if (!isRotatable(name)) throw new WrongUsage(`${name} cannot be rotated: it takes only one value.`);
  if (!setting) throw new WrongUsage(`.env has no ${name}: run the command without arguments first.`);
  return writeSecretList(next(readSecretList(setting), name));
}

/** `k3` after `k2`. A value without an id is older than every value with one. */
function nextId(secrets: readonly Secret[]): string {
  const numbers = secrets.map(({ id }) => Number(/^k(\d{1,9})$/.exec(id ?? '')?.[1] ?? 1));
  return `k${Math.max(...numbers) + 1}`;
}

/** A value for every setting that has none yet. URLs are derived from the passwords and the administrator URL. */
function generated(known: Settings): Settings {
  const secrets = completeSecrets(known);
  const {
    POSTGRES_PASSWORD = newPassword(),
    REDIS_PASSWORD = newPassword(),
    RABBITMQ_PASSWORD = newPassword(),
    ADMIN_DATABASE_URL = `postgres://postgres:${POSTGRES_PASSWORD}@postgres:5432/postgres`,
  } = nonEmpty(known);
  return {
    ...secrets,
    POSTGRES_PASSWORD,
    REDIS_PASSWORD,
    RABBITMQ_PASSWORD,
    ADMIN_DATABASE_URL,
    REDIS_URL: `redis://:${REDIS_PASSWORD}@redis:6379`,
    REDIS_JOBS_URL: `redis://:${REDIS_PASSWORD}@redis-jobs:6379`,
    AMQP_URL: `amqp://tandem:${RABBITMQ_PASSWORD}@rabbitmq:5672`,
    ...databaseUrls(ADMIN_DATABASE_URL, secrets.ROLE_SECRET),
  };
}

function databaseUrls(adminUrl: string, roleSecret: string): Settings {
  const entries = findServices(root).flatMap(({ name }) => {
    const { appUrl, relayUrl } = serviceDatabase(name, { adminUrl, roleSecret });
    const prefix = name.replaceAll('-', '_').toUpperCase();
    return [
      [`${prefix}_DATABASE_URL`, appUrl],
      [`${prefix}_RELAY_DATABASE_URL`, relayUrl],
    ];
  });
  return Object.fromEntries(entries);
}

/** The fleet's secrets, generated as by `npm start` unless they are known. */
function completeSecrets(known: Settings): ReturnType<typeof loadSecrets> {
  const dir = mkdtempSync(join(tmpdir(), 'tandem-env-'));
  try {
    const file = join(dir, 'secrets.json');
    writeFileSync(file, JSON.stringify(nonEmpty(known)), { mode: 0o600 });
    return loadSecrets(file);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function nonEmpty(known: Settings): Settings {
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value));
}

/** Compose reads single-quoted values literally. Line breaks of a PEM become `\n`. */
function quoted(value: string): string {
  const line = value.trim().replaceAll('\n', '\\n');
  return /^[\w:/@.,+=?&%-]+$/.test(line) ? line : `'${line}'`;
}

function newPassword(): string {
  return randomBytes(24).toString('hex');
}

/** Writes .env with `changes`; other settings are kept. */
function writeEnv(changes: Settings): void {
  const known = { ...readEnv(), ...changes };
  const text = fillIn(readFileSync(join(root, '.env.example'), 'utf8'), known);
  const names = new Set(Object.keys(parseEnv(text)));
  const others = Object.entries(known).filter(([name]) => !names.has(name));
  const more = others.map(([name, value]) => `${name}=${quoted(value as string)}\n`).join('');
  writeFileSync(`${envFile}.new`, more ? `${text}\n# --- Other settings.\n${more}` : text, { mode: 0o600 });
  renameSync(`${envFile}.new`, envFile);
}

function readEnv(): Settings {
  return existsSync(envFile) ? parseEnv(readFileSync(envFile, 'utf8')) : {};
}

function main([step, name, ...rest]: string[]): void {
  if (step === undefined) {
    writeEnv({});
    console.log('.env written. Keep the file, and keep it secret.');
    return;
  }
  if (name === undefined || rest.length) throw new WrongUsage();
  const setting = applyStep(step, name, readEnv()[name]);
  writeEnv({ [name]: setting });
  const ids = readSecretList(setting).map(({ id }) => id ?? '(no id)');
  console.log(`${name} in .env: ${ids[0]} is current${ids.length > 1 ? `, ${ids.slice(1).join(', ')} accepted` : ''}`);
}

if (import.meta.main) {
  try {
    main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    console.error(error.message ? `${error.message}\n\n${usage}` : usage);
    process.exitCode = 2;
  }
}
