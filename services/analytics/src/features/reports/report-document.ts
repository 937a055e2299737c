import { rgb } from '@cantoo/pdf-lib';
import type { NumbersReport } from '@tandem/analytics-contract';
import { z } from 'zod';
import { type Canvas, colors, createCanvas, left, right } from './canvas.ts';
import { CohortResult, DashboardResult, FunnelResult, groupName, keyNumbers } from './tables.ts';

/** The content of the document of a report. */
export interface ReportContent {
  name: string;
  type: NumbersReport;
  /** The result of a run. */
  result: Record<string, unknown>;
}

const Head = z.looseObject({
  period: z.looseObject({ from: z.string(), to: z.string(), timezone: z.string() }).optional(),
  generatedAt: z.string().optional(),
  warnings: z.array(z.string()).default([]),
});
const chartHeight = 120;
const barHeight = 16;
// A document is made in memory; the CSV file has all rows.
const rowsMax = 400;
const shownPeriodsMax = 12;

/** Renders the result of a report as a PDF document. */
export async function reportDocument({ name, type, result }: ReportContent): Promise<Uint8Array> {
  const canvas = await createCanvas(name);
  const { period, generatedAt, warnings } = Head.parse(result);
  canvas.line({ text: name, x: left, font: 'bold', size: 18 });
  canvas.gap(6);
  if (period) canvas.line({ text: periodText(period), x: left, color: colors.faint });
  if (generatedAt) canvas.line({ text: `Made on ${minute(generatedAt)} UTC`, x: left, color: colors.faint });
  for (const text of warnings) canvas.line({ text, x: left });
  if (type === 'dashboard') drawDashboard(canvas, DashboardResult.parse(result));
  else if (type === 'funnel') drawFunnel(canvas, FunnelResult.parse(result));
  else drawCohorts(canvas, CohortResult.parse(result));
  return canvas.save();
}

function periodText({ from, to, timezone }: { from: string; to: string; timezone: string }): string {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
  // The end of a period is the beginning of the next day.
  return `${day.format(new Date(from))} to ${day.format(new Date(Date.parse(to) - 1))}, ${timezone}`;
}

function minute(time: string): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

function drawDashboard(canvas: Canvas, result: z.output<typeof DashboardResult>): void {
  const charts = [
    ['Leads and deals', ['newLeads', 'conversions', 'won', 'lost']],
    ['Messages', ['sent', 'humanOpens', 'clicks']],
  ] as const;
  for (const [title, names] of charts) drawLines(canvas, title, { names, series: result.series });
  canvas.heading('Numbers');
  canvas.line(
    { text: 'Number', x: left, font: 'bold' },
    { text: 'Value', x: right - 90, isEnd: true, font: 'bold' },
    { text: 'Before', x: right, isEnd: true, font: 'bold' },
  );
  for (const { section, name, value, previous } of keyNumbers(result).slice(0, rowsMax))
    canvas.line(
      { text: `${section}: ${name}`, x: left },
      { text: shown(value), x: right - 90, isEnd: true },
      { text: shown(previous), x: right, isEnd: true, color: colors.faint },
    );
}

type Series = z.output<typeof DashboardResult>['series'];

function drawLines(
  canvas: Canvas,
  title: string,
  { names, series }: { names: readonly string[]; series: Series },
): void {
  const countIn = (point: Series[number], name: string) => (typeof point[name] === 'number' ? point[name] : 0);
  const highest = Math.max(1, ...series.flatMap((point) => names.map((name) => countIn(point, name))));
  canvas.reserve(chartHeight + 70);
  canvas.heading(title);
  const bottom = canvas.y - chartHeight;
  const x = (index: number) => left + ((right - left) * index) / Math.max(1, series.length - 1);
  const y = (value: number) => bottom + (chartHeight * value) / highest;
  for (const value of [0, highest]) {
    canvas.page.drawLine({ start: { x: left, y: y(value) }, end: { x: right, y: y(value) }, color: colors.line });
    canvas.write({ text: shown(value), x: right, y: y(value) + 2, isEnd: true, size: 7, color: colors.faint });
  }
  names.forEach((name, number) => {
    const color = colorOf(number);
    series.forEach((point, index) => {
      const end = { x: x(index), y: y(countIn(point, name)) };
      const before = series[index - 1];
      if (before)
        canvas.page.drawLine({ start: { x: x(index - 1), y: y(countIn(before, name)) }, end, color, thickness: 1.2 });
      else canvas.page.drawCircle({ ...end, size: 1.5, color });
    });
  });
  canvas.gap(chartHeight);
  const [first, last] = [series[0], series.at(-1)];
  if (first && last)
    canvas.line(
      { text: minute(first.from).slice(0, 10), x: left, size: 7, color: colors.faint },
      { text: minute(last.from).slice(0, 10), x: right, isEnd: true, size: 7, color: colors.faint },
    );
  canvas.line(...names.map((name, number) => ({ text: name, x: left + number * 100, color: colorOf(number) })));
}

