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
  stores.local = { store: await localStore(folder), kept };
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

  it('removes a folder with everything in it, and nothing else', async () => {
    const { store } = of();
    const bytes = () => Readable.from([Buffer.from('a')]);
    const keys = Array.from({ length: 60 }, (_, index) => `12/${index % 2 ? 'live' : 'sandbox'}/${index}`);
    for (const key of [...keys, '121/live/other']) await store.put(key, bytes());
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
