import { readFileSync } from 'node:fs';
import { readRecords } from '../local/records.ts';
import { descendants } from './processes.ts';

/** The memory of one process with everything it started, in MB. */
export interface Memory {
  name: string;
  /** Shared pages counted once over all who share them. */
  pss: number;
  rss: number;
  processes: number;
}

/** The memory of everything on record in a run folder, the largest first. */
export function memoryByProcess(runDir: string): Memory[] {
  return readRecords(runDir)
    .map(({ name, pid }) => {
      const members = descendants(pid).map(rollup);
      return {
        name,
        pss: sum(members.map(({ pss }) => pss)),
        rss: sum(members.map(({ rss }) => rss)),
        processes: members.length,
      };
    })
    .sort((a, b) => b.pss - a.pss);
}

function rollup(pid: number): { pss: number; rss: number } {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const megabytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024;
    return { pss: megabytes('Pss'), rss: megabytes('Rss') };
  } catch {
    // It ended just now.
    return { pss: 0, rss: 0 };
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