function drawFunnel(canvas: Canvas, { steps, pending, breakdown }: z.output<typeof FunnelResult>): void {
  drawSteps(canvas, 'Steps', { steps, pending });
  for (const group of breakdown) {
    const name = groupName(group);
    drawSteps(canvas, group.userName ? `${group.userName} (${name})` : name, group);
  }
}

type Steps = Pick<z.output<typeof FunnelResult>, 'steps' | 'pending'>;

function drawSteps(canvas: Canvas, title: string, { steps, pending }: Steps): void {
  canvas.heading(title);
  const highest = Math.max(1, ...steps.map(({ count }) => count));
  const [start, end] = [left + 130, right - 120];
  for (const { name, count, fromPrevious, medianSeconds } of steps) {
    canvas.line(
      { text: name.slice(0, 24), x: left },
      { text: `${shown(count)}${fromPrevious == null ? '' : ` · ${shown(fromPrevious)} %`}`, x: end + 8 },
      { text: medianSeconds == null ? '' : durationText(medianSeconds), x: right, isEnd: true, color: colors.faint },
    );
    const bar = { x: start, y: canvas.y - 3, height: barHeight - 5, color: colorOf(0) };
    canvas.page.drawRectangle({ ...bar, width: Math.max(0.5, ((end - start) * count) / highest) });
  }
  canvas.line({ text: `Still on the way: ${shown(pending)}`, x: left, color: colors.faint });
}

function drawCohorts(canvas: Canvas, { rows }: z.output<typeof CohortResult>): void {
  canvas.heading('Cohorts');
  const periods = Math.min(shownPeriodsMax, Math.max(0, ...rows.map(({ values }) => values.length)));
  const start = left + 120;
  const width = (right - start) / Math.max(1, periods);
  const numbers = Array.from({ length: periods }, (_, index) => index);
  const column = (index: number) => start + (index + 1) * width - 3;
  canvas.line(
    { text: 'Cohort', x: left, font: 'bold' },
    { text: 'Size', x: start - 8, isEnd: true, font: 'bold' },
    ...numbers.map((index) => ({ text: String(index), x: column(index), isEnd: true, font: 'bold' as const })),
  );
  const highest = Math.max(1, ...rows.flatMap(({ values }) => values.map((value) => value ?? 0)));
  for (const { cohort, size, values } of rows.slice(0, rowsMax)) {
    canvas.reserve(barHeight);
    const y = canvas.y - 19;
    numbers.forEach((index) => {
      const value = values[index];
      if (value == null) return;
      // The more, the darker.
      const light = 1 - 0.6 * (Math.max(0, value) / highest);
      const cell = { x: start + index * width, y, width: width - 1, height: barHeight - 2 };
      canvas.page.drawRectangle({ ...cell, color: rgb(light, light, 1) });
    });
    canvas.line(
      { text: (cohort ?? 'none').slice(0, 18), x: left },
      { text: shown(size), x: start - 8, isEnd: true },
      ...numbers.map((index) => ({ text: shown(values[index] ?? null), x: column(index), isEnd: true, size: 7 })),
    );
  }
  if (rows.length > rowsMax || rows.some(({ values }) => values.length > periods))
    canvas.line({ text: 'The CSV file of the report has all rows and periods.', x: left, color: colors.faint });
}

const format = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

function shown(value: number | null): string {
  return value === null ? '–' : format.format(value);
}

function durationText(seconds: number): string {
  if (seconds < 3_600) return `${shown(Math.round(seconds / 60))} min`;
  return seconds < 172_800 ? `${shown(Math.round(seconds / 3_600))} h` : `${shown(Math.round(seconds / 86_400))} d`;
}

function colorOf(number: number) {
  return colors.accents[number % colors.accents.length] as (typeof colors.accents)[number];
}
