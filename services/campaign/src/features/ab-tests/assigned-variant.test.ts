import { assignedVariant } from './assigned-variant.ts';

const test = (fields: object = {}) => ({
  id: 7,
  samplePercent: 100,
  variants: [
    { key: 'a', weight: 50 },
    { key: 'b', weight: 30 },
    { key: 'c', weight: 20 },
  ],
  ...fields,
});
const people = Array.from({ length: 20_000 }, (_, index) => index + 1);
const sharesOf = (of: ReturnType<typeof test>) => {
  const counts = Map.groupBy(people, (person) => assignedVariant(of, person));
  return (key?: string) => (counts.get(key)?.length ?? 0) / people.length;
};

it('the same lead always gets the same variant: a known one, which no restart or release changes', () => {
  expect(people.slice(0, 12).map((person) => assignedVariant(test(), person))).toMatchInlineSnapshot(`
[
  "a",
  "a",
  "a",
  "a",
  "c",
  "a",
  "b",
  "a",
  "b",
  "b",
  "b",
  "a",
]
`);
});

it('weights are respected in a large sample', () => {
  const share = sharesOf(test());
  // Three standard errors of 20,000 people are about 1 %.
  expect(Math.abs(share('a') - 0.5)).toBeLessThan(0.012);
  expect(Math.abs(share('b') - 0.3)).toBeLessThan(0.012);
  expect(Math.abs(share('c') - 0.2)).toBeLessThan(0.012);
});

it('only the sample takes part, with the same weights', () => {
  const share = sharesOf(test({ samplePercent: 20 }));
  expect(Math.abs(share() - 0.8)).toBeLessThan(0.012);
  expect(Math.abs(share('a') - 0.1)).toBeLessThan(0.012);
});

it('two tests assign the same leads independently', () => {
  const [one, other] = [test({ id: 1 }), test({ id: 2 })];
  const inBoth = people.filter(
    (person) => assignedVariant(one, person) === 'a' && assignedVariant(other, person) === 'a',
  );
  expect(Math.abs(inBoth.length / people.length - 0.25)).toBeLessThan(0.012);
});
