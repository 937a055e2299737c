import { PDFDocument } from '@cantoo/pdf-lib';
import { reportDocument } from './report-document.ts';

const period = { from: '2026-02-28T23:00:00.000Z', to: '2026-03-31T22:00:00.000Z', timezone: 'Europe/Berlin' };
const generatedAt = '2026-04-01T08:00:00.000Z';
const steps = ['email_open', 'Привет', '注文 🚀'].map((name, index) => ({
  ...{ name, count: 100 - index * 40, fromPrevious: index ? 60 : null, fromStart: 100 - index * 40 },
  medianSeconds: index ? 3_600 * 30 : null,
}));

const pagesOf = async (content: Parameters<typeof reportDocument>[0]) =>
  (await PDFDocument.load(await reportDocument(content))).getPageCount();

it('shows a dashboard, with a series of one day too', async () => {
  const point = { from: period.from, newLeads: 3, won: 1, sent: 0 };
  for (const series of [[], [point], [point, { ...point, from: '2026-03-02T23:00:00.000Z', newLeads: 9 }]])
    expect(
      await pagesOf({
        name: 'Zahlen für März',
        type: 'dashboard',
        result: {
          ...{ period, generatedAt, series, leads: { new: 3, byStatus: { new: 3 } } },
          opportunities: { pipelineValue: [{ currency: 'EUR', amount: 12.5 }], winRate: null },
          previous: { leads: { new: 1 } },
        },
      }),
    ).toBeGreaterThan(0);
});

it('shows a funnel with names in any script, and its groups', async () => {
  const breakdown = [
    { value: 'السلام عليكم', steps, pending: 1 },
    { value: null, userId: 'khzasVT5ZxaVtyRs', userName: 'Аda 愛', steps, pending: 0 },
  ];
  expect(
    await pagesOf({ name: '漏斗', type: 'funnel', result: { period, generatedAt, steps, pending: 2, breakdown } }),
  ).toBe(1);
});

it('shows many cohorts on several pages, and nothing for periods that have not ended', async () => {
  const rows = Array.from({ length: 366 }, (_, index) => ({
    ...{ cohort: index ? `2026-${index}` : null, size: index },
    values: Array.from({ length: 24 }, (_, period) => (period < 20 ? index - period : null)),
  }));
  expect(await pagesOf({ name: 'Cohorts', type: 'cohort', result: { period, rows } })).toBeGreaterThan(5);
});

it('can be made of the result of another release, and of a result without rows', async () => {
  for (const type of ['dashboard', 'cohort', 'funnel'] as const)
    expect(await pagesOf({ name: 'x'.repeat(100), type, result: { rows: [], steps: [], newField: {} } })).toBe(1);
});
