import { maskedError } from './mask.ts';

const secrets = ['the-auth-token', 'ACtest'];

it.each([
  ["The 'To' number +491701234567 is not valid", "The 'To' number [number] is not valid"],
  ['Cannot call +49 (170) 123-45.67: blocked', 'Cannot call [number]: blocked'],
  ['Cannot call 0170‑1234567 or ٠١٧٠١٢٣٤٥٦٧', 'Cannot call [number] or [number]'],
  ['To=%2B491701234567&From=4915005550006', 'To=%2B[number]&[token]'],
  ['Account AC0123456789abcdef0123456789abcdef is suspended', 'Account [token] is suspended'],
  ['Unknown account ACtest with the-auth-token', 'Unknown account [token] with [token]'],
  ['Authorization: Basic QUM6c2VjcmV0', 'Authorization: Basic [token]'],
  [
    '{"authToken": "abc", "token":"x1"}, password=hunter2',
    '{"authToken": "[token]", "token":"[token]"}, password=[token]',
  ],
  ['https://x.example/calls/eyJhbGciOiJIUzI1NiJ9_-aB1/status', 'https://x.example/calls/[token]/status'],
])('masks numbers and tokens: %s', (text, masked) => {
  expect(maskedError(text, secrets)).toBe(masked);
});

it('keeps codes, short numbers and addresses of documentation', () => {
  const text = '21211 after 30 s, see https://www.twilio.com/docs/api/errors/21211 of the telecommunications provider';
  expect(maskedError(text, secrets)).toBe(text);
});

it('returns text that can be stored: short, without control characters and halves of pairs', () => {
  expect(maskedError(`a\u0000b\n${'x '.repeat(148)}😀😀`, secrets)).toBe(`a b ${'x '.repeat(148)}`.slice(0, 300));
  expect(maskedError('\ud83d', secrets)).toBe('\ufffd');
});

it('takes time in proportion to a hostile text', () => {
  for (const part of ['1 ', '1    ', 'token ', 'a-', 'bearer  ', '+']) {
    const startedAt = performance.now();
    maskedError(part.repeat(1_000_000), secrets);
    // A search in quadratic time takes hours.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  }
});
