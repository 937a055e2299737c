import { until } from '@tandem/until';
import { keepLease } from './lease.ts';

const renewals = { everyMs: 2, max: 10 };

describe('a lease', () => {
  it('is renewed until the run ends, also after a renewal failed', async () => {
    let count = 0;
    const lease = keepLease(async () => {
      count += 1;
      if (count === 1) throw new Error('The connection was closed');
      return true;
    }, renewals);
    await until('it is renewed again', () => count >= 3);
    await lease.end();
    const atEnd = count;
    await keepLease(async () => true, { everyMs: 1, max: 1 }).end();
    expect(count).toBe(atEnd);
  });

  it('is not renewed after it was lost, nor more often than the maximum', async () => {
    const [lost, hung, other] = [{ count: 0 }, { count: 0 }, { count: 0 }];
    keepLease(async () => ++lost.count < 3, renewals);
    keepLease(async () => ++hung.count > 0, renewals);
    keepLease(async () => ++other.count > 0, { everyMs: 2, max: 40 });
    await until('the third lease has been renewed 40 times', () => other.count === 40);
    expect([lost.count, hung.count]).toEqual([3, 10]);
  });

  it('waits for the renewal that is being made, so that the run knows the end of its lease', async () => {
    const answer = Promise.withResolvers<boolean>();
    let isAsked = false;
    const lease = keepLease(() => {
      isAsked = true;
      return answer.promise;
    }, renewals);
    await until('it is being renewed', () => isAsked);
    let isEnded = false;
    const ended = lease.end().then(() => (isEnded = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isEnded).toBe(false);
    answer.resolve(true);
    await ended;
  });
});
