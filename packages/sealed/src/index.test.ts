import { randomBytes } from 'node:crypto';
import { createLinkTokens, createSeal, keyOf } from './index.ts';

const key = () => randomBytes(32).toString('base64');

it('makes digests that only the holder of the key can compare with a guess', () => {
  const [mine, theirs] = [key(), key()];
  expect(createSeal(mine).digest('text')).toBe(createSeal(mine).digest('text'));
  expect(createSeal(mine).digest('text')).not.toBe(createSeal(mine).digest('text '));
  expect(createSeal(mine).digest('text')).not.toBe(createSeal(theirs).digest('text'));
});

it('opens a sealed value only in its context', () => {
  const seal = createSeal(key());
  const sealed = seal.seal('secret', 'row 1');
  expect(seal.open(sealed, 'row 1')).toBe('secret');
  expect(() => seal.open(sealed, 'row 2')).toThrow();
  expect(() => createSeal(key()).open(sealed, 'row 1')).toThrow();
});

describe('while a key replaces another', () => {
  const [a, b] = [`k1:${key()}`, `k2:${key()}`];
  // Each step is rolled out while instances in the step before still run.
  const steps = [a, `${a},${b}`, `${b},${a}`, b].map(createSeal);
  const neighbours = steps.slice(1).flatMap((after, at) => {
    const before = steps[at] as typeof after;
    return [
      [before, after],
      [after, before],
    ] as const;
  });

  it('instances in two successive steps open and recognize each other’s values', () => {
    for (const [writer, reader] of neighbours) {
      expect(reader.open(writer.seal('secret', 'row 1'), 'row 1')).toBe('secret');
      expect(reader.digests('text')).toContain(writer.digest('text'));
      const links = (seal: typeof writer) => createLinkTokens<{ file: number }>(seal, 'files');
      const token = links(writer).issue({ file: 7 }, new Date(Date.now() + 60_000));
      expect(encodeURIComponent(token)).toBe(token);
      expect(links(reader).read(token)).toEqual({ file: 7 });
    }
  });

  it('a value names its key, and fails with the id of the key once that is no longer listed', () => {
    const sealed = (steps[1] as (typeof steps)[number]).seal('secret', 'row 1');
    expect(keyOf(sealed)).toBe('k1');
    expect(() => createSeal(b).open(sealed, 'row 1')).toThrow('encrypted with the key k1');
    expect(createLinkTokens(createSeal(b), 'files').read(sealed)).toBeUndefined();
  });

  it('a value from before keys had ids opens, whether or not its key has an id by now', () => {
    const bare = key();
    const sealed = createSeal(bare).seal('secret', 'row 1');
    expect(keyOf(sealed)).toBeNull();
    for (const setting of [`${b},${bare}`, `${b},k1:${bare}`, `k1:${bare}`])
      expect(createSeal(setting).open(sealed, 'row 1')).toBe('secret');
    expect(() => createSeal(`${a},${b}`).open(sealed, 'row 1')).toThrow();
  });
});
