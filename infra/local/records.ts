import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootId, hasVariable, processState, sessionMembers } from './proc.ts';
import { until } from './until.ts';

/** Stores end last: whoever uses them must be gone by then. */
export type ProcessKind = 'service' | 'store';

/** A process we started, as it stands in `.local/run`, so that a later command can end it when its supervisor cannot. */
export interface ProcessRecord {
  name: string;
  kind: ProcessKind;
  pid: number;
  startTime: number;
  bootId: string;
  command: string[];
  stopSignal: NodeJS.Signals;
  stopWithinMs: number;
}

/** Marks everything that descends from a process of ours, whatever it calls itself later. */
export const markVariable = 'TANDEM_RUN_DIR';

/** Writes down a process that was just started. */
export function writeRecord(runDir: string, record: Omit<ProcessRecord, 'startTime' | 'bootId'>): void {
  const state = processState(record.pid);
  if (!state) return;
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  const file = recordFile(runDir, record.name);
  // Renamed into place: a half-written record would hide a process from the next command.
  writeFileSync(`${file}.new`, JSON.stringify({ ...record, startTime: state.startTime, bootId: bootId() }));
  renameSync(`${file}.new`, file);
}

/** Forgets a process that has ended. */
export function removeRecord(runDir: string, name: string): void {
  rmSync(recordFile(runDir, name), { force: true });
}

/** Every process on record, whether it still runs or not. */
export function readRecords(runDir: string): ProcessRecord[] {
  return entries(runDir)
    .filter((name) => name.endsWith('.process.json'))
    .map((name) => {
      try {
        return JSON.parse(readFileSync(join(runDir, name), 'utf8')) as ProcessRecord;
      } catch {
        return undefined;
      }
    })
    .filter((record) => record !== undefined);
}

/** Whether the very process of the record still runs, not another one that was given its number. */
export function isAlive({
  pid,
  startTime,
  bootId: boot,
}: Pick<ProcessRecord, 'pid' | 'startTime' | 'bootId'>): boolean {
  const state = processState(pid);
  return state !== undefined && !state.isZombie && state.startTime === startTime && boot === bootId();
}

/**
 * Ends what an earlier supervisor left behind, services before stores; only the named ones, if names are given.
 * Returns the names of what was still there.
 */
export async function endLeftovers(runDir: string, only?: string[]): Promise<string[]> {
  const records = readRecords(runDir).filter(({ name }) => !only || only.includes(name));
  const alive = records.filter((record) => leftoverPids(record, runDir).length > 0);
  for (const kind of ['service', 'store'] as const) {
    await Promise.all(alive.filter((record) => record.kind === kind).map((record) => endOne(record, runDir)));
  }
  for (const { name } of records) removeRecord(runDir, name);
  return alive.map(({ name }) => name);
}

async function endOne(record: ProcessRecord, runDir: string): Promise<void> {
  if (isAlive(record)) signal(record.pid, record.stopSignal);
  else for (const pid of leftoverPids(record, runDir)) signal(pid, 'SIGTERM');
  const isGone = () => leftoverPids(record, runDir).length === 0;
  if (await until(isGone, { withinMs: record.stopWithinMs })) return;
  for (const pid of leftoverPids(record, runDir)) signal(pid, 'SIGKILL');
  await until(isGone, { withinMs: 5_000 });
}

/** The process itself and its descendants. Without the process, only those that carry our mark are surely ours. */
function leftoverPids(record: ProcessRecord, runDir: string): number[] {
  if (record.bootId !== bootId()) return [];
  const members = sessionMembers(record.pid).map(({ pid }) => pid);
  if (isAlive(record)) return [...new Set([record.pid, ...members])];
  return members.filter((pid) => pid !== record.pid && hasVariable(pid, markVariable, runDir));
}

/** Sends a signal to a process that may have ended meanwhile. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already, which is what the signal was for.
  }
}

function recordFile(runDir: string, name: string): string {
  return join(runDir, `${name}.process.json`);
}

function entries(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
