import { SharedCounts } from './shared-counts.ts';

/** Resolves when every promise that can be resolved now is. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A list whose counts end when the test ends them. */
function aList() {
  const counts = new SharedCounts();
  const running: PromiseWithResolvers<{ total: number | undefined }>[] = [];
  const start = () => {
    const count = Promise.withResolvers<{ total: number | undefined }>();
    running.push(count);
    return count.promise;
  };
  const read = async (total: number) => {
    await counts.reading('leads', Promise.resolve({ total }));
    await settled();
  };
  return {
    counts,
    running,
    join: (id = 'leads') => counts.join(id, start),
    read,
    /** The first read makes the size of the list known; the second is in progress until `end` is called. */
    async beingCounted(total: number) {
      await read(total);
      const { promise, resolve } = Promise.withResolvers<{ total: number }>();
      const page = counts.reading('leads', promise);
      return async () => {
        resolve({ total });
        await page;
      };
    },
  };
}

describe('counts of a list that many requests read', () => {
  it('start after the requests that wait for them, and answer all of these', async () => {
    const list = aList();
    const end = await list.beingCounted(500);
    const waiting = [list.join(), list.join(), list.join()];
    expect(list.running).toHaveLength(0);
    await end();
    await settled();
    expect(list.running).toHaveLength(1);
    const later = list.join();
    list.running[0]?.resolve({ total: 501 });
    expect(await Promise.all(waiting)).toEqual([{ total: 501 }, { total: 501 }, { total: 501 }]);
    await settled();
    list.running[1]?.resolve({ total: 502 });
    expect(await later).toEqual({ total: 502 });
    expect(list.running).toHaveLength(2);
  });

  it('are not shared between lists, and not of a list that nobody counts', async () => {
    const list = aList();
    expect(list.join()).toBeUndefined();
    const end = await list.beingCounted(500);
    expect(list.join('teams')).toBeUndefined();
    await end();
    await settled();
    expect(list.join()).toBeUndefined();
  });

  it('are not shared while the list is small', async () => {
    const list = aList();
    const end = await list.beingCounted(20);
    expect(list.join()).toBeUndefined();
    await end();
  });

  it('let every waiting request count for itself after a failure', async () => {
    const list = aList();
    const end = await list.beingCounted(500);
    const waiting = [list.join(), list.join()];
    await end();
    await settled();
    list.running[0]?.reject(new Error('connection lost'));
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(list.join()).toBeUndefined();
  });

  it('tell every waiting request that there are too many records to count', async () => {
    const list = aList();
    const end = await list.beingCounted(500);
    const waiting = [list.join(), list.join()];
    await end();
    await settled();
    list.running[0]?.resolve({ total: undefined });
    expect(await Promise.all(waiting)).toEqual([{ total: undefined }, { total: undefined }]);
  });

  it('continue after a page that failed', async () => {
    const list = aList();
    await list.read(500);
    const { promise, reject } = Promise.withResolvers<{ total: number }>();
    const page = list.counts.reading('leads', promise);
    const waiting = list.join();
    reject(new Error('connection lost'));
    await expect(page).rejects.toThrow('connection lost');
    await settled();
    list.running[0]?.resolve({ total: 500 });
    expect(await waiting).toEqual({ total: 500 });
  });
});
