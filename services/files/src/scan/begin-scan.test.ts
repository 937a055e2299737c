import { beginScan } from './begin-scan.ts';

it('waiting for the scanner leaves nothing behind, however often', async () => {
  const warnings: string[] = [];
  const warn = ({ name }: Error) => warnings.push(name);
  process.on('warning', warn);
  let size = 0;
  const scan = beginScan({
    async scan(content) {
      for await (const chunk of content) size += (chunk as Buffer).length;
      return { kind: 'clean' };
    },
    isReady: async () => true,
  });
  const chunk = Buffer.alloc(512 * 1024);
  for (let sent = 0; sent < 40; sent++) await scan.write(chunk);
  expect(await scan.end()).toEqual({ kind: 'clean' });
  // Warnings about listeners are emitted in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', warn);
  expect([size, warnings]).toEqual([40 * chunk.length, []]);
});
