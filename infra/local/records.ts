import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { becomesTrue } from './becomes-true.ts';
import { bootId, hasVariable, processState, sessionMembers } from './proc.ts';

/** Stores are stopped after the services that use them. */
export type ProcessKind = 'service' | 'store';

/** A started process, recorded in `.local/run` so that a later command can stop it if its supervisor was killed. */
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

/** Environment variable that marks all descendants of our processes. */
export const markVariable = 'TANDEM_RUN_DIR';

/** Records a process that was just started. */
export function writeRecord(runDir: string, record: Omit<ProcessRecord, 'startTime' | 'bootId'>): void {
  const state = processState(record.pid);
  if (!state) return;
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  const file = recordFile(runDir, record.name);
  // Renamed into place: a half-written record would hide a process from the next command.
  writeFileSync(`${file}.new`, JSON.stringify({ ...record, startTime: state.startTime, bootId: bootId() }));
  renameSync(`${file}.new`, file);
}

/** Removes the record of a process that has exited. */
export function removeRecord(runDir: string, name: string): void {
  rmSync(recordFile(runDir, name), { force: true });
}

/** All recorded processes, running or not. */
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

/** Whether the recorded process still runs, as opposed to another process with a reused pid. */
export function isAlive({
  pid,
  startTime,
  bootId: boot,
}: Pick<ProcessRecord, 'pid' | 'startTime' | 'bootId'>): boolean {
  const state = processState(pid);
  return state !== undefined && !state.isZombie && state.startTime === startTime && boot === bootId();
}

/**
 * Stops processes that an earlier supervisor left running, services before stores.
 * @param only names of the processes to stop; all by default
 * @returns the names of the processes that were still running
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
  if (await becomesTrue(isGone, { withinMs: record.stopWithinMs })) return;
  for (const pid of leftoverPids(record, runDir)) signal(pid, 'SIGKILL');
  await becomesTrue(isGone, { withinMs: 5_000 });
}

/** The process and its descendants. If the process itself is gone, only marked descendants are certain to be ours. */
function leftoverPids(record: ProcessRecord, runDir: string): number[] {
  if (record.bootId !== bootId()) return [];
  const members = sessionMembers(record.pid).map(({ pid }) => pid);
  if (isAlive(record)) return [...new Set([record.pid, ...members])];
  return members.filter((pid) => pid !== record.pid && hasVariable(pid, markVariable, runDir));
}

/** Sends a signal to a process that may have exited. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already exited.
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
