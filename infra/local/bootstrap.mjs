// The door to every command of package.json. It runs on the Node the user has (20 or newer) and needs no package: it
// installs the workspace when that is missing or out of date, then runs the command on the workspace's own Node.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const nodeMin = 20;
const ancestorsMax = 4;
const askAncestorsMs = 500;
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const generate = ['packages/tooling/src/generate.ts'];
// Runs a task of every package, and keeps its result until the files change that it depends on (turbo.json).
const turbo = ['node_modules/turbo/bin/turbo', 'run', '--concurrency=100%', '--output-logs=errors-only'];
const rootFiles = ['package.json', 'turbo.json', 'biome.json', 'knip.json', 'jest.config.mjs', '.oxlintrc.json'];

/**
 * What each command runs, one after the other until one fails; the user's arguments go to the last. A guarded one
 * starts processes of its own, which are ended when it is killed.
 */
const commands = {
  start: { steps: [generate, ['infra/local/start.ts']], isGuarded: true },
  // It uses no package: whatever state they are in, what runs can be ended.
  stop: { steps: [['infra/local/stop.ts']], needsPackages: false },
  dev: { steps: [generate, ['infra/local/dev.ts']], isGuarded: true },
  test: { steps: [generate, ['infra/local/test.ts']], isGuarded: true },
  lint: {
    steps: [
      // What each package has: form, and promises that nobody waits for. Such a promise runs outside of its transaction;
      // Biome's own rule does not see through Prisma's types.
      [...turbo, 'lint'],
      ['node_modules/@biomejs/biome/bin/biome', 'check', ...rootFiles],
      ['packages/tooling/src/check.ts'],
      // What nobody uses any more: files, exports, dependencies.
      ['node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints'],
    ],
  },
  typecheck: { steps: [[...turbo, 'typecheck']] },
  bench: { steps: [generate, ['infra/bench/run.ts']] },
  admin: { steps: [generate, ['infra/local/admin.ts']] },
  generate: { steps: [[...turbo, 'generate']] },
  openapi: { steps: [['gateway/src/docs/write.ts']] },
  migration: { steps: [['infra/local/migration.ts']], isGuarded: true },
};

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'];
let running;
let interruptedBy;
for (const name of passedOn) {
  process.on(name, () => {
    interruptedBy = name;
    if (running) running.kill(name);
  });
}
// A closed terminal must not end us before the command has ended what it started.
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
    return fail(`Node ${nodeMin} or newer is needed, and this is ${process.version}: see nodejs.org.`);
  const command = commands[name];
  if (!command) return fail(`Unknown command "${name ?? ''}". There are: ${Object.keys(commands).join(', ')}.`);
  // Imported here, so that an older Node gets the line above and not a complaint about syntax.
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
    const ended = await run(node, [file, ...own, ...(isLast ? args : [])], isGuarded && isLast);
    // It may have been killed the hard way, and could not end what it had started. So we do.
    if (isGuarded && isLast && ended.code !== 0) await run(node, ['infra/local/stop.ts', '--leftovers'], false);
    if (interruptedBy && !isLast) return 128 + constants.signals[interruptedBy];
    if (ended.code !== 0) return ended.code;
  }
  return 0;
}

/** turbo starts the packages' scripts by pnpm, which is one of the packages here; it sends nothing to its makers. */
function turboEnvironment() {
  const PATH = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  return { PATH, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1', TURBO_PRINT_VERSION_DISABLED: '1' };
}

/** Runs one file on the workspace's Node. A guarded child has a channel to us, by whose end it notices ours. */
function run(node, args, isGuarded) {
  const stdio = ['inherit', 'inherit', 'inherit', ...(isGuarded ? ['ipc'] : [])];
  // Without the cache every process would strip the types of the same files again, and keep the tool for it in memory.
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
 * Calls back when npm is gone. npm passes signals to the shell it runs us in, and that shell dies of them without a word
 * to us; Linux tells nobody that a grandparent has ended, so it has to be asked.
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
  }, askAncestorsMs);
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
