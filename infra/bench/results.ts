import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Memory } from './memory.ts';
import { shown } from './numbers.ts';
import { describeReference } from './reference.ts';

/** One line of the table. */
export interface Row {
  /** Names its note in notes.md. */
  id: string;
  what: string;
  goal: string;
  reached: string;
  detail?: string;
  /** Absent for what has no goal or was not measured. */
  isReached?: boolean;
}

/** A row that could not be measured, and why. */
export function notMeasured(id: string, what: string, goal: string, why: string): Row {
  return { id, what, goal, reached: 'not measured', detail: why };
}

/** The table for the terminal. */
export function printed(rows: Row[]): string {
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

/** Writes results.md: what was measured, with the notes that people keep in notes.md. */
export function writeResults({ rows, memory }: { rows: Row[]; memory: Memory[] }, date = new Date()): void {
  const notes = readNotes();
  const cpu = cpus();
  const lines = [
    '# Benchmark results',
    '',
    '`npm run bench` measures and writes this page; the reasons come from `notes.md` and outlast a rerun.',
    '',
    `${date.toISOString().slice(0, 10)}, ${cpu.length} cores (${cpu[0]?.model.trim() ?? 'unknown'}), Node ${process.version}, load average ${shown(loadavg()[0] as number)} at the end. ${describeReference()}`,
    '',
    '| what | goal | reached | | detail |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row.what} | ${row.goal} | ${row.reached} | ${verdict(row)} | ${row.detail ?? ''} |`),
    '',
    '## Why',
    '',
    ...rows.flatMap(({ id, what }) => (notes.has(id) ? [`**${what}.** ${notes.get(id)}`, ''] : [])),
    ...(memory.length ? memoryTable(memory) : []),
    ...(notes.has('how') ? ['## How it is measured', '', notes.get('how') as string, ''] : []),
  ];
  writeFileSync(join(import.meta.dirname, 'results.md'), `${lines.join('\n').trimEnd()}\n`);
}

function verdict({ isReached }: Row): string {
  return isReached === undefined ? '' : isReached ? 'reached' : 'missed';
}

function memoryTable(memory: Memory[]): string[] {
  const total = (of: (one: Memory) => number) => shown(memory.reduce((all, one) => all + of(one), 0));
  return [
    '## Idle memory by process',
    '',
    '| process | PSS, MB | RSS, MB | processes |',
    '| --- | --- | --- | --- |',
    ...memory.map(({ name, pss, rss, processes }) => `| ${name} | ${shown(pss)} | ${shown(rss)} | ${processes} |`),
    `| all | ${total((one) => one.pss)} | ${total((one) => one.rss)} | ${memory.reduce((all, one) => all + one.processes, 0)} |`,
    '',
  ];
}

/** The notes by row: a heading is the row's id. */
function readNotes(): Map<string, string> {
  const text = readFileSync(join(import.meta.dirname, 'notes.md'), 'utf8');
  const parts = text.split(/^## /m).slice(1);
  return new Map(
    parts.map((part) => [part.slice(0, part.indexOf('\n')).trim(), part.slice(part.indexOf('\n')).trim()]),
  );
}
