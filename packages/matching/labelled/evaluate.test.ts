import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { labelledPairs, measure, tableOf } from './evaluate.ts';
import { heldOutPairs } from './held-out.ts';

const [precisionMin, recallMin, pairsMin] = [0.95, 0.8, 600];
const readme = join(import.meta.dirname, '../README.md');

it('the labelled set is the same in every run, and large enough', () => {
  expect(labelledPairs().length).toBeGreaterThanOrEqual(pairsMin);
  expect(labelledPairs()).toEqual(labelledPairs());
});

it.each([...measure()])(
  'of %s, few pairs are wrong at the default threshold, and most duplicates are found',
  (_, measured) => {
    expect(measured.precision).toBeGreaterThanOrEqual(precisionMin);
    expect(measured.recall).toBeGreaterThanOrEqual(recallMin);
  },
);

it('the README has the measured quality', () => {
  const text = readFileSync(readme, 'utf8');
  const measured = text
    .replace(/(?<=<!-- quality -->\n)[\s\S]*(?=<!-- \/quality -->)/, `${tableOf(measure())}\n`)
    .replace(/(?<=<!-- held out -->\n)[\s\S]*(?=<!-- \/held out -->)/, `${tableOf(measure(heldOutPairs))}\n`);
  if (process.env['UPDATE_MATCHING_TABLE']) writeFileSync(readme, measured);
  else expect(text).toBe(measured);
});
