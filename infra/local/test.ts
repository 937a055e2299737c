// `npm test [-- jest arguments]`: starts private stores, migrates template databases, runs jest, and stops the stores.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { testDatabases } from '@tandem/tooling';
import { type Claim, claimFolder } from './claim.ts';
import { CommandError } from './command-error.ts';
import { interrupts } from './interrupts.ts';
import { localDir, packagesDir, root, secretsFile } from './paths.ts';
import { signal as send } from './records.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import { externalStores, type Stores, startStores } from './stores/index.ts';
import { complain, prepareTerminal, progress } from './terminal.ts';

const parallelRunsMax = 16;
const slowestShown = 15;
// Written by infra/local/jest-summary.mjs, and cached by turbo with the result of the package.
const summaryFile = '.local/test-summary.json';

interface Summary {
  passed: number;
  failed: number;
  failures: { title: string; message: string }[];
  files: { name: string; seconds: number }[];
}

prepareTerminal();
const interrupted = interrupts();
process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  if (interrupted.aborted) return 130;
  complain(error);
  return 1;
});
process.exit();

async function main(jestArguments: string[]): Promise<number> {
  const { dir, claim } = await freeFolder();
  try {
    removeOldData(dir);
    return await runIn(dir, jestArguments);
  } finally {
    claim.release();
  }
}

/** Claims a folder that no other test run uses: several runs may be active, each with its own stores. */
async function freeFolder(): Promise<{ dir: string; claim: Claim }> {
  for (let number = 1; number <= parallelRunsMax; number += 1) {
    const dir = join(localDir, 'test', String(number));
    const claim = await claimFolder(dir);
    if (claim) return { dir, claim };
  }
  throw new CommandError(`${parallelRunsMax} test runs are already in progress: wait until one has finished.`);
}

/**
 * Removes RabbitMQ's data, because queues of earlier runs remain: after some hundred test files, the broker takes half
 * a minute to start, and finally reaches its memory limit and blocks publishers. PostgreSQL keeps its migrated
 * templates.
 */
function removeOldData(dir: string): void {
  const isLeftOver = (name: string) => name === 'rabbitmq' || name.startsWith('fleet-');
  for (const name of readdirSync(dir).filter(isLeftOver)) rmSync(join(dir, name), { recursive: true });
}

async function runIn(dir: string, jestArguments: string[]): Promise<number> {
  const secrets = loadSecrets(join(dir, 'secrets.json'));
  // On the user's own server, tests and fleet share their roles, so another secret would lock out the fleet.
  if (externalStores().postgres) secrets.ROLE_SECRET = loadSecrets(secretsFile).ROLE_SECRET;
  const stores = await startStores({ dir, packagesDir, isDurable: false, log: progress, signal: interrupted });
  try {
    await prepareTemplates(stores, secrets);
    interrupted.throwIfAborted();
    const env = environment(dir, { stores, secrets });
    return await (jestArguments.length ? runSome(jestArguments, dir, env) : runAll(dir, env));
  } finally {
    await stores.stop();
  }
}

async function prepareTemplates(
  { adminDatabaseUrl: adminUrl }: Stores,
  { ROLE_SECRET: roleSecret }: Secrets,
): Promise<void> {
  // In a private store, every clone is left over; on the user's server, some may belong to another active run.
  const isPrivate = !externalStores().postgres;
  await testDatabases({ adminUrl, roleSecret, log: progress, ...(isPrivate ? { clonesKeptMinutes: 0 } : {}) });
  progress('databases ready');
}

function environment(dir: string, { stores, secrets }: { stores: Stores; secrets: Secrets }): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...secrets,
    NODE_ENV: 'test',
    TEST_DATABASE_URL: stores.adminDatabaseUrl,
    TEST_REDIS_URL: stores.redisUrl,
    TEST_AMQP_URL: stores.amqpUrl,
    TEST_AMQP_MANAGEMENT_URL: stores.amqpManagementUrl,
    TEST_ROLE_SECRET: secrets.ROLE_SECRET,
    TEST_DIR: dir,
  };
}

/**
 * Runs the tests of every package; turbo skips packages that are unchanged since they last passed. Tests that expect
 * answers within seconds from two instances of the whole fleet follow: beside other tests, the processor has no time for
 * them.
 */
async function runAll(dir: string, env: NodeJS.ProcessEnv): Promise<number> {
  const summaries = workspaceFolders().map((folder) => join(folder, summaryFile));
  for (const file of summaries) rmSync(file, { force: true });
  const turbo = join(root, 'node_modules/turbo/bin/turbo');
  const ofPackages = await run([turbo, 'run', 'test', '--concurrency=2', '--continue=always'], env);
  const alone = interrupted.aborted ? undefined : await runJest(['\\.alone\\.test\\.ts$'], dir, env);
  printSummary(alone ? [...summaries, alone.summary] : summaries);
  return ofPackages || (alone?.code ?? 1);
}

/** Runs the tests selected by jest arguments, without a cache. */
async function runSome(jestArguments: string[], dir: string, env: NodeJS.ProcessEnv): Promise<number> {
  const { code, summary } = await runJest(jestArguments, dir, env);
  printSummary([summary]);
  return code;
}

/** @returns the exit code, and the file with the numbers of tests */
async function runJest(
  jestArguments: string[],
  dir: string,
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; summary: string }> {
  const summary = join(dir, 'summary.json');
  rmSync(summary, { force: true });
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const code = await run([jest, ...jestArguments], { ...env, TEST_SUMMARY_FILE: summary });
  return { code, summary };
}

function run(command: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, command, { cwd: root, env, stdio: 'inherit' });
  const forward = () => child.pid !== undefined && send(child.pid, 'SIGTERM');
  interrupted.addEventListener('abort', forward);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, by) => resolve(code ?? 128 + (by ? constants.signals[by] : 0)));
  });
}

/** Prints what failed, the number of tests and the slowest files, from the files written by jest-summary.mjs. */
function printSummary(summaryFiles: string[]): void {
  const summaries: Summary[] = summaryFiles
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')));
  // Turbo runs two packages at once, so the failures of one are far up in the output of the other.
  for (const { title, message } of summaries.flatMap((one) => one.failures)) {
    process.stdout.write(`\nFAILED ${title}\n${message}\n`);
  }
  const files = summaries.flatMap((one) => one.files).sort((a, b) => b.seconds - a.seconds);
  if (files.length > slowestShown) {
    const all = files.reduce((sum, { seconds }) => sum + seconds, 0);
    process.stdout.write(`\nSlowest of ${files.length} test files, which took ${Math.round(all)} s together:\n`);
    for (const { name, seconds } of files.slice(0, slowestShown)) {
      process.stdout.write(`${String(Math.round(seconds)).padStart(5)} s  ${name}\n`);
    }
  }
  const count = (key: 'passed' | 'failed') => summaries.reduce((sum, one) => sum + one[key], 0);
  if (summaries.length) process.stdout.write(`\nTests: ${count('passed')} passed, ${count('failed')} failed\n`);
}

/** The folders of all workspace packages; packages with tests write a summary there. */
function workspaceFolders(): string[] {
  const inside = (name: string) => readdirSync(join(root, name)).map((folder) => join(root, name, folder));
  return [join(root, 'gateway'), join(root, 'e2e'), ...['services', 'packages', 'infra'].flatMap(inside)];
}
