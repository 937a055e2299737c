// `node infra/deploy/env.ts`: writes the .env that docker-compose.yml needs, or adds to it what it lacks.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { keptSecrets } from '@tandem/local/secrets';
import { findServices, serviceDatabase } from '@tandem/tooling';

type Settings = Record<string, string | undefined>;

const root = resolve(import.meta.dirname, '../..');

/** The lines of .env.example with every empty setting filled in: as `known` has it, else with a value of its own. */
export function filledIn(example: string, known: Settings): string {
  const values = { ...made(known), ...given(known) };
  return example.replace(/^([A-Z_]+)=$/gm, (_, name: string) => {
    if (values[name] === undefined) throw new Error(`.env.example asks for ${name}, and env.ts cannot make one`);
    return `${name}=${quoted(values[name])}`;
  });
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

if (import.meta.main) {
  const file = join(root, '.env');
  const known = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const text = filledIn(readFileSync(join(root, '.env.example'), 'utf8'), parseEnv(known));
  const names = new Set(Object.keys(parseEnv(text)));
  const others = Object.entries(parseEnv(known)).filter(([name]) => !names.has(name));
  const more = others.map(([name, value]) => `${name}=${quoted(value as string)}\n`).join('');
  writeFileSync(`${file}.new`, more ? `${text}\n# --- Of your own.\n${more}` : text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  console.log('.env written; keep it, and keep it secret');
}
