import { rowLimitOf } from './row-limit.ts';

const [leads, events] = [{ rowsMax: 1_000_000 }, { rowsMax: 10_000_000 }];

it('is that of the source, except for XLSX files, whose sheet has 1,048,576 rows with the names of the columns', () => {
  expect(rowLimitOf(events, 'csv').rowsMax).toBe(10_000_000);
  expect(rowLimitOf(events, 'xlsx').rowsMax).toBe(1_048_575);
  expect(rowLimitOf(leads, 'xlsx').rowsMax).toBe(1_000_000);
});

it('is in the error with its remedy, which names the format if another one has more rows', () => {
  expect(rowLimitOf(events, 'xlsx').message).toBe(
    'More than 1048575 records match, the most that an XLSX file can have; add filters, or choose another `format`',
  );
  expect(rowLimitOf(leads, 'xlsx').message).toBe('More than 1000000 records match; add filters');
});
