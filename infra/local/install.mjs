// Keeps node_modules in line with pnpm-lock.yaml. Plain JavaScript, because it runs before any package is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const pnpmVersion = '10.34.9';
const linesKept = 60;
const outdatedLock = `pnpm-lock.yaml does not match the package.json files: run npx pnpm@${pnpmVersion} install, and commit the lock file.`;
const lockRetryMs = 200;

/** The workspace's own Node. The script in node_modules/.bin would start a shell, which does not forward signals. */
export function nodeBinary(root) {
  return join(root, 'node_modules/node/bin/node');
}

/** Installs the workspace if it is missing or out of date. Resolves with the problem in one line if it fails. */
export async function ensureInstalled(root) {
  if (isCurrent(root)) return undefined;
  try {
    return await underLock(root, async () => (isCurrent(root) ? undefined : install(root)));
  } catch (error) {
    return explained(`${error.code ?? ''} ${error.message}`);
  }
}

function isCurrent(root) {
  const stamp = readOr(stampFile(root), '');
  if (stamp === '' || !existsSync(nodeBinary(root)) || isTouchedByNpm(root)) return false;
  const manifests = workspaceManifests(root);
  const isComplete = manifests.every((file) => !needsModules(file) || existsSync(join(dirname(file), 'node_modules')));
  return isComplete && stamp === fingerprint(root, manifests);
}

/** A plain `npm install` leaves a tree without the workspace's packages, and creates this file. */
function isTouchedByNpm(root) {
  return existsSync(join(root, 'node_modules/.package-lock.json'));
}

async function install(root) {
  const startedAt = performance.now();
  // Removed until the end, so that the next command repeats an interrupted installation.
  rmSync(stampFile(root), { force: true });
  // pnpm cannot take over a folder that npm has written.
  if (isTouchedByNpm(root)) rmSync(join(root, 'node_modules'), { recursive: true, force: true });
  say('Installing packages with pnpm');
  const problem = (await installLocked(root)) ?? (await ensureNode(root));
  if (problem) return problem;
  writeFileSync(stampFile(root), fingerprint(root, workspaceManifests(root)));
  say(`Packages installed (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  return undefined;
}

/** Installs exactly the lock file. Outside of CI, the lock file is updated if a package.json is ahead of it. */
async function installLocked(root) {
  const problem = await pnpm(root, ['install', '--frozen-lockfile']);
  if (problem !== outdatedLock || process.env.CI) return problem;
  say('A package.json is newer than pnpm-lock.yaml: updating the lock file (commit it)');
  return pnpm(root, ['install', '--no-frozen-lockfile']);
}

/** After an interrupted installation, the package `node` may lack its binary, which its install script creates. */
async function ensureNode(root) {
  const works = () => spawnSync(nodeBinary(root), ['--version'], { stdio: 'ignore' }).status === 0;
  if (works()) return undefined;
  const problem = await pnpm(root, ['rebuild', 'node']);
  if (problem || works()) return problem;
  return "The package `node` could not install its binary: check that npm's setting ignore-scripts is off, and that this disk is not mounted with noexec.";
}

function pnpm(root, args) {
  // Disables prompts, such as whether node_modules may be recreated, because nobody can answer them.
  const options = ['--reporter=append-only', '--config.confirm-modules-purge=false'];
  const command = ['--yes', `pnpm@${pnpmVersion}`, ...args, ...options];
  const child = spawn('npx', command, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Under `npm -s`, npx and pnpm would not print errors.
    env: { ...process.env, npm_config_yes: 'true', npm_config_loglevel: undefined },
  });
  const lines = [];
  for (const stream of [child.stdout, child.stderr]) follow(stream, (line) => keep(lines, line));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`Cannot run npx, which is part of npm: ${error.message}`));
    child.once('close', (code) => {
      endProgress();
      resolve(code === 0 ? undefined : explained(lines.join('\n')));
    });
  });
}

function keep(lines, line) {
  lines.push(line);
  if (lines.length > linesKept) lines.shift();
  const counts = /Progress: resolved (\d+), reused (\d+), downloaded (\d+), added (\d+)/.exec(line);
  if (counts)
    showProgress(
      `${counts[1]} packages resolved, ${Number(counts[2]) + Number(counts[3])} available, ${counts[4]} installed`,
    );
}

function follow(stream, onLine) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) onLine(line);
  });
}

/** Translates the output of npm or pnpm into a message for the user. */
function explained(output) {
  if (process.env.DEBUG) process.stderr.write(`${output}\n`);
  if (/ENOSPC|EDQUOT/.test(output)) return 'The disk is full: free up space and run the command again.';
  if (/EACCES|EPERM|EROFS/.test(output))
    return 'No write permission for node_modules: run as the user who owns this folder.';
  if (/OUTDATED_LOCKFILE/.test(output)) return outdatedLock;
  if (
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|SOCKET_TIMEOUT|META_FETCH_FAIL|FETCH_\d+/.test(
      output,
    )
  ) {
    return 'Cannot connect to the package registry: check the network and npm config get registry, then run the command again.';
  }
  const reason =
    output
      .split('\n')
      .filter((line) => /ERR|error/i.test(line))
      .at(0) ?? output.split('\n').at(-1);
  return `Installing the packages failed: ${reason.trim()} (set DEBUG=1 to see the full output)`;
}

/** Serializes installations: a second command waits for the first. */
async function underLock(root, work) {
  const file = join(root, 'node_modules.lock');
  let hasAnnounced = false;
  while (!takeLock(file)) {
    if (!hasAnnounced) say('Another command is installing packages: waiting for it');
    hasAnnounced = true;
    await new Promise((resolve) => setTimeout(resolve, lockRetryMs));
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function takeLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const holder = Number(readOr(file, '0'));
    if (holder > 0 && existsSync(`/proc/${holder}`)) return false;
    rmSync(file, { force: true });
    return false;
  }
}

function fingerprint(root, manifests) {
  const hash = createHash('sha256').update(`${pnpmVersion} ${process.platform} ${process.arch}`);
  for (const file of [join(root, 'pnpm-lock.yaml'), join(root, 'pnpm-workspace.yaml'), ...manifests]) {
    hash.update(`\n${file.slice(root.length)}\n`).update(readOr(file, ''));
  }
  return hash.digest('hex');
}

/** Every package.json of the workspace; the folders are those of pnpm-workspace.yaml. */
function workspaceManifests(root) {
  const services = foldersIn(join(root, 'services'));
  const folders = [
    root,
    join(root, 'gateway'),
    join(root, 'e2e'),
    ...services,
    ...services.map((folder) => join(folder, 'contract')),
    ...foldersIn(join(root, 'packages')),
    ...foldersIn(join(root, 'infra')),
  ];
  return folders.map((folder) => join(folder, 'package.json')).filter((file) => existsSync(file));
}

function foldersIn(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name))
    .sort();
}

function needsModules(manifest) {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
  return Object.keys({ ...dependencies, ...devDependencies }).length > 0;
}

function stampFile(root) {
  return join(root, 'node_modules/.tandem-installed');
}

function readOr(file, fallback) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return fallback;
  }
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

/** Shows progress as one changing line on a terminal, and nothing in a log. */
function showProgress(text) {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K  ${text}`);
}

function endProgress() {
  if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
}
