import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findServices, type ServiceSource, workspaceRoot } from './services.ts';

const require = createRequire(import.meta.url);

/**
 * Generates the Prisma client of every service whose schema changed, into its `src/generated`. Returns their names.
 * @param only the services to look at, all when empty
 */
export async function generateClients(root: string = workspaceRoot, only: readonly string[] = []): Promise<string[]> {
  const manifest = require.resolve('prisma/package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8'));
  const cli = join(dirname(manifest), 'build/index.js');
  const services = findServices(root).filter(({ name }) => !only.length || only.includes(name));
  const changed = await Promise.all(services.map((service) => generateOne(service, { cli, version })));
  return changed.filter((name) => name !== undefined);
}

async function generateOne(
  service: ServiceSource,
  prisma: { cli: string; version: string },
): Promise<string | undefined> {
  const schema = join(service.dir, 'prisma/schema.prisma');
  const home = join(service.dir, 'src/generated');
  const stamp = join(home, '.made-from');
  const wanted = createHash('sha256')
    .update(await readFile(schema))
    .update(prisma.version)
    .digest('hex');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return undefined;
  // Gone first: a model that was taken out of the schema must not live on as a file.
  await rm(home, { recursive: true, force: true });
  const clientSchema = join(service.dir, 'prisma/.client.prisma');
  await writeFile(clientSchema, withNumbers(await readFile(schema, 'utf8')));
  await run(prisma.cli, ['generate', '--schema', clientSchema, '--no-hints'], service.dir);
  await rm(clientSchema);
  await mkdir(home, { recursive: true });
  await writeFile(stamp, wanted);
  return service.name;
}

/**
 * The schema as the client sees it: whole numbers of 64 bits in the database are plain numbers in TypeScript. Ids stay
 * below 2^40, far inside what a number holds exactly; a `BigInt` would have to be converted wherever JSON is near.
 */
function withNumbers(schema: string): string {
  return schema.replace(/^(\s+\w+\s+)BigInt\b/gm, '$1Int');
}

function run(cli: string, args: string[], cwd: string): Promise<void> {
  const env = {
    ...process.env,
    // `generate` insists on a schema engine, which it would download, but never runs it. Any executable satisfies it.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: '1',
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    NO_COLOR: '1',
  };
  const child = spawn(process.execPath, [cli, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) return resolve();
      reject(new Error(`prisma generate failed in ${cwd}:\n${Buffer.concat(output).toString().trim()}`));
    });
  });
}

if (import.meta.main) {
  try {
    const names = await generateClients(workspaceRoot, process.argv.slice(2));
    if (names.length > 0) console.log(`Prisma clients generated: ${names.join(', ')}`);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
