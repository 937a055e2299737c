import { randomBytes } from 'node:crypto';
import { createSeal } from './index.ts';

const key = () => randomBytes(32).toString('base64');

it('makes digests that only the holder of the key can compare with a guess', () => {
  const [mine, theirs] = [key(), key()];
  expect(createSeal(mine).digest('text')).toBe(createSeal(mine).digest('text'));
  expect(createSeal(mine).digest('text')).not.toBe(createSeal(mine).digest('text '));
  expect(createSeal(mine).digest('text')).not.toBe(createSeal(theirs).digest('text'));
});

it('opens what it sealed in its context only', () => {
  const seal = createSeal(key());
  const sealed = seal.seal('secret', 'row 1');
  expect(seal.open(sealed, 'row 1')).toBe('secret');
  expect(() => seal.open(sealed, 'row 2')).toThrow();
  expect(() => createSeal(key()).open(sealed, 'row 1')).toThrow();
});
