import { createHealth } from './health.ts';

describe('/readyz', () => {
  const clock = { now: 0 };
  const health = () => createHealth(() => clock.now);
  const statusOf = async (one: ReturnType<typeof createHealth>) => (await one.answer('/readyz'))?.status;

  it('answers 503 until every part has worked once, and names the parts', async () => {
    const one = health();
    let isConnected = false;
    one.need('postgres', () => isConnected);
    one.need('consumers', () => true);
    expect(await statusOf(one)).toBe(503);
    expect((await one.answer('/readyz'))?.body).toContain('"parts":{"postgres":false,"consumers":true}');
    isConnected = true;
    expect(await statusOf(one)).toBe(200);
  });

  it('stays 200 for 15 s after a part worked last: a busy pool is no outage', async () => {
    const one = health();
    const { promise: busy, resolve: free } = Promise.withResolvers<boolean>();
    let check: () => boolean | Promise<boolean> = () => true;
    one.need('postgres', () => check());
    expect(await statusOf(one)).toBe(200);
    check = () => busy;
    expect(await statusOf(one)).toBe(200);
    clock.now += 15_000;
    expect(await statusOf(one)).toBe(503);
    free(true);
    await busy;
    expect(await statusOf(one)).toBe(200);
    check = () => {
      throw new Error('connection refused');
    };
    clock.now += 15_000;
    expect(await statusOf(one)).toBe(503);
  });

  it('answers 503 while the process drains, and /healthz goes on answering 200', async () => {
    const one = health();
    one.drain();
    expect(await one.answer('/readyz')).toEqual({ status: 503, body: '{"status":"draining","parts":{}}' });
    expect((await one.answer('/healthz'))?.status).toBe(200);
  });
});
