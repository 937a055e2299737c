import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { PeerPrograms } from './packages.ts';

/** One run of the load generator. */
export interface Load {
  url: string;
  seconds: number;
  connections: number;
  headers?: Record<string, string>;
  /** A script in `load/`; `env` holds its parameters. */
  script?: string;
  env?: Record<string, string>;
  /** The core it may run on; any if absent. */
  core?: number;
}

/** The result of a run; latencies in milliseconds. */
export interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  answers: number;
}

/**
 * Runs wrk with one thread.
 * @throws if a response was not successful, because fast refusals must not count as throughput
 */
export async function runLoad(programs: PeerPrograms, load: Load): Promise<Measured> {
  const { url, seconds, connections, headers = {}, script, env = {}, core } = load;
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '--latency',
    '-s',
    join(import.meta.dirname, 'load', script ?? 'get.lua'),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    url,
  ];
  const command = core === undefined ? [programs.wrk, ...args] : ['taskset', '-c', String(core), programs.wrk, ...args];
  const output = await capture(command, {
    ...programs.env,
    ...env,
    LOAD_DIR: join(import.meta.dirname, 'load'),
    PATH: process.env['PATH'],
  });
  const line = output.split('\n').find((one) => one.startsWith('RESULT '));
  if (!line) throw new Error(`wrk printed no result: ${output.slice(-500)}`);
  const [answers, microseconds, p50, p99, refused, lost] = line.split(' ').slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (refused || lost)
    throw new Error(`${url}: of ${answers} responses, ${refused} were not successful and ${lost} were lost`);
  return { answers, perSecond: answers / (microseconds / 1e6), p50: p50 / 1e3, p99: p99 / 1e3 };
}

function capture(command: string[], env: Record<string, string | undefined>): Promise<string> {
  const child = spawn(command[0] as string, command.slice(1), { env, stdio: ['ignore', 'pipe', 'pipe'] });
  // An interrupted benchmark must not leave wrk running.
  const kill = () => child.kill();
  process.once('exit', kill);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      process.off('exit', kill);
      resolve(output);
    });
  });
}
