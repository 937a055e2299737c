import { preferredEncoding } from './compress.ts';

it.each([
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['BR;q=1.0', 'br'],
  ['*', 'br'],
  ['*;q=0.5, br;q=0', 'gzip'],
  ['identity', undefined],
  ['gzip;q=0', undefined],
  ['gzip;q=0.1, identity', undefined],
  ['deflate, zstd', undefined],
  ['', undefined],
  ['gzip;q=nonsense', undefined],
])('of %j it chooses %s', (header, encoding) => {
  expect(preferredEncoding(header)).toBe(encoding);
});
