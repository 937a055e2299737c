import { createHealth } from './health.ts';

describe('/readyz', () => {
  const clock = { now: 0 };
  const health = () => createHealth(() => clock.now);
  const statusOf = async (tested: ReturnType<typeof createHealth>) => (await tested.check('/readyz'))?.status;

  it('returns 503 until every dependency has worked once, and names the missing ones', async () => {
    const tested = health();
    let isConnected = false;
    tested.need('postgres', () => isConnected);
    tested.need('consumers', () => true);
    expect(await statusOf(tested)).toBe(503);
    expect((await tested.check('/readyz'))?.body).toContain('"parts":{"postgres":false,"consumers":true}');
    isConnected = true;
    expect(await statusOf(tested)).toBe(200);
  });

  it('stays 200 for 15 s after the last success, because a busy pool is no outage', async () => {
    const tested = health();
    const { promise: busy, resolve: free } = Promise.withResolvers<boolean>();
    let check: () => boolean | Promise<boolean> = () => true;
    tested.need('postgres', () => check());
    expect(await statusOf(tested)).toBe(200);
    check = () => busy;
    expect(await statusOf(tested)).toBe(200);
    clock.now += 15_000;
    expect(await statusOf(tested)).toBe(503);
    free(true);
    await busy;
    expect(await statusOf(tested)).toBe(200);
    check = () => {
      throw new Error('connection refused');
    };
    clock.now += 15_000;
    expect(await statusOf(tested)).toBe(503);
  });

  it('returns 503 while the process drains, and /healthz keeps returning 200', async () => {
    const tested = health();
    tested.drain();
    expect(await tested.check('/readyz')).toEqual({ status: 503, body: '{"status":"draining","parts":{}}' });
    expect((await tested.check('/healthz'))?.status).toBe(200);
  });
});
