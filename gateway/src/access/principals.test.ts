import { credentialChannel } from '@tandem/identity-contract';
import { createLog } from '@tandem/process';
import { until } from '@tandem/testing';
import { Redis } from 'ioredis';
import { createPrincipals, type Who } from './principals.ts';

const redisUrl = process.env.TEST_REDIS_URL as string;
const tenantId = 1;
const keyId = 7;

it('does not remember an answer that was on its way when the key was revoked', async () => {
  const { promise: answer, resolve: arrive } = Promise.withResolvers<Who>();
  let asked = 0;
  // Identity, whose first answer takes its time on the network.
  const resolveKey = async () => {
    if (++asked === 1) return answer;
    throw new Error('the key is revoked');
  };
  const principals = createPrincipals({
    identity: { resolveKey } as unknown as Parameters<typeof createPrincipals>[0]['identity'],
    redisUrl,
    log: createLog('test', 'error'),
  });
  const news = new Redis(redisUrl);
  try {
    let marks = 0;
    const mark = () => principals.remember(tenantId, 'mark', async () => ++marks);
    await until('changes are heard', async () => {
      await news.publish(credentialChannel, JSON.stringify({ tenantId }));
      return (await mark()) > 2;
    });
    const first = principals.byKey('hash');
    const before = await mark();
    await news.publish(credentialChannel, JSON.stringify({ keyId }));
    await news.publish(credentialChannel, JSON.stringify({ tenantId }));
    await until('the changes arrived', async () => (await mark()) > before);
    arrive({ tenantId, keyId } as Who);
    expect(await first).toMatchObject({ keyId });
    await expect(principals.byKey('hash')).rejects.toThrow();
  } finally {
    news.disconnect();
    principals.close();
  }
});
