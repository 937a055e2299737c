import { queue } from './passwords.ts';

describe('the password queue', () => {
  it('runs a few at once, queues the others in order, and rejects work that would wait too long', async () => {
    const inTurn = queue({ atOnce: 2, waitingMax: 3 });
    const began: number[] = [];
    const ends: (() => void)[] = [];
    const work = (number: number) =>
      inTurn(() => {
        began.push(number);
        return new Promise<number>((resolve) => ends.push(() => resolve(number)));
      });
    const results = [1, 2, 3, 4, 5].map(work);
    await expect(work(6)).rejects.toMatchObject({ status: 503 });
    expect(began).toEqual([1, 2]);
    for (let done = 0; done < 5; done++) {
      ends[done]?.();
      await results[done];
      await new Promise((resolve) => setImmediate(resolve));
      expect(began.length).toBe(Math.min(5, done + 3));
    }
    await expect(Promise.all(results)).resolves.toEqual([1, 2, 3, 4, 5]);
    expect(began).toEqual([1, 2, 3, 4, 5]);
  });

  it('continues after a failure', async () => {
    const inTurn = queue({ atOnce: 1, waitingMax: 1 });
    await expect(inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(inTurn(async () => 1)).resolves.toBe(1);
  });
});
