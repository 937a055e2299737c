import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Store } from './store.ts';

/** Copies an object to the disk for tools that need a file, and removes the copy afterwards. */
export async function withLocalCopy<T>(store: Store, key: string, use: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'file-'));
  try {
    const path = join(folder, 'content');
    await pipeline(await store.get(key), createWriteStream(path, { mode: 0o600 }));
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first bytes of an object as text. A character that the limit cuts is left out. */
export async function readStart(store: Store, key: string, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stream = await store.get(key);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= bytesMax) break;
  }
  // Leaving the loop has destroyed the stream.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, bytesMax), { stream: true }).replaceAll('\0', '');
}
