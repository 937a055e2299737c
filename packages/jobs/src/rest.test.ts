import { restAfter } from './rest.ts';

describe('the rest of a job between two portions', () => {
  it('is nothing without requests', () => {
    expect(restAfter(100, 0)).toBe(0);
  });

  it('is nothing while somebody only watches the progress', () => {
    expect(restAfter(100, 1)).toBe(0);
  });

  it('grows with the rate of requests', () => {
    expect(restAfter(100, 11)).toBe(500);
  });

  it('is several times as long as the portion while requests follow closely, however many', () => {
    expect([restAfter(100, 20), restAfter(100, 2_000)]).toEqual([1_000, 1_000]);
  });

  it('is bounded, so that a job with slow portions goes on', () => {
    expect(restAfter(60_000, 500)).toBe(5_000);
  });
});
