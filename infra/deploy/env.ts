// Writes the .env that docker-compose.yml needs, and replaces secrets in it; `usage` lists the commands.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isRotatable, keptSecrets, newSecret, type RotatableSecret } from '@tandem/local/secrets';
import { readSecretList, type Secret, secretsMax, writeSecretList } from '@tandem/secrets';
import { findServices, serviceDatabase } from '@tandem/tooling';

type Settings = Record<string, string | undefined>;

const usage = `Usage: node infra/deploy/env.ts [<step> <setting>]

  without arguments    write .env, or add the settings that it lacks
  add <setting>        1. add a new value behind the others: every process accepts it, none uses it yet
  promote <setting>    2. move the last value to the front: it is used from now on, the others are still accepted
  retire <setting>     3. remove the last value

Settings: INTERNAL_SECRETS, KEY_PEPPER, ENCRYPTION_KEY, JWT_PRIVATE_KEY. Restart all processes after each step; README.md,
"Replacing secrets", says when the next step may follow.`;

class WrongUsage extends Error {}

const root = resolve(import.meta.dirname, '../..');
const envFile = join(root, '.env');

/** The lines of .env.example with every empty setting filled in: as `known` has it, else with a value of its own. */
export function filledIn(example: string, known: Settings): string {
  const values = { ...made(known), ...given(known) };
  return example.replace(/^([A-Z_]+)=$/gm, (_, name: string) => {
    if (values[name] === undefined) throw new Error(`.env.example asks for ${name}, and env.ts cannot make one`);
    return `${name}=${quoted(values[name])}`;
  });
}

const steps: Record<string, (secrets: readonly Secret[], name: RotatableSecret) => readonly Secret[]> = {
  add(secrets, name) {
    if (secrets.length >= secretsMax)
      throw new WrongUsage(`${name} already has ${secretsMax} values: retire one first.`);
    return [...secrets, { id: nextId(secrets), value: newSecret(name) }];
  },
  promote(secrets, name) {
    if (secrets.length < 2) throw new WrongUsage(`${name} has one value only: add one first.`);
    return [...secrets.slice(-1), ...secrets.slice(0, -1)];
  },
  retire(secrets, name) {
    if (secrets.length < 2) throw new WrongUsage(`${name} has one value only, which is in use.`);
    return secrets.slice(0, -1);
  },
};

/**
 * The setting after one step of its rotation.
 * @param setting the value of the setting, as .env has it
 * @throws WrongUsage when there is no such step or setting, or the step is not possible now
 */
export function stepped(step: string, name: string, setting: string | undefined): string {
  const next = steps[step];
  if (!next) throw new WrongUsage(`There is no step "${step}".`);
  if (!isRotatable(name)) throw new WrongUsage(`${name} does not list several values.`);
  if (!setting) throw new WrongUsage(`.env has no ${name} yet.`);
  return writeSecretList(next(readSecretList(setting), name));
}

/** `k3` after `k2`. A value without an id is older than every value with one. */
function nextId(secrets: readonly Secret[]): string {
  const numbers = secrets.map(({ id }) => Number(/^k(\d{1,9})$/.exec(id ?? '')?.[1] ?? 1));
  return `k${Math.max(...numbers) + 1}`;
}

/** A value for every setting that has none yet. Addresses follow from the passwords, and from the administrator's address. */
function made(known: Settings): Settings {
  const secrets = secretsBeside(known);
  const {
    POSTGRES_PASSWORD = newPassword(),
    REDIS_PASSWORD = newPassword(),
    RABBITMQ_PASSWORD = newPassword(),
    ADMIN_DATABASE_URL = `postgres://postgres:${POSTGRES_PASSWORD}@postgres:5432/postgres`,
  } = given(known);
  return {
    ...secrets,
    ...{ POSTGRES_PASSWORD, REDIS_PASSWORD, RABBITMQ_PASSWORD, ADMIN_DATABASE_URL },
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

/** The fleet's secrets as `npm start` makes them, except for those that are known. */
function secretsBeside(known: Settings): ReturnType<typeof keptSecrets> {
  const dir = mkdtempSync(join(tmpdir(), 'tandem-env-'));
  try {
    const file = join(dir, 'secrets.json');
    writeFileSync(file, JSON.stringify(given(known)), { mode: 0o600 });
    return keptSecrets(file);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function given(known: Settings): Settings {
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value));
}

/** Within single quotes Compose takes every character as it is. A PEM has line ends, which become `\n`. */
function quoted(value: string): string {
  const line = value.trim().replaceAll('\n', '\\n');
  return /^[\w:/@.,+=?&%-]+$/.test(line) ? line : `'${line}'`;
}

function newPassword(): string {
  return randomBytes(24).toString('hex');
}

/** Writes .env with `changes`; its other settings stay as they are. */
function writeEnv(changes: Settings): void {
  const known = { ...readEnv(), ...changes };
  const text = filledIn(readFileSync(join(root, '.env.example'), 'utf8'), known);
  const names = new Set(Object.keys(parseEnv(text)));
  const others = Object.entries(known).filter(([name]) => !names.has(name));
  const more = others.map(([name, value]) => `${name}=${quoted(value as string)}\n`).join('');
  writeFileSync(`${envFile}.new`, more ? `${text}\n# --- Of your own.\n${more}` : text, { mode: 0o600 });
  renameSync(`${envFile}.new`, envFile);
}

function readEnv(): Settings {
  return existsSync(envFile) ? parseEnv(readFileSync(envFile, 'utf8')) : {};
}

function main([step, name, ...rest]: string[]): void {
  if (step === undefined) {
    writeEnv({});
    console.log('.env written; keep it, and keep it secret');
    return;
  }
  if (name === undefined || rest.length) throw new WrongUsage();
  const setting = stepped(step, name, readEnv()[name]);
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
