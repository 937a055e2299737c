import type { NumbersReport, ReportType } from '@tandem/analytics-contract';
import type { Cell } from '@tandem/service';
import { z } from 'zod';

/** A result as rows, for CSV files, documents and exports. */
export interface Table {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
  /** 0 if nothing was found: every number is 0 then. */
  rowCount: number;
}

// Results of earlier releases may lack fields, so a table reads what it needs.
const number = z.number().nullish();
const Section = z.record(z.string(), z.unknown()).default({});
const sections = ['leads', 'opportunities', 'partners', 'engagement', 'tasks'] as const;
const sectionShape = Object.fromEntries(sections.map((name) => [name, Section])) as Record<
  (typeof sections)[number],
  typeof Section
>;
export const DashboardResult = z.looseObject({
  ...sectionShape,
  series: z.array(z.looseObject({ from: z.string() })).default([]),
  previous: z.looseObject(sectionShape).nullish(),
});
const Step = z.looseObject({
  name: z.string(),
  count: z.number(),
  fromPrevious: number,
  fromStart: number,
  medianSeconds: number,
});
export const FunnelResult = z.looseObject({
  steps: z.array(Step),
  pending: z.number().default(0),
  breakdown: z
    .array(
      z.looseObject({
        value: z.string().nullish(),
        userId: z.string().nullish(),
        userName: z.string().nullish(),
        teamId: z.string().nullish(),
        partnerId: z.string().nullish(),
        steps: z.array(Step),
        pending: z.number().default(0),
      }),
    )
    .default([]),
});
export const CohortResult = z.looseObject({
  rows: z.array(
    z.looseObject({ cohort: z.string().nullable(), size: z.number(), values: z.array(z.number().nullable()) }),
  ),
});

/** The table of a result. */
export function tableOf(type: NumbersReport, result: Record<string, unknown>): Table {
  if (type === 'dashboard') return dashboardTable(DashboardResult.parse(result));
  if (type === 'funnel') return funnelTable(FunnelResult.parse(result));
  return cohortTable(CohortResult.parse(result));
}

const dashboardColumns = ['section', 'number', 'from', 'value', 'previous'];
const funnelColumns = ['group', 'userName', 'step', 'count', 'fromPrevious', 'fromStart', 'medianSeconds'];
const periodsMax = 24;
const cohortColumns = (periods: number) => [
  'cohort',
  'size',
  ...Array.from({ length: periods }, (_, index) => `period${index}`),
];
/** The columns of all tables. */
export const columnsOfTables = [...dashboardColumns, ...funnelColumns, ...cohortColumns(periodsMax)];

function dashboardTable(result: z.output<typeof DashboardResult>): Table {
  const rows = keyNumbers(result).map(({ section, name, value, previous }) => [section, name, null, value, previous]);
  const points = result.series.flatMap(({ from, ...counts }) =>
    Object.entries(counts).map(([name, value]) => ['series', name, from, asNumber(value), null]),
  );
  return counted(dashboardColumns, [...rows, ...points], (row) => [row[3], row[4]]);
}

export interface KeyNumber {
  section: string;
  name: string;
  value: number | null;
  previous: number | null;
}

/** The numbers of a dashboard, with those of the period before where it has them. */
export function keyNumbers(result: z.output<typeof DashboardResult>): KeyNumber[] {
  return sections.flatMap((section) => {
    const before = new Map(flat(result.previous?.[section] ?? {}));
    return flat(result[section]).map(([name, value]) => ({ section, name, value, previous: before.get(name) ?? null }));
  });
}

/** The numbers in an object by their paths. A sum of money is named by its currency. */
function flat(of: object, path = ''): [name: string, value: number | null][] {
  return Object.entries(of).flatMap(([key, value]): [string, number | null][] => {
    const name = path ? `${path}.${key}` : key;
    if (Array.isArray(value))
      return value.map(({ currency, amount }) => [`${name}.${String(currency)}`, asNumber(amount)]);
    if (typeof value === 'object' && value !== null) return flat(value, name);
    return [[name, asNumber(value)]];
  });
}

function funnelTable({ steps, pending, breakdown }: z.output<typeof FunnelResult>): Table {
  const rowsOf = (group: string, userName: string | null, { steps: of, pending: waiting }: Steps) => [
    ...of.map(({ name, count, fromPrevious, fromStart, medianSeconds }) => [
      group,
      userName,
      name,
      count,
      fromPrevious ?? null,
      fromStart ?? null,
      medianSeconds ?? null,
    ]),
    [group, userName, 'pending', waiting, null, null, null],
  ];
  const groups = breakdown.flatMap(({ userName, ...group }) => rowsOf(groupName(group), userName ?? null, group));
  return counted(funnelColumns, [...rowsOf('all', null, { steps, pending }), ...groups], (row) => [row[3]]);
}

interface Steps {
  steps: readonly z.output<typeof Step>[];
  pending: number;
}
type Grouped = Partial<Record<'value' | 'userId' | 'teamId' | 'partnerId', string | null | undefined>>;

/** The value or the public id by which the leads of a group are grouped. */
export function groupName({ value, userId, teamId, partnerId }: Grouped): string {
  return value ?? userId ?? teamId ?? partnerId ?? 'none';
}

function cohortTable({ rows }: z.output<typeof CohortResult>): Table {
  const periods = Math.max(0, ...rows.map(({ values }) => values.length));
  const cells = rows.map(({ cohort, size, values }) => [cohort ?? 'none', size, ...values]);
  return counted(cohortColumns(periods), cells, (row) => row.slice(1));
}

function counted(
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  numbersIn: (row: readonly Cell[]) => readonly (Cell | undefined)[],
): Table {
  const hasNumbers = rows.some((row) => numbersIn(row).some(Boolean));
  return { columns, rows, rowCount: hasNumbers ? rows.length : 0 };
}

function asNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

export function isNumbers(type: ReportType): type is NumbersReport {
  return type === 'dashboard' || type === 'funnel' || type === 'cohort';
}
