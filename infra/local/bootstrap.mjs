// Entry point of every script in package.json. It runs on the user's Node (20 or newer) without packages, installs the
// workspace if it is missing or out of date, and runs the command on the workspace's own Node.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const nodeMin = 20;
const ancestorsMax = 4;
const pollAncestorsMs = 500;
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const generate = ['packages/tooling/src/generate.ts'];
// Runs a task in every package, and caches its result until the files it depends on change (turbo.json).
const turbo = ['node_modules/turbo/bin/turbo', 'run', '--concurrency=100%', '--output-logs=errors-only'];

/**
 * The steps of each command, run in order until one fails; the user's arguments go to the last one. A guarded command
 * starts processes, which are stopped if the command is killed.
 */
const commands = {
  start: { steps: [generate, ['infra/local/start.ts']], isGuarded: true },
  // Uses no packages, so that it can stop processes even if the installation is broken.
  stop: { steps: [['infra/local/stop.ts']], needsPackages: false },
  dev: { steps: [generate, ['infra/local/dev.ts']], isGuarded: true },
  test: { steps: [generate, ['infra/local/test.ts']], isGuarded: true },
  lint: {
    steps: [
      [...turbo, 'generate'],
      ['node_modules/@biomejs/biome/bin/biome', 'check', '.'],
      // Finds floating promises, which would run outside of their transaction. Biome's own rule for them does not
      // understand Prisma's types.
      ['node_modules/oxlint/bin/oxlint', '--type-aware'],
      ['packages/tooling/src/check.ts'],
      // Unused files, exports and dependencies.
      ['node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints'],
    ],
  },
  typecheck: {
    steps: [
      [...turbo, 'generate'],
      ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.json'],
    ],
  },
  bench: { steps: [generate, ['infra/bench/run.ts']] },
  evaluate: {
    steps: [generate, ['services/agents/evaluation/evaluate.ts'], ['services/campaign/evaluation/evaluate.ts']],
  },
  admin: { steps: [generate, ['infra/local/admin.ts']] },
  generate: { steps: [[...turbo, 'generate']] },
  openapi: { steps: [['gateway/src/docs/write.ts']] },
  migration: { steps: [['infra/local/migration.ts']], isGuarded: true },
};

const forwardedSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
let running;
let interruptedBy;
for (const name of forwardedSignals) {
  process.on(name, () => {
    interruptedBy = name;
    if (running) running.kill(name);
  });
}
// A closed terminal must not end this process before the command has stopped what it started.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const stopWatching = watchAncestors(() => {
  interruptedBy ??= 'SIGTERM';
  if (running) running.kill('SIGTERM');
});
process.exitCode = await main(process.argv.slice(2));
stopWatching();

async function main([name, ...args]) {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < nodeMin)
    return fail(`Node ${nodeMin} or newer is required, but this is ${process.version}: install it from nodejs.org.`);
  const command = commands[name];
  if (!command)
    return fail(`Unknown command "${name ?? ''}". Available commands: ${Object.keys(commands).join(', ')}.`);
  // Imported dynamically, so that an older Node prints the line above instead of a syntax error.
  const { ensureInstalled, nodeBinary } = await import('./install.mjs');
  const node = nodeBinary(root);
  if (command.needsPackages === false && !existsSync(node)) return say('Nothing is running.');
  const problem = command.needsPackages === false ? undefined : await ensureInstalled(root);
  if (interruptedBy) return 128 + constants.signals[interruptedBy];
  if (problem) return fail(problem);
  return runSteps({ ...command, args, node });
}

async function runSteps({ steps, isGuarded = false, args, node }) {
  for (const [index, [file, ...own]] of steps.entries()) {
    const isLast = index === steps.length - 1;
    const result = await run(node, [file, ...own, ...(isLast ? args : [])], isGuarded && isLast);
    // A command killed by SIGKILL could not stop the processes it had started.
    if (isGuarded && isLast && result.code !== 0) await run(node, ['infra/local/stop.ts', '--leftovers'], false);
    if (interruptedBy && !isLast) return 128 + constants.signals[interruptedBy];
    if (result.code !== 0) return result.code;
  }
  return 0;
}

/** turbo runs the packages' scripts with the pnpm of node_modules; its telemetry is disabled. */
function turboEnvironment() {
  const PATH = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  return { PATH, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1', TURBO_PRINT_VERSION_DISABLED: '1' };
}

/** Runs one file on the workspace's Node. A guarded child has an IPC channel, by which it detects our exit. */
function run(node, args, isGuarded) {
  const stdio = ['inherit', 'inherit', 'inherit', ...(isGuarded ? ['ipc'] : [])];
  // Without the cache, every process would strip the types of the same files again and keep the stripper in memory.
  const env = {
    NODE_COMPILE_CACHE: join(root, '.local/cache/node'),
    ...process.env,
    ...turboEnvironment(),
  };
  const child = spawn(node, args, { cwd: root, stdio, env });
  running = child;
  return new Promise((done) => {
    child.once('error', (error) => done({ code: fail(`${node} cannot be run: ${error.message}`) }));
    child.once('exit', (code, by) => {
      running = undefined;
      done({ code: code ?? 128 + constants.signals[by], by });
    });
  });
}

/**
 * Calls back when npm has exited. npm sends signals to the shell that runs this process; the shell exits without
 * forwarding them. Linux does not report the end of a grandparent, so it is polled.
 */
function watchAncestors(onGone) {
  const shells = [];
  let pid = process.pid;
  while (shells.length < ancestorsMax && !isNpm(pid)) {
    const parent = parentOf(pid);
    if (!parent || parent === 1) return () => {};
    shells.push({ pid, parent });
    pid = parent;
  }
  if (!isNpm(pid)) return () => {};
  const timer = setInterval(() => {
    if (shells.every((shell) => parentOf(shell.pid) === shell.parent)) return;
    clearInterval(timer);
    onGone();
  }, pollAncestorsMs);
  return () => clearInterval(timer);
}

function isNpm(pid) {
  return /^(npm|pnpm|yarn)\b|\/(npm|pnpm|yarn)(-cli)?(\.c?js)?\0/.test(readOr(`/proc/${pid}/cmdline`));
}

function parentOf(pid) {
  const stat = readOr(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function readOr(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function say(line) {
  process.stdout.write(`${line}\n`);
  return 0;
}

function fail(line) {
  process.stderr.write(`error  ${line}\n`);
  return 1;
}
