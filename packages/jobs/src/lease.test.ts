import { until } from '@tandem/until';
import { keepLease } from './lease.ts';

const renewals = { everyMs: 2, max: 10 };

describe('a lease', () => {
  it('is renewed until the run ends, also after a renewal failed', async () => {
    let count = 0;
    const end = keepLease(async () => {
      count += 1;
      if (count === 1) throw new Error('The connection was closed');
      return true;
    }, renewals);
    await until('it is renewed again', () => count >= 3);
    end();
    const atEnd = count;
    let later = 0;
    keepLease(async () => ++later > 0, renewals);
    await until('another lease has been renewed 10 times', () => later === 10);
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
});
