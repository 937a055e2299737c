import { createHash } from 'node:crypto';
import { formatNumber, median } from './numbers.ts';

const bytes = Buffer.alloc(32 * 1024 * 1024);
const samplesMs: number[] = [];

/** Times a fixed computation, to distinguish a slow machine from a slow program. Called between rounds. */
export function sampleReference(): void {
  const before = process.cpuUsage();
  createHash('sha256').update(bytes).digest();
  const { user, system } = process.cpuUsage(before);
  samplesMs.push((user + system) / 1_000);
}

/** Describes the speed and variance of the machine during the benchmark. */
export function describeReference(): string {
  if (!samplesMs.length) return '';
  return `SHA-256 of 32 MB took ${formatNumber(median(samplesMs))} ms of CPU time (${formatNumber(Math.min(...samplesMs))} to ${formatNumber(Math.max(...samplesMs))} ms) between the rounds.`;
}
