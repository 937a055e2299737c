import { createLog } from '@tandem/process';
import { loginLimiter } from './login-limiter.ts';
import { connectRedis } from './redis.ts';

describe('the sign-in limiter without Redis', () => {
  const log = createLog('test', 'silent');
  const redis = connectRedis('redis://127.0.0.1:1', log);
  afterAll(() => redis.disconnect());
  let time = 1_000_000;
  const limiter = loginLimiter({ redis, namespace: 'test', key: (text) => text, log, now: () => time });
  const who = { email: 'ada@example.com', ip: '10.0.0.1' };
  const fails = async () => undefined;
  const succeeds = async () => 'in';

  it('still rejects after five failures, sends Retry-After, and resets after a minute', async () => {
    for (let failures = 0; failures < 5; failures++) await limiter.guard(who, fails);
    time += 20_000;
    await expect(limiter.guard(who, succeeds)).rejects.toMatchObject({ code: 'too_many_failures', retryAfter: 40 });
    await expect(limiter.guard({ ...who, ip: '10.0.0.2' }, succeeds)).resolves.toBe('in');
    time += 41_000;
    await expect(limiter.guard(who, succeeds)).resolves.toBe('in');
  });

  it('accepts as many failures within the window as the caller of an attempt says', async () => {
    const person = { ...who, email: 'grace@example.com' };
    const limit = { failuresMax: 2, windowMs: 3_600_000 };
    for (let failures = 0; failures < 2; failures++) await limiter.guard(person, fails, limit);
    time += 3_000_000;
    const refused = limiter.guard(person, succeeds, limit);
    await expect(refused).rejects.toMatchObject({ code: 'too_many_failures', retryAfter: 600 });
    time += 601_000;
    await expect(limiter.guard(person, succeeds, limit)).resolves.toBe('in');
  });

  it('does not count successes, and an attempt that throws does not block others', async () => {
    for (let times = 0; times < 9; times++) await limiter.guard(who, succeeds);
    await expect(limiter.guard(who, () => Promise.reject(new Error('database away')))).rejects.toThrow('database away');
    await expect(limiter.guard(who, succeeds)).resolves.toBe('in');
  });
});
