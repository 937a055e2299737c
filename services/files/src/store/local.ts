import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PartTarget, Store, UploadTarget } from './store.ts';

/** The object or part that a request to the service may store. */
export type DirectUpload = UploadTarget | PartTarget;

/** Whether a request stores a part of an upload, and not the whole file. */
export function isPart(upload: DirectUpload): upload is PartTarget {
  return 'number' in upload;
}

/** Issues the address of the service at which an upload is sent. */
export type SignUpload = (upload: DirectUpload, expiresAt: Date) => string;

// Larger chunks than the 64 KB of Node halve the time of a download.
const readBytes = 512 * 1024;

/**
 * Stores files in a folder, which several instances can share. Files are written to a temporary path and then moved, so that
 * they appear complete. Clients send uploads to the service.
 */
export async function localStore(folder: string, sign: SignUpload): Promise<Store> {
  const root = resolve(folder);
  const incoming = join(root, 'incoming');
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  // Named after the key, so that an incomplete file can be found and removed after a crash.
  const nameOf = (key: string) => key.replaceAll('/', '_');
  const partsOf = (key: string) => join(incoming, `${nameOf(key)}.parts`);
  const pathOf = (key: string) => {
    const path = resolve(root, 'objects', key);
    if (!path.startsWith(join(root, 'objects') + sep)) throw new Error(`The key ${key} points outside the store`);
    return path;
  };

  /** Writes a stream to a temporary path, flushes it, and moves it to its place. */
  async function write(bytes: Readable | AsyncIterable<Buffer>, temporaryPath: string, path: string): Promise<void> {
    try {
      // Flushed to disk before the upload is acknowledged, so that it survives a power failure.
      await pipeline(bytes, createWriteStream(temporaryPath, { mode: 0o600, flush: true }));
      await rename(temporaryPath, path);
      await syncFolder(dirname(path));
    } catch (error) {
      await rm(temporaryPath, { force: true });
      throw error;
    }
  }

  /** Names begin with that of the key. Each attempt has its own, because two clients may use one link at once. */
  const temporaryPathOf = (key: string) => join(incoming, `${nameOf(key)}.${randomUUID()}`);

  async function writeObject(key: string, bytes: Readable | AsyncIterable<Buffer>): Promise<void> {
    const path = pathOf(key);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await write(bytes, temporaryPathOf(key), path);
  }

  async function removeIncoming(prefix: string): Promise<void> {
    for (const name of await readdir(incoming))
      if (name.startsWith(prefix)) await rm(join(incoming, name), { recursive: true, force: true });
  }

  return {
    put: writeObject,
    async get(key, range) {
      const file = await open(pathOf(key), 'r');
      return file.createReadStream({ highWaterMark: readBytes, ...range });
    },
    size: (key) => sizeOf(pathOf(key)),
    async copy(key, to) {
      const path = pathOf(to);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      // A file is replaced and never written again, so both names can have the same bytes.
      await link(pathOf(key), path);
      await syncFolder(dirname(path));
    },
    async remove(key) {
      await removeIncoming(`${nameOf(key)}.`);
      await rm(pathOf(key), { force: true });
    },
    async removeFolder(folder, kept = new Set()) {
      await removeIncoming(nameOf(folder));
      if (!kept.size) return rm(pathOf(folder), { recursive: true, force: true });
      for (const name of (await readdir(pathOf(folder)).catch(absent)) ?? [])
        if (!kept.has(`${folder}${name}`)) await rm(join(pathOf(folder), name), { recursive: true, force: true });
    },
    async signPut(target, expiresAt) {
      return { url: sign(target, expiresAt), headers: { 'Content-Type': target.contentType } };
    },
    parts: {
      async begin(key) {
        await mkdir(partsOf(key), { mode: 0o700, recursive: true });
        return 'parts';
      },
      async sign(target, expiresAt) {
        return { url: sign(target, expiresAt), headers: {} };
      },
      async put({ key, number }, bytes) {
        // Fails when the upload is complete or removed, because the folder does not exist then.
        const name = String(number);
        await write(bytes, join(partsOf(key), `${name}.${randomUUID()}`), join(partsOf(key), name));
      },
      async list(key) {
        const names = await readdir(partsOf(key)).catch(absent);
        const numbers = names?.filter((name) => /^\d+$/.test(name)).map(Number);
        const parts = numbers
          ?.toSorted((one, other) => one - other)
          .map(async (number) => {
            const size = (await sizeOf(join(partsOf(key), String(number)))) ?? 0;
            return { number, size };
          });
        return parts && Promise.all(parts);
      },
      async complete(key, _uploadId, numbers) {
        // Repeated after a crash: the object was moved to its place before the parts were removed.
        if ((await sizeOf(pathOf(key))) === undefined)
          await writeObject(key, joined(numbers.map((number) => join(partsOf(key), String(number)))));
        await rm(partsOf(key), { recursive: true, force: true });
      },
    },
  };
}

async function* joined(paths: string[]): AsyncGenerator<Buffer> {
  for (const path of paths) yield* createReadStream(path, { highWaterMark: readBytes });
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(absent))?.size;
}

/** Undefined instead of the error for a path that does not exist. */
function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Flushes a folder to disk, so that its file names survive a power failure. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
