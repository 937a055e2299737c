import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Store } from './store.ts';

/** Stores files in a folder. Files are written to a temporary path and then moved, so that they appear complete. */
export async function localStore(folder: string): Promise<Store> {
  const root = resolve(folder);
  const incoming = join(root, 'incoming');
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  // Named after the key, so that an incomplete file can be found and removed after a crash.
  const temporaryPathOf = (key: string) => join(incoming, key.replaceAll('/', '_'));
  const pathOf = (key: string) => {
    const path = resolve(root, 'objects', key);
    if (!path.startsWith(join(root, 'objects') + sep)) throw new Error(`The key ${key} points outside the store`);
    return path;
  };

  return {
    async put(key, bytes) {
      const temporaryPath = temporaryPathOf(key);
      const path = pathOf(key);
      try {
        // Flushed to disk before the upload is acknowledged, so that it survives a power failure.
        await pipeline(bytes, createWriteStream(temporaryPath, { mode: 0o600, flush: true }));
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await rename(temporaryPath, path);
        await syncFolder(dirname(path));
      } catch (error) {
        await rm(temporaryPath, { force: true });
        throw error;
      }
    },
    async get(key) {
      const file = await open(pathOf(key), 'r');
      return file.createReadStream();
    },
    async remove(key) {
      await rm(temporaryPathOf(key), { force: true });
      await rm(pathOf(key), { force: true });
    },
    async removeFolder(folder) {
      await rm(pathOf(folder), { recursive: true, force: true });
      for (const name of await readdir(incoming))
        if (name.startsWith(folder.replaceAll('/', '_'))) await rm(join(incoming, name), { force: true });
    },
  };
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
