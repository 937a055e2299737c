import { numberTerm } from './terms.ts';

describe('the terms for numbers', () => {
  it('have the order of the numbers', () => {
    const numbers = [-1e300, -1.5, -1, -1e-300, 0, 1e-300, 0.1, 1, 1.5, 2, 9.99, 10, 99.5, 100, 1e12, 1e300];
    const terms = numbers.map((number) => numberTerm('score', number));
    expect(terms.toSorted()).toEqual(terms);
    expect(numberTerm('score', -0)).toBe(numberTerm('score', 0));
  });
});
