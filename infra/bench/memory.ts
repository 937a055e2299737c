import { readFileSync } from 'node:fs';
import { readRecords } from '../local/records.ts';
import { descendants } from './processes.ts';

/** The memory of a process and its descendants, in MB. */
export interface Memory {
  name: string;
  /** Proportional set size: shared pages are divided among the processes that share them. */
  pss: number;
  rss: number;
  processes: number;
}

/** The memory of every recorded process of a run folder, largest first. */
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
    // The process has just exited.
    return { pss: 0, rss: 0 };
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
