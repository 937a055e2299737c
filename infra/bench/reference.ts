import { createHash } from 'node:crypto';
import { median, shown } from './numbers.ts';

const bytes = Buffer.alloc(32 * 1024 * 1024);
const took: number[] = [];

/** Times a fixed piece of work, to tell a slow machine from a slow program. Called between rounds. */
export function sampleReference(): void {
  const began = process.cpuUsage();
  createHash('sha256').update(bytes).digest();
  const { user, system } = process.cpuUsage(began);
  took.push((user + system) / 1_000);
}

/** How fast, and how evenly, the machine did that work while the benchmark ran. */
export function describeReference(): string {
  if (!took.length) return '';
  return `SHA-256 of 32 MB took ${shown(median(took))} ms of processor time (${shown(Math.min(...took))} to ${shown(Math.max(...took))} ms) between the rounds.`;
}
