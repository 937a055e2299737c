import { createRequestRate } from './request-rate.ts';

function ratesOf({ perSecond, seconds }: { perSecond: number; seconds: number }) {
  let ms = 0;
  const rate = createRequestRate(() => ms);
  for (let request = 0; request < perSecond * seconds; request++) {
    ms += 1_000 / perSecond;
    rate.count();
  }
  return {
    now: rate.perSecond(),
    later: (moreMs: number) => {
      ms += moreMs;
      return rate.perSecond();
    },
  };
}

describe('the rate of requests', () => {
  it('is zero without requests', () => {
    expect(createRequestRate().perSecond()).toBe(0);
  });

  it.each([1, 20, 500])('follows a steady rate of %i per second', (perSecond) => {
    const { now } = ratesOf({ perSecond, seconds: 60 });
    expect(now / perSecond).toBeGreaterThan(0.9);
    expect(now / perSecond).toBeLessThan(1.4);
  });

  it('falls to almost nothing within ten seconds after the last request', () => {
    const { now, later } = ratesOf({ perSecond: 500, seconds: 60 });
    expect(later(10_000)).toBeLessThan(now / 100);
  });
});
