import { createMetrics, readEvery } from './metrics.ts';

const broken = 'tandem_broken{service="test"}';

describe('a gauge', () => {
  it('that cannot be read is left out and counted, and the others are served', async () => {
    const metrics = createMetrics('test');
    let isAway = false;
    const read = async () => {
      if (isAway) throw new Error('the store is away');
      return 7;
    };
    metrics.gauge('broken', 'Fails', [], async (gauge) => gauge.set(await read()));
    metrics.gauge('labelled', 'Fails too', ['state'], async (gauge) => gauge.set({ state: 'waiting' }, await read()));
    metrics.gauge('whole', 'Works', [], (gauge) => gauge.set(1));
    expect(await metrics.text()).toContain(`${broken} 7`);

    isAway = true;
    await metrics.text();
    const text = await metrics.text();
    expect(text).not.toContain(broken);
    expect(text).not.toContain('tandem_labelled{');
    expect(text).toContain('tandem_whole{service="test"} 1');
    expect(text).toContain('tandem_scrape_errors_total{gauge="tandem_broken",service="test"}');

    isAway = false;
    expect(await metrics.text()).toContain(`${broken} 7`);
  });

  it('whose read hangs does not hold up the scrape, and is read once at a time', async () => {
    const metrics = createMetrics('test');
    let reads = 0;
    const answer = Promise.withResolvers<number>();
    metrics.gauge('broken', 'Hangs', [], async (gauge) => {
      reads++;
      gauge.set(await answer.promise);
    });
    await metrics.text();
    const text = await metrics.text();
    expect(text).not.toContain(broken);
    expect(text).toContain('tandem_scrape_errors_total{gauge="tandem_broken",service="test"} 1');
    expect(reads).toBe(1);
    answer.resolve(7);
    await answer.promise;
    expect(await metrics.text()).toContain(`${broken} 7`);
  });
});

describe('readEvery', () => {
  it('shares one read between all who ask, and repeats a failed one', async () => {
    let reads = 0;
    const read = readEvery(3_600, async () => {
      reads++;
      if (reads === 1) throw new Error('away');
      return reads;
    });
    await expect(read()).rejects.toThrow('away');
    expect(await Promise.all([read(), read()])).toEqual([2, 2]);
    expect(await read()).toBe(2);
  });
});
