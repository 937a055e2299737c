import { isNotModified } from './if-none-match.ts';

it.each([
  ['"3"', '"3"', true],
  ['W/"3"', '"3"', true],
  ['"1", W/"3"', '"3"', true],
  ['*', '"3"', true],
  ['"4"', '"3"', false],
  ['3', '"3"', false],
  ['*', undefined, false],
  [undefined, '"3"', false],
])('If-None-Match %s against ETag %s is %s', (ifNoneMatch, etag, expected) => {
  expect(isNotModified(ifNoneMatch, etag)).toBe(expected);
});
