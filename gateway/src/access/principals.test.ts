import { ServiceCallError } from '@tandem/client/internal';
import { credentialChannel } from '@tandem/identity-contract';
import { createLog } from '@tandem/process';
import { until } from '@tandem/testing';
import { Redis } from 'ioredis';
import { createPrincipals, type Who } from './principals.ts';

const redisUrl = process.env.TEST_REDIS_URL as string;
const tenantId = 1;
const keyId = 7;

/** Principals of a gateway whose identity service responds with `resolveKey`, and a connection to publish changes on. */
function setUp(resolveKey: (asked: { body: { hash: string } }) => Promise<unknown>) {
  const principals = createPrincipals({
    identity: { resolveKey } as unknown as Parameters<typeof createPrincipals>[0]['identity'],
    pepper: null,
    redisUrl,
    log: createLog('test', 'error'),
  });
  const publisher = new Redis(redisUrl);
  const close = () => {
    publisher.disconnect();
    principals.close();
  };
  return { principals, publisher, close };
}

it('does not cache a response that was in flight when the key was revoked', async () => {
  const { promise: response, resolve: resolveResponse } = Promise.withResolvers<Who>();
  let asked = 0;
  // The first response of identity is delayed by the network.
  const resolveKey = async () => {
    if (++asked === 1) return response;
    throw new Error('the key is revoked');
  };
  const { principals, publisher, close } = setUp(resolveKey);
  try {
    let marks = 0;
    const mark = () => principals.rememberUser(tenantId, 1, async () => ++marks);
    await until('changes are heard', async () => {
      await publisher.publish(credentialChannel, JSON.stringify({ tenantId }));
      return (await mark()) > 2;
    });
    const first = principals.byKey('hash', () => []);
    const before = await mark();
    await publisher.publish(credentialChannel, JSON.stringify({ keyId }));
    await publisher.publish(credentialChannel, JSON.stringify({ tenantId }));
    await until('the changes have arrived', async () => (await mark()) > before);
    resolveResponse({ tenantId, keyId } as Who);
    expect(await first).toMatchObject({ keyId });
    await expect(principals.byKey('hash', () => [])).rejects.toThrow();
  } finally {
    close();
  }
});

it('asks identity once more for a key that it does not know, when there is no response', async () => {
  let asked = 0;
  const resolveKey = async ({ body: { hash } }: { body: { hash: string } }) => {
    if (hash === 'never' || ++asked === 1) throw new ServiceCallError('resolveKey', 503, 'unavailable');
    return { tenantId, keyId } as Who;
  };
  const { principals, close } = setUp(resolveKey);
  try {
    const both = [principals.byKey('hash', () => []), principals.byKey('hash', () => [])];
    expect(await Promise.all(both)).toMatchObject([{ keyId }, { keyId }]);
    expect(asked).toBe(2);
    await expect(principals.byKey('never', () => [])).rejects.toMatchObject({ code: 'unavailable' });
  } finally {
    close();
  }
});

it('invalidates only the listed users of a tenant', async () => {
  const asked = new Map<string, number>();
  const resolveKey = async ({ body: { hash } }: { body: { hash: string } }) => {
    asked.set(hash, (asked.get(hash) ?? 0) + 1);
    return { tenantId, keyId: null, userId: Number(hash) };
  };
  const { principals, publisher, close } = setUp(resolveKey);
  try {
    await until('changes are heard', async () => {
      await publisher.publish(credentialChannel, JSON.stringify({ tenantId, userIds: [1] }));
      await principals.byKey('1', () => []);
      return (asked.get('1') ?? 0) > 2;
    });
    await principals.byKey('2', () => []);
    const before = asked.get('1') as number;
    await publisher.publish(credentialChannel, JSON.stringify({ tenantId, userIds: [3, 1] }));
    await until('the change has arrived', async () => {
      await principals.byKey('1', () => []);
      return asked.get('1') === before + 1;
    });
    await principals.byKey('2', () => []);
    expect(asked.get('2')).toBe(1);
  } finally {
    close();
  }
});
