import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createLog } from '@tandem/process';
import jsonwebtoken from 'jsonwebtoken';
import { createTokens } from './tokens.ts';

const log = createLog('test', 'error');
const part = (text: string) => Buffer.from(text).toString('base64url');
const header = part('{"alg":"RS256","typ":"JWT","kid":"known"}');

it.each([
  ['a payload that is not JSON', `${header}.${part('abc')}.AAAA`],
  ['a header that is not JSON', `${part('abc')}.${part('{}')}.AAAA`],
  ['a header that is not an object', `${part('null')}.${part('{}')}.AAAA`],
  ['a key id that is not a string', `${part('{"alg":"RS256","kid":{}}')}.${part('{}')}.AAAA`],
])('refuses a token with %s', async (_, token) => {
  const tokens = createTokens({ fetchKeys: async () => [], issuer: 'tandem', log });
  await expect(tokens.read(token, 'platform')).resolves.toBeUndefined();
});

interface SigningKey {
  kid: string;
  privateKey: KeyObject;
  jwk: Record<string, unknown>;
}

function signingKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const jwk = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(String(jwk.n)).digest('base64url');
  return { kid, privateKey, jwk: { ...jwk, kid } };
}

const [a, b] = [signingKey(), signingKey()];

/** Tokens with a clock and a list of public keys that the test controls. */
function setUp(listed: SigningKey[]) {
  const world = { now: 1_800_000_000_000, listed, fetches: 0, isAway: false };
  const tokens = createTokens({
    issuer: 'tandem',
    log,
    now: () => world.now,
    async fetchKeys() {
      world.fetches++;
      if (world.isAway) throw new Error('away');
      return world.listed.map(({ jwk }) => jwk);
    },
  });
  let serial = 0;
  const token = ({ kid, privateKey }: SigningKey, keyid = kid) =>
    jsonwebtoken.sign({ tid: 't', sid: 's', iat: world.now / 1_000, n: serial++ }, privateKey, {
      algorithm: 'RS256',
      keyid,
      issuer: 'tandem',
      audience: 'platform',
      expiresIn: 900,
    });
  return { world, token, read: (text: string) => tokens.read(text, 'platform') };
}

describe('during the rotation of a signing key', () => {
  it('accepts tokens of every listed key, and fetches a new key for its first token', async () => {
    const { world, token, read } = setUp([a]);
    expect(await read(token(a))).toMatchObject({ tid: 't' });
    world.listed = [a, b];
    world.now += 5_000;
    expect(await read(token(b))).toMatchObject({ tid: 't' });
    world.listed = [b, a];
    expect(await read(token(a))).toMatchObject({ tid: 't' });
    expect(world.fetches).toBe(2);
  });

  it('refuses tokens of a removed key within a minute, including tokens that were valid before', async () => {
    const { world, token, read } = setUp([b, a]);
    const old = token(a);
    expect(await read(old)).toBeDefined();
    world.listed = [b];
    world.now += 60_000;
    // This request starts the fetch, but is still checked against the old list.
    expect(await read(old)).toBeDefined();
    await new Promise(setImmediate);
    expect(await read(old)).toBeUndefined();
    expect(await read(token(b))).toBeDefined();
    expect(world.fetches).toBe(2);
  });

  it('keeps the last list while identity is unavailable', async () => {
    const { world, token, read } = setUp([a]);
    await read(token(a));
    world.isAway = true;
    for (let minute = 0; minute < 5; minute++) {
      world.now += 60_000;
      expect(await read(token(a))).toBeDefined();
      await new Promise(setImmediate);
    }
    expect(world.fetches).toBe(6);
  });
});

it('fetches once in five seconds for a thousand tokens with invented key ids', async () => {
  const { world, token, read } = setUp([a]);
  const forged = token(b, 'invented');
  const invented = (n: number) => forged.replace(/^[^.]+/, part(`{"alg":"RS256","kid":"${n}"}`));
  const readMany = () => Promise.all(Array.from({ length: 500 }, (_, n) => read(invented(n))));
  expect(new Set(await readMany())).toEqual(new Set([undefined]));
  world.now += 4_999;
  await readMany();
  expect(world.fetches).toBe(1);
  world.now += 1;
  await readMany();
  expect(world.fetches).toBe(2);
});

it('returns 503 if the key of a token cannot be fetched, and asks identity once per second', async () => {
  const { world, token, read } = setUp([a]);
  world.isAway = true;
  const attempts = await Promise.allSettled(Array.from({ length: 100 }, () => read(token(a))));
  expect(attempts.every((one) => one.status === 'rejected' && one.reason.code === 'unavailable')).toBe(true);
  await expect(read(token(a))).rejects.toMatchObject({ code: 'unavailable' });
  expect(world.fetches).toBe(1);
  world.isAway = false;
  world.now += 1_000;
  expect(await read(token(a))).toBeDefined();
});
