import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Memory } from './memory.ts';
import { formatNumber } from './numbers.ts';
import { describeReference } from './reference.ts';

/** One row of the results table. */
export interface Row {
  /** Heading of its note in notes.md. */
  id: string;
  what: string;
  goal: string;
  reached: string;
  detail?: string;
  /** Absent if there is no goal or no measurement. */
  isReached?: boolean;
}

/** A row that could not be measured, with the reason. */
export function notMeasured(id: string, what: string, goal: string, reason: string): Row {
  return { id, what, goal, reached: 'not measured', detail: reason };
}

/** Formats the rows as a table for the terminal. */
export function formatTable(rows: Row[]): string {
  const cells = rows.map((row) => [row.what, row.goal, row.reached, verdict(row), row.detail ?? '']);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => (line[column] as string).length)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Writes results.md: the measurements, and the hand-written notes from notes.md. */
export function writeResults({ rows, memory }: { rows: Row[]; memory: Memory[] }, date = new Date()): void {
  const notes = readNotes();
  const cpu = cpus();
  const lines = [
    '# Benchmark results',
    '',
    '`npm run bench` writes this page. The explanations come from `notes.md`.',
    '',
    `${date.toISOString().slice(0, 10)}, ${cpu.length} cores (${cpu[0]?.model.trim() ?? 'unknown'}), Node ${process.version}, load average ${formatNumber(loadavg()[0] as number)} at the end. ${describeReference()}`,
    '',
    '| what | goal | reached | | detail |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row.what} | ${row.goal} | ${row.reached} | ${verdict(row)} | ${row.detail ?? ''} |`),
    '',
    '## Explanations',
    '',
    ...explanations(rows, notes),
    ...(memory.length ? memoryTable(memory) : []),
    ...(notes.has('how') ? ['## Method', '', notes.get('how') as string, ''] : []),
  ];
  writeFileSync(join(import.meta.dirname, 'results.md'), `${lines.join('\n').trimEnd()}\n`);
}

/** Each note once, under the name of its first row: the rows of `size` share a note. */
function explanations(rows: Row[], notes: Map<string, string>): string[] {
  return [...Map.groupBy(rows, ({ id }) => id)].flatMap(([id, [first, ...others]]) => {
    const note = notes.get(id);
    if (!first || note === undefined) return [];
    const more = others.length ? ` (and ${others.length} more)` : '';
    return [`**${first.what}${more}.** ${note}`, ''];
  });
}

function verdict({ isReached }: Row): string {
  return isReached === undefined ? '' : isReached ? 'reached' : 'missed';
}

function memoryTable(memory: Memory[]): string[] {
  const total = (read: (one: Memory) => number) => formatNumber(memory.reduce((all, one) => all + read(one), 0));
  return [
    '## Idle memory by process',
    '',
    '| process | PSS, MB | RSS, MB | processes |',
    '| --- | --- | --- | --- |',
    ...memory.map(
      ({ name, pss, rss, processes }) => `| ${name} | ${formatNumber(pss)} | ${formatNumber(rss)} | ${processes} |`,
    ),
    `| all | ${total((one) => one.pss)} | ${total((one) => one.rss)} | ${memory.reduce((all, one) => all + one.processes, 0)} |`,
    '',
  ];
}

/** The notes by row id, which is the heading of the note. */
function readNotes(): Map<string, string> {
  const text = readFileSync(join(import.meta.dirname, 'notes.md'), 'utf8');
  const parts = text.split(/^## /m).slice(1);
  return new Map(
    parts.map((part) => [part.slice(0, part.indexOf('\n')).trim(), part.slice(part.indexOf('\n')).trim()]),
  );
}
