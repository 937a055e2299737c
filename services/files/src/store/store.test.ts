import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { localStore } from './local.ts';
import { startS3 } from './s3.test-server.ts';
import { s3Store } from './s3.ts';
import type { Store } from './store.ts';

let folder: string;
let s3: Awaited<ReturnType<typeof startS3>>;
const stores: Record<string, { store: Store; kept: () => Promise<string[]> | string[] }> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'));
  s3 = await startS3();
  const kept = async () =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((one) => one.isFile())
      .map((one) => one.name);
  stores.local = { store: await localStore(folder, () => 'https://api.example.com'), kept };
  stores.s3 = {
    store: await s3Store({
      S3_BUCKET: 'bucket',
      S3_REGION: 'eu-central-1',
      S3_ENDPOINT: s3.url,
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
    } as never),
    kept: s3.kept,
  };
});
afterAll(async () => {
  s3?.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(['local', 's3'])('the %s store', (name) => {
  const of = () => stores[name] as (typeof stores)[string];

  it.each([
    ['no bytes', 0],
    ['a few bytes', 1_000],
    ['more than one part', 12_000_000],
  ])('returns %s unchanged', async (_, size) => {
    const { store } = of();
    const bytes = randomBytes(size);
    const key = `1/live/${size}`;
    await store.put(key, Readable.from(bytes.length ? [bytes.subarray(0, 500), bytes.subarray(500)] : []));
    expect((await buffer(await store.get(key))).equals(bytes)).toBe(true);
    await store.remove(key);
    await store.remove(key);
    await expect(store.get(key)).rejects.toThrow();
  });

  it('returns a part of the bytes, their size, and a copy that does not change', async () => {
    const { store } = of();
    await store.put('1/live/a', Readable.from([Buffer.from('0123456789')]));
    expect((await buffer(await store.get('1/live/a', { start: 2, end: 4 }))).toString()).toBe('234');
    await store.copy('1/live/a', '1/live/b/c');
    await store.put('1/live/a', Readable.from([Buffer.from('another')]));
    expect((await buffer(await store.get('1/live/b/c'))).toString()).toBe('0123456789');
    await store.remove('1/live/a');
    await expect(store.copy('1/live/a', '1/live/d')).rejects.toThrow();
    await store.remove('1/live/b/c');
  });

  it('joins parts in their order, and forgets an upload that is removed', async () => {
    const { store, kept } = of();
    const before = await kept();
    const later = new Date(Date.now() + 60_000);
    const send = async (key: string, uploadId: string, number: number, text: string) => {
      const target = { key, uploadId, number, sizeMax: 100 };
      if (store.parts.put) return store.parts.put(target, Readable.from([Buffer.from(text)]));
      const { url, headers } = await store.parts.sign(target, later);
      expect((await fetch(url, { method: 'PUT', body: text, headers })).status).toBe(200);
    };
    const [key, other] = ['1/live/parts', '1/live/other'];
    const [upload, removed] = [await store.parts.begin(key), await store.parts.begin(other)];
    for (const [number, text] of [
      [3, 'c'],
      [1, 'a'],
      [2, 'x'],
      [2, 'bb'],
    ] as const)
      await send(key, upload, number, text);
    await send(other, removed, 1, 'gone');
    expect(await store.parts.list(key, upload)).toEqual([
      { number: 1, size: 1 },
      { number: 2, size: 2 },
      { number: 3, size: 1 },
    ]);
    await store.parts.complete(key, upload, [1, 2, 3]);
    await store.parts.complete(key, upload, [1, 2, 3]);
    expect((await buffer(await store.get(key))).toString()).toBe('abbc');
    expect(await store.parts.list(key, upload)).toBeUndefined();
    await store.remove(other);
    expect(await store.parts.list(other, removed)).toBeUndefined();
    await store.remove(key);
    expect(await kept()).toEqual(before);
  });

  it('removes a folder with everything in it, and nothing else', async () => {
    const { store } = of();
    const bytes = () => Readable.from([Buffer.from('a')]);
    const keys = Array.from({ length: 60 }, (_, index) => `12/${index % 2 ? 'live' : 'sandbox'}/${index}`);
    for (const key of [...keys, '121/live/other']) await store.put(key, bytes());
    const kept = ['12/live/1', '12/live/59'];
    await store.removeFolder('12/live/', new Set(kept));
    for (const key of keys.filter((one) => one.includes('live')))
      expect([key, await store.size(key)]).toEqual([key, kept.includes(key) ? 1 : undefined]);
    await store.removeFolder('12/');
    await store.removeFolder('12/');
    for (const key of keys) await expect(store.get(key)).rejects.toThrow();
    expect((await buffer(await store.get('121/live/other'))).toString()).toBe('a');
    await store.removeFolder('121/');
  });

  it('stores nothing of a stream that fails', async () => {
    const { store, kept } = of();
    const before = await kept();
    const failing = Readable.from(
      (async function* () {
        yield randomBytes(6_000_000);
        yield randomBytes(6_000_000);
        throw new Error('broke off');
      })(),
    );
    await expect(store.put('1/live/broken', failing)).rejects.toThrow('broke off');
    expect(await kept()).toEqual(before);
  });
});

it('rejects a key outside of the local store', async () => {
  await expect(stores.local?.store.put('../../out', Readable.from([]))).rejects.toThrow();
});
