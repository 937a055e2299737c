import { join } from 'node:path';
import { recognizeWords } from './recognition.ts';
import { aScan } from './scan.test-document.ts';

it('a recognition that could not start is started again for the next picture', async () => {
  const scan = await aScan(['Agreement']);
  const folder = process.env['TMPDIR'];
  process.env['TMPDIR'] = join(import.meta.dirname, 'missing');
  await expect(recognizeWords(scan, ['eng'])).rejects.toThrow('ENOENT');
  await expect(recognizeWords(scan, ['deu'])).rejects.toThrow('ENOENT');
  if (folder === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = folder;
  expect((await recognizeWords(scan, ['eng'])).map(({ text }) => text)).toEqual(['Agreement']);
});
