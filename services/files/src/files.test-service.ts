import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { files } from '@tandem/files-contract';
import { createIdCodec, type IdCodec } from '@tandem/ids';
import { type TestService, testService, type testSettings, until } from '@tandem/testing';
import { filesService } from './service.ts';
import { filesSettings } from './settings.ts';

/** The files service in a test, with its own folder. */
export interface TestFiles extends TestService<typeof files> {
  /** The codec of public ids. */
  codec(): IdCodec;
  /** Starts a further instance on the same database and folder, as a restart or a second process. */
  another(env?: Record<string, string>): Promise<TestService<typeof files>>;
  /** The address of the database as the service itself. */
  databaseUrl(): string;
  /** Paths of all objects in the store, including incomplete ones. */
  stored(): Promise<string[]>;
}

export const publicUrl = 'https://api.example.com';

export async function startFiles(env: Record<string, string> = {}): Promise<TestFiles> {
  const folder = await mkdtemp(join(tmpdir(), `files-${randomBytes(3).toString('hex')}-`));
  // No server listens at the address of identity, so no user can be found.
  const { IDS_ALPHABET, SIGNING_KEY } = process.env;
  const addresses = { PUBLIC_URL: `${publicUrl}/`, IDENTITY_URL: 'http://127.0.0.1:9', IDS_ALPHABET, SIGNING_KEY };
  let shared: Awaited<ReturnType<typeof testSettings>> | undefined;
  const start = (own: Record<string, string>) =>
    testService(
      'files',
      async (base) => {
        const settings = filesSettings.parse({ ...base, ...addresses, DATA_DIR: folder, ...env, ...own });
        shared = base;
        return filesService({ ...base, ...settings } as never);
      },
      shared,
    );
  const service = await start({});
  return {
    ...service,
    another: (own = {}) => start(own),
    databaseUrl: () => shared?.DATABASE_URL as string,
    codec: () => createIdCodec(process.env['IDS_ALPHABET'] as string),
    async stored() {
      const list = () => readdir(folder, { recursive: true, withFileTypes: true });
      // A folder that is removed meanwhile lets the listing fail.
      const entries = await list().catch(list);
      return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    },
    async close() {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Caller = Parameters<TestFiles['sqlWithin']>[0];

/** Lets a job fail in all of its attempts, without the time between them, until it is scheduled an hour later. */
export async function failAllAttempts(service: TestFiles, caller: Caller, name: string): Promise<void> {
  const next = `UPDATE platform.job SET due_at = now() WHERE name = $1 AND state = 'waiting' AND attempts > 0`;
  const later = `SELECT FROM platform.job WHERE name = $1 AND state = 'waiting' AND attempts = 0
    AND due_at BETWEEN now() + interval '50 minutes' AND now() + interval '70 minutes'`;
  await until('the job is scheduled an hour later', async () => {
    await service.sqlWithin(caller, next, [name]);
    return (await service.sqlWithin(caller, later, [name])).length === 1;
  });
}

/** Runs the waiting jobs of a name now. */
export async function runNow(service: TestFiles, caller: Caller, name: string): Promise<void> {
  const text = `UPDATE platform.job SET due_at = now() WHERE name = $1 AND state = 'waiting'`;
  await service.sqlWithin(caller, text, [name]);
}
