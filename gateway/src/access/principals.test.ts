import { credentialChannel } from '@tandem/identity-contract';
import { createLog } from '@tandem/process';
import { until } from '@tandem/testing';
import { Redis } from 'ioredis';
import { createPrincipals, type Who } from './principals.ts';

const redisUrl = process.env.TEST_REDIS_URL as string;
const tenantId = 1;
const keyId = 7;

/** What a gateway remembers of an identity that answers so, and the channel on which identity tells of changes. */
function listening(resolveKey: (asked: { body: { hash: string } }) => Promise<unknown>) {
  const principals = createPrincipals({
    identity: { resolveKey } as unknown as Parameters<typeof createPrincipals>[0]['identity'],
    pepper: null,
    redisUrl,
    log: createLog('test', 'error'),
  });
  const news = new Redis(redisUrl);
  const close = () => {
    news.disconnect();
    principals.close();
  };
  return { principals, news, close };
}

it('does not remember an answer that was on its way when the key was revoked', async () => {
  const { promise: answer, resolve: arrive } = Promise.withResolvers<Who>();
  let asked = 0;
  // Identity, whose first answer takes its time on the network.
  const resolveKey = async () => {
    if (++asked === 1) return answer;
    throw new Error('the key is revoked');
  };
  const { principals, news, close } = listening(resolveKey);
  try {
    let marks = 0;
    const mark = () => principals.rememberUser(tenantId, 1, async () => ++marks);
    await until('changes are heard', async () => {
      await news.publish(credentialChannel, JSON.stringify({ tenantId }));
      return (await mark()) > 2;
    });
    const first = principals.byKey('hash', () => []);
    const before = await mark();
    await news.publish(credentialChannel, JSON.stringify({ keyId }));
    await news.publish(credentialChannel, JSON.stringify({ tenantId }));
    await until('the changes arrived', async () => (await mark()) > before);
    arrive({ tenantId, keyId } as Who);
    expect(await first).toMatchObject({ keyId });
    await expect(principals.byKey('hash', () => [])).rejects.toThrow();
  } finally {
    close();
  }
});

it('forgets of a tenant only the users who are named', async () => {
  const asked = new Map<string, number>();
  const resolveKey = async ({ body: { hash } }: { body: { hash: string } }) => {
    asked.set(hash, (asked.get(hash) ?? 0) + 1);
    return { tenantId, keyId: null, userId: Number(hash) };
  };
  const { principals, news, close } = listening(resolveKey);
  try {
    await until('changes are heard', async () => {
      await news.publish(credentialChannel, JSON.stringify({ tenantId, userIds: [1] }));
      await principals.byKey('1', () => []);
      return (asked.get('1') ?? 0) > 2;
    });
    await principals.byKey('2', () => []);
    const before = asked.get('1') as number;
    await news.publish(credentialChannel, JSON.stringify({ tenantId, userIds: [3, 1] }));
    await until('the change arrived', async () => {
      await principals.byKey('1', () => []);
      return asked.get('1') === before + 1;
    });
    await principals.byKey('2', () => []);
    expect(asked.get('2')).toBe(1);
  } finally {
    close();
  }
});
