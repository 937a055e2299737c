import { amount, amountMax, currency, fromMinor, misfit, toMinor } from './money.ts';

it.each([
  [12.5, 'EUR', 1250],
  [0.1, 'USD', 10],
  [1.15, 'USD', 115],
  [4_503_599_627.37, 'USD', 450_359_962_737],
  [1.005, 'KWD', 1005],
  [4800, 'JPY', 4800],
  [0.0001, 'CLF', 1],
  [0, 'EUR', 0],
])('converts %d %s to %d minor units and back', (value, code, minor) => {
  expect([toMinor(value, code), fromMinor(minor, code), misfit(value, code)]).toEqual([minor, value, undefined]);
});

it.each([
  [1.005, 'EUR', 'Must have at most 2 decimals in EUR'],
  [0.5, 'JPY', 'Must be a whole number in JPY'],
  [1e-9, 'KWD', 'Must have at most 3 decimals in KWD'],
])('rejects %d as an amount in %s', (value, code, message) => {
  expect(misfit(value, code)).toBe(message);
  expect(() => toMinor(value, code)).toThrow(RangeError);
});

it('keeps every cent of every amount with two decimals', () => {
  for (let minor = 0; minor < 100_000; minor += 7) expect(toMinor(Number((minor / 100).toFixed(2)), 'EUR')).toBe(minor);
});

it('converts the largest amount to a safe integer in every currency', () => {
  for (const code of Intl.supportedValuesOf('currency')) expect(toMinor(amountMax, code)).toBeLessThan(2 ** 53);
});

it('accepts existing currencies in upper case only', () => {
  for (const code of ['EUR', 'USD', 'JPY']) expect(currency().safeParse(code).success).toBe(true);
  for (const code of ['eur', 'EURO', 'ABC', ''])
    expect(
      currency()
        .safeParse(code)
        .error?.issues.map(({ message }) => message),
    ).toEqual(['Must be a currency code (ISO 4217), such as EUR']);
  expect(currency().safeParse(978).success).toBe(false);
});

it('accepts amounts from zero to the largest one', () => {
  expect(amount().safeParse(0).success).toBe(true);
  for (const value of [-0.01, amountMax + 1, Number.POSITIVE_INFINITY, '5', null])
    expect(amount().safeParse(value).success).toBe(false);
});

it('rejects a negative amount with one message, also where it must be greater than 0', () => {
  const { error } = amount().positive('Must be greater than 0').safeParse(-5);
  expect(error?.issues.map(({ message }) => message)).toEqual(['Must not be negative']);
});
