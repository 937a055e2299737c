import { closeAll } from './close-all.ts';

describe('closeAll', () => {
  it('runs every step in order, and rejects with the first error', async () => {
    const closed: string[] = [];
    const failing = (name: string) => () => {
      closed.push(name);
      throw new Error(`${name} failed`);
    };
    const steps = [
      async () => closed.push('usage'),
      failing('limiter'),
      async () => failing('redis')(),
      failing('log'),
    ];
    await expect(closeAll(steps)).rejects.toThrow('limiter failed');
    expect(closed).toEqual(['usage', 'limiter', 'redis', 'log']);
  });
});
